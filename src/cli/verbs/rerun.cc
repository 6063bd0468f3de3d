// forebay rerun and retry: the same again.
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/text.h"
#include "cli/launch_options.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "environment/code.h"
#include "record/outcome_words.h"
#include "supervisor/client.h"

namespace forebay {
namespace {

// A run that repeats `row`: its job and options; the price only if none is given anew.
Result<SubmitRequest> request_from(const OpenRuns& open, const RunRow& row) {
  const RunDirectory directory = open.directory_of(row);
  FOREBAY_CHECK(check_record_version(directory));
  FOREBAY_TRY(const Json job_json, read_json_file(directory.job()));
  FOREBAY_TRY(const Json launch, read_json_file(directory.launch()));
  SubmitRequest request;
  FOREBAY_TRY(request.job, job_from_json(job_json));
  request.job.name = row.name;
  if (auto text = read_file(directory.job_text())) request.job_text = std::move(*text);
  request.folder = launch["cwd"].string_or_empty();
  request.state_folder = open.state_folder;
  request.price_per_hour = row.price_per_hour;
  request.sample_hz = launch["sample_hz"].as_double().value_or(1);
  request.isolate = launch["isolate"].as_bool().value_or(false);
  request.use_hook = launch["hook"].as_bool().value_or(true);
  request.parent = row.id;
  return request;
}

Result<int> start_and_show(const SubmitRequest& request, const Console& console, bool detach) {
  FOREBAY_TRY(const Submission submission, submit_run(request));
  if (detach) {
    if (console.json)
      console.print_json(
          Json::object({{"run", submission.row.id}, {"parent", request.parent}, {"folder", request.folder}}));
    else
      console.print(submission.row.id + "\n");
    return 0;
  }
  FollowSettings settings{submission.directory, system_clock(), {}};
  settings.attached = true;
  if (console.json) settings.output = STDERR_FILENO;  // standard output is for the JSON
  FOREBAY_TRY(const FollowResult followed, follow(settings));
  if (followed.end == FollowEnd::kDetached) return 128 + followed.signal.value_or(1);
  if (followed.end == FollowEnd::kOutputClosed && !path_exists(submission.directory.outcome()))
    return leave_unread(console, submission.row.id);
  FOREBAY_TRY(const OpenRuns open, open_runs());
  FOREBAY_TRY(const Json json, read_json_file(submission.directory.outcome()));
  FOREBAY_TRY(const Outcome outcome, Outcome::from_json(json));
  if (console.json)
    console.print_json(Json::object({{"run", submission.row.id},
                                     {"parent", request.parent},
                                     {"folder", request.folder},
                                     {"outcome", outcome.to_json()}}));
  console.remark(
      fmt::format(fmt::runtime(tr("run {0}: {1}; `forebay compare {2} {0}` puts the two side by side")),
                  submission.row.id, outcome_sentence(outcome.sentence), request.parent));
  return process_exit_code(outcome);
}

class RerunVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`");
    line.option("--into", into_, "FOLDER",
                "where the code of that run is written (default: a new folder in the cache)");
    line.flag("--in-place", in_place_, "run in the original folder with its code as it is now");
    line.flag("-d,--detach", detach_, "return at once, print the new run's id");
    line.flag("--dry-run", dry_run_, "say where the code would be restored and what would be run");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const RunRow row, open.runs.find(run_));
    FOREBAY_TRY(SubmitRequest request, request_from(open, row));
    if (!in_place_) {
      const std::string target = absolute_path(into_.empty() ? new_folder(row) : into_);
      if (dry_run_) {
        console.print(
            fmt::format(fmt::runtime(tr("would restore the code of run {0} into {1} and run there: {2}\n")),
                        row.id, target, row.command));
        return 0;
      }
      FOREBAY_TRY(const RestoredCode restored,
                  restore_code(open.directory_of(row), open.state_folder, target));
      if (!console.json)
        console.remark(fmt::format(fmt::runtime(tr("the code of run {0} is in {1} ({2} files)")), row.id,
                                   target, restored.files));
      for (const std::string& path : restored.missing)
        console.remark(
            fmt::format(fmt::runtime(tr("{0} was too large to be kept with the run; the original folder's "
                                        "copy is used if the job names it by its full path")),
                        path));
      request.folder = restored.workdir;
    }
    if (dry_run_) return 0;
    return start_and_show(request, console, detach_);
  }

 private:
  static std::string new_folder(const RunRow& row) {
    for (int number = 1;; ++number) {
      std::string folder = fmt::format("{}/reruns/{}-{}", cache_folder(), row.id, number);
      if (!path_exists(folder)) return folder;
    }
  }

  std::string run_, into_;
  bool in_place_ = false, detach_ = false, dry_run_ = false;
};

class RetryVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`", false);
    line.flag("-d,--detach", detach_, "return at once, print the new run's id");
    line.flag("--dry-run", dry_run_, "say what would be run, and run nothing");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const RunRow row, open.runs.find(run_.empty() ? "last" : run_));
    if (!is_terminal(row.state))
      return make_error(ErrorCode::kInvalidInput, "retry", row.id, std::string(tr("it is still going on")),
                        fmt::format(fmt::runtime(tr("`forebay stop {0}` ends it.")), row.id));
    FOREBAY_TRY(SubmitRequest request, request_from(open, row));
    request.resume = true;
    if (dry_run_) {
      print_dry_run(request.job, request.folder, console);
      return 0;
    }
    return start_and_show(request, console, detach_);
  }

 private:
  std::string run_;
  bool detach_ = false, dry_run_ = false;
};

}  // namespace

VerbInfo rerun_verb_info() {
  return {"rerun",
          "Run",
          "run the same code, environment and data again",
          "Restores the code exactly as the run had it into a folder of its own and runs the same job there. "
          "With --in-place it runs in the original folder with the code as it is now.",
          "$ forebay rerun last\n$ forebay rerun k7f2m9qx --into ./again",
          make_verb<RerunVerb>};
}

VerbInfo retry_verb_info() {
  return {"retry",
          "Run",
          "start an ended run once more in its own folder",
          "Starts the run's job again where it ran, going on from its newest whole checkpoint when the job "
          "file has a `checkpoint:` section (FOREBAY_RESUME).",
          "$ forebay retry last",
          make_verb<RetryVerb>};
}

}  // namespace forebay
