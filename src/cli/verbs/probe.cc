// forebay probe: a slice of a job, measured, and what follows from it.
#include <unistd.h>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/launch_options.h"
#include "cli/probe_result.h"
#include "cli/probe_watch.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "record/log_file.h"
#include "report/log_excerpt.h"

namespace forebay {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;
constexpr std::size_t kErrorLines = 12;

Error bad(const std::string& option, const std::string& text, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "probe", option + " " + text, std::move(cause));
}

Result<std::int64_t> count_option(const std::string& option, const std::string& text, std::int64_t least,
                                  std::int64_t most) {
  const auto count = whole_integer(text);
  if (!count || *count < least || *count > most)
    return bad(option, text,
               fmt::format(fmt::runtime(tr("it is not a whole number between {0} and {1}")), least, most));
  return *count;
}

Result<double> number_option(const std::string& option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    return bad(option, std::string(text), std::string(tr("it is not a number above 0")));
  return value;
}

// "2" or "1.8-2.4".
Result<ExpectedRange> range_option(const std::string& option, const std::string& text) {
  const auto dash = text.find('-', 1);
  FOREBAY_TRY(const double low, number_option(option, std::string_view(text).substr(0, dash)));
  double high = low;
  if (dash != std::string::npos) {
    FOREBAY_TRY(high, number_option(option, std::string_view(text).substr(dash + 1)));
  }
  if (high < low) return bad(option, text, std::string(tr("its end lies before its beginning")));
  return ExpectedRange{low, high};
}

class ProbeVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.option("--steps", steps_, "N", "training steps to measure (default 50)");
    line.option("--warmup", warmup_, "N", "steps before them that are left out (default 5)");
    line.option("--max-duration", longest_, "DURATION",
                "stop after this time at the latest, steps or not (default 5m)");
    line.option("--total-steps", total_steps_, "N", "how many steps the whole job makes");
    line.option("--epochs", epochs_, "N", "how many epochs the whole job makes");
    line.option("--samples", samples_, "N", "samples of one epoch, where the data set does not tell");
    line.option("--vcpus", vcpus_, "N", "another machine: how many processors it has");
    line.option("--accelerator-speed", speed_, "FACTOR",
                "another machine: how many times as fast its accelerator is at this work, for example 2 or "
                "1.8-2.4");
    line.option("--from-run", from_run_, "RUN", "run nothing; tell what an earlier run or probe measured");
    options_.declare_job(line);
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const ProbeSlice slice, read_slice());
    FOREBAY_CHECK(read_hints());
    FOREBAY_TRY(const std::optional<TargetMachine> target, read_target());
    if (!from_run_.empty()) return tell_earlier(slice, target, console);
    FOREBAY_TRY(SubmitRequest request, make_request(options_, console));
    request.probe = slice;
    if (options_.dry_run) return tell_dry_run(request, console);
    FOREBAY_TRY(const Submission submission, submit_run(request));
    if (!console.json)
      console.remark(fmt::format(
          fmt::runtime(
              tr("probe {0}: stops after {1} steps ({2} of them warm-up) or {3}, whichever is first; "
                 "outputs are not copied")),
          submission.row.id, slice.steps + slice.warmup_steps, slice.warmup_steps,
          format_duration(slice.longest)));
    FOREBAY_TRY(const ProbeWatched watched, watch_probe(submission, slice, console));
    if (watched.signal) return 128 + *watched.signal;
    return tell(submission.directory, slice, target, console);
  }

 private:
  Result<ProbeSlice> read_slice() const {
    ProbeSlice slice;
    if (!steps_.empty()) {
      FOREBAY_TRY(slice.steps, count_option("--steps", steps_, 1, kMostSteps));
    }
    if (!warmup_.empty()) {
      FOREBAY_TRY(slice.warmup_steps, count_option("--warmup", warmup_, 0, kMostSteps));
    }
    if (!longest_.empty()) {
      FOREBAY_TRY(slice.longest, parse_duration(longest_));
      if (slice.longest.nanoseconds <= 0)
        return bad("--max-duration", longest_, std::string(tr("it is not a time above 0")));
    }
    return slice;
  }

  Result<void> read_hints() {
    if (!total_steps_.empty()) {
      FOREBAY_TRY(hints_.total_steps, count_option("--total-steps", total_steps_, 1, 1'000'000'000'000));
    }
    if (!epochs_.empty()) {
      FOREBAY_TRY(hints_.epochs, number_option("--epochs", epochs_));
    }
    if (!samples_.empty()) {
      FOREBAY_TRY(hints_.samples, number_option("--samples", samples_));
    }
    return {};
  }

  Result<std::optional<TargetMachine>> read_target() const {
    if (vcpus_.empty() && speed_.empty()) return std::optional<TargetMachine>();
    TargetMachine target;
    if (!vcpus_.empty()) {
      FOREBAY_TRY(target.vcpus, number_option("--vcpus", vcpus_));
    }
    if (!speed_.empty()) {
      FOREBAY_TRY(target.accelerator_speed, range_option("--accelerator-speed", speed_));
    }
    return std::optional(target);
  }

  static Result<int> tell_dry_run(const SubmitRequest& request, const Console& console) {
    print_dry_run(request.job, request.folder, console);
    if (console.json) return 0;
    console.print(fmt::format(
        fmt::runtime(
            tr("As a probe it is stopped after {0} steps or {1}, whichever is first. Outputs are not "
               "copied; what the program itself writes into its folder it writes.\n")),
        request.probe->steps + request.probe->warmup_steps, format_duration(request.probe->longest)));
    return 0;
  }

  Result<int> tell_earlier(const ProbeSlice& slice, const std::optional<TargetMachine>& target,
                           const Console& console) const {
    if (!options_.file.empty() || !options_.command.empty())
      return bad("--from-run", from_run_, std::string(tr("it runs nothing, and a job was named too")));
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const RunRow row, open.runs.find(from_run_));
    FOREBAY_TRY(const int code, tell(open.directory_of(row), slice, target, console));
    (void)code;  // how that run ended is not how this ended
    return 0;
  }

  Result<int> tell(const RunDirectory& directory, const ProbeSlice& slice,
                   const std::optional<TargetMachine>& target, const Console& console) const {
    FOREBAY_TRY(const RunRecord record, load_run_record(directory));
    // An ordinary run is measured whole unless --steps is given.
    SliceSettings settings{slice.warmup_steps, std::nullopt};
    if (!steps_.empty()) settings.steps = slice.steps;
    const ProbeResult result = judge_probe(record, slice_settings(record, settings), hints_, target);
    if (console.json) {
      console.print_json(probe_json(record, result));
    } else {
      if (record.outcome && process_exit_code(*record.outcome) != 0) show_last_lines(directory);
      console.print(render_probe(record, result, style_of(console)));
    }
    return record.outcome ? process_exit_code(*record.outcome) : 0;
  }

  // The job's output was not shown while it ran.
  static void show_last_lines(const RunDirectory& directory) {
    std::string text;
    for (const std::string& line : log_excerpt(read_log_tail(directory, 16 << 10), kErrorLines))
      text += line + "\n";
    (void)write_all(STDERR_FILENO, text, "standard error");
  }

  LaunchOptions options_;
  std::string steps_, warmup_, longest_, total_steps_, epochs_, samples_, vcpus_, speed_, from_run_;
  LengthHints hints_;
};

}  // namespace

VerbInfo probe_verb_info() {
  return {
      "probe",
      "Rent",
      "run a slice of a job, measure it, and say what the whole will take",
      "Runs the job file or the command after -- like `forebay run`, but stops it when its training loop "
      "has made --steps steps after --warmup ones, or when --max-duration is over, whichever is first. "
      "Then it tells the time per step and what it went to, memory, processor, storage and GPU, how long "
      "the whole job takes, whether spot, on-demand or a long-term commitment suits it, and in plain "
      "sentences what it could not know.\n\n"
      "Steps are those of PyTorch optimisers, seen by the hook. For other programs only what can be seen "
      "from outside is measured, until --max-duration.\n\n"
      "The job's output goes to the run's log and not to the terminal. Outputs are not copied; what the "
      "program itself writes into its folder it writes, and FOREBAY_PROBE=1 in its environment lets it do "
      "otherwise. The probe is listed by `forebay ps` as a probe. The exit code is 0 when the slice was "
      "seen, else the job's own.",
      "$ forebay probe job.yaml --steps 50\n$ forebay probe --epochs 90 -- python train.py\n$ forebay "
      "probe --from-run last --total-steps 100000\n$ forebay probe --from-run last --vcpus 16 "
      "--accelerator-speed 1.8-2.4",
      make_verb<ProbeVerb>};
}

}  // namespace forebay
