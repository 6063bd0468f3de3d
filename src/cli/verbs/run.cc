// forebay run: the whole flow in front of you.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/launch_options.h"
#include "cli/output_file.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "control/open_runs.h"
#include "record/outcome_words.h"
#include "report/report_json.h"
#include "report/terminal.h"
#include "spec/job_file.h"
#include "supervisor/client.h"

namespace forebay {
namespace {

class RunVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    options_.declare(line);
    line.option("--outcome-file", outcome_file_, "FILE",
                "write as JSON how the run ended: job, out-of-memory, budget, infrastructure …");
    line.flag("-q,--quiet", quiet_, "no report at the end; only what the job writes");
    line.flag("--no-pty", no_pty_, "connect the job by pipes even on a terminal");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(SubmitRequest request, make_request(options_, console));
    if (options_.dry_run) {
      print_dry_run(request.job, request.folder, console);
      return 0;
    }
    FOREBAY_CHECK(check_outcome_file());
    const bool on_terminal =
        ::isatty(STDIN_FILENO) && console.output_is_terminal && !console.json && !no_pty_;
    request.use_pty = on_terminal;
    request.forward_input = true;
    if (const auto size = terminal_size(STDOUT_FILENO)) {
      request.columns = size->columns;
      request.rows = size->rows;
    }
    FOREBAY_TRY(const Submission submission, submit_run(request));
    FOREBAY_TRY(FollowResult followed, show(submission, on_terminal, console));
    // Somebody waits for the outcome file: the run is watched on without being shown.
    if (followed.end == FollowEnd::kOutputClosed && !outcome_file_.empty()) {
      FOREBAY_TRY(const FollowResult rest, watch_silently(submission));
      if (rest.end == FollowEnd::kDetached) followed = rest;
    }
    if (followed.end == FollowEnd::kDetached) return 128 + followed.signal.value_or(1);
    return end(submission, console, followed);
  }

 private:
  // An outcome file that cannot be written is found out before anything runs.
  Result<void> check_outcome_file() const {
    if (outcome_file_.empty()) return {};
    return write_output_file(outcome_file_, "{\"cause\": null}\n");
  }

  Result<FollowResult> show(const Submission& submission, bool on_terminal, const Console& console) const {
    FollowSettings follow_settings{submission.directory, system_clock(), {}};
    follow_settings.attached = true;
    follow_settings.feed_input = true;
    follow_settings.raw_terminal = on_terminal;
    if (console.json) follow_settings.output = STDERR_FILENO;  // standard output is for the JSON
    return follow(follow_settings);
  }

  static Result<FollowResult> watch_silently(const Submission& submission) {
    UniqueFd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    FollowSettings settings{submission.directory, system_clock(), {}};
    settings.attached = true;
    settings.output = settings.error = nowhere.get();
    return follow(settings);
  }

  Result<int> end(const Submission& submission, const Console& console, const FollowResult& followed) const {
    if (followed.end == FollowEnd::kOutputClosed && outcome_file_.empty() &&
        !path_exists(submission.directory.outcome()))
      return leave_unread(console, submission.row.id);
    const auto open = open_runs();  // closes the run, should its supervisor have been killed
    if (!open && !path_exists(submission.directory.outcome())) return open.error();
    FOREBAY_TRY(const Json json, read_json_file(submission.directory.outcome()));
    FOREBAY_TRY(const Outcome outcome, Outcome::from_json(json));
    if (!outcome_file_.empty()) {
      Json full = outcome.to_json();
      full.set("run", submission.row.id);
      FOREBAY_CHECK(write_output_file(outcome_file_, full.dump(2) + "\n"));
    }
    const int code = process_exit_code(outcome);
    if (followed.end == FollowEnd::kOutputClosed) return code;
    FOREBAY_CHECK(report(submission, console, outcome));
    return code;
  }

  // The report goes to standard error, so that `forebay run -- x | y` passes on only what the job wrote.
  Result<void> report(const Submission& submission, const Console& console, const Outcome& outcome) const {
    if (quiet_ && !console.json) {
      if (outcome.cause != OutcomeCause::kSucceeded && outcome.cause != OutcomeCause::kJobFailed)
        console.remark(outcome_sentence(outcome.sentence));
      return {};
    }
    FOREBAY_TRY(const RunView view, load_run_view(submission.directory));
    if (console.json) {
      console.print_json(report_json(view.record, view.diagnosis, view.bill));
      return {};
    }
    std::string html;
    if (worth_a_page(view)) {
      if (auto written = write_html_report(view, submission.directory, "")) html = *written;
    }
    TerminalStyle style = style_of(console);
    style.colour = console.error_is_terminal && console.colour;
    const std::string text = html.empty() && view.diagnosis.findings.empty()
                                 ? render_terminal_brief(view.record, view.bill, style)
                                 : render_terminal(view.record, view.diagnosis, view.bill, style, html);
    (void)write_all(STDERR_FILENO, "\n" + text, "standard error");
    return {};
  }

  // A command of a second has nothing to plot.
  static bool worth_a_page(const RunView& view) {
    return view.record.samples.size() >= 3 || !view.record.steps.empty();
  }

  LaunchOptions options_;
  std::string outcome_file_;
  bool quiet_ = false, no_pty_ = false;
};

}  // namespace

VerbInfo run_verb_info() {
  return {"run",
          "Run",
          "run a program or a job file and show what it does",
          "Runs the command after -- (or the job file's) on this machine, in this folder, with the "
          "environment that is active, and shows its output. "
          "When it has ended you get a report: how it ended, why it was slow, what it cost. The program is "
          "not changed; for Python training loops a small hook times "
          "data loading, forward, backward and optimiser.\n\n"
          "The run belongs to a supervisor of its own: closing the terminal does not end it (`forebay logs "
          "-f` shows it again). Ctrl-C asks the job to stop, a second "
          "Ctrl-C kills it. Everything is kept in the run record.\n\n"
          "The exit code is the command's own; 128+n when signal n ended it; 124 when a limit stopped it; "
          "125 when Forebay itself failed; 126 and 127 when the command cannot be "
          "executed or does not exist; 2 when the job file or the options are wrong. --outcome-file tells "
          "them apart without doubt.",
          "$ forebay run -- python train.py --epochs 3\n$ forebay run job.yaml\n$ forebay run job.yaml -- "
          "python train.py --debug\n"
          "$ forebay run --price-per-hour '2.5 USD' --max-duration 2h -- ./train.sh\n$ forebay run --memory "
          "8GiB --outcome-file out.json -- python eval.py",
          make_verb<RunVerb>};
}

}  // namespace forebay
