// forebay stop: ask runs to end.
#include <fmt/format.h>
#include <signal.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/run_json.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "supervisor/client.h"

namespace forebay {
namespace {

constexpr std::int64_t kPoll = 100'000'000;
constexpr std::int64_t kPatience = 60ll * 1'000'000'000;

class StopVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional_list("RUN", references_, "ids, beginnings of ids, names, or `last`", false);
    line.flag("--now", now_, "kill at once instead of asking first");
    line.flag("--all", all_, "every run that is going on");
    line.flag("--no-wait", no_wait_, "return without waiting for the end");
    line.flag("--dry-run", dry_run_, "say which runs would be stopped");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const std::vector<RunRow> rows, chosen(open));
    for (const RunRow& row : rows) FOREBAY_CHECK(stop(open, row, console));
    if (dry_run_) return 0;
    Json list = Json::array();
    for (const RunRow& row : rows) {
      FOREBAY_TRY(const RunRow ended, no_wait_ ? open.runs.get(row.id) : wait_for_end(open, row));
      list.push(run_json(ended));
    }
    if (console.json) console.print_json(list);
    return 0;
  }

 private:
  Result<std::vector<RunRow>> chosen(OpenRuns& open) const {
    if (all_) return open.runs.list({true, std::nullopt});
    if (references_.empty())
      return make_error(ErrorCode::kInvalidInput, "stop", "", std::string(tr("no run is named")),
                        std::string(tr("Name runs, or give --all.")));
    std::vector<RunRow> rows;
    for (const std::string& reference : references_) {
      FOREBAY_TRY(RunRow row, open.runs.find(reference));
      rows.push_back(std::move(row));
    }
    return rows;
  }

  Result<void> stop(OpenRuns& open, const RunRow& row, const Console& console) const {
    if (is_terminal(row.state)) {
      if (!console.json)
        console.remark(
            fmt::format(fmt::runtime(tr("run {0} is already {1}")), row.id, tr(run_state_name(row.state))));
      return {};
    }
    if (dry_run_) {
      console.print(row.id + "\n");
      return {};
    }
    auto client = Client::connect(open.directory_of(row));
    if (!client && now_ && kill_owner(row)) return {};
    if (!client) return std::move(client).error();
    return client->request_stop(now_ ? StopRequest::kNow : StopRequest::kTerminate);
  }

  // A supervisor that answers nobody: its tree dies with it, and the next look closes the run.
  static bool kill_owner(const RunRow& row) {
    return row.owner && is_alive(*row.owner) && ::kill(static_cast<pid_t>(row.owner->pid), SIGKILL) == 0;
  }

  static Result<RunRow> wait_for_end(OpenRuns& open, const RunRow& row) {
    const Clock& clock = system_clock();
    const std::int64_t deadline = clock.monotonic_ns() + kPatience;
    while (true) {
      FOREBAY_TRY(RunRow present, open.runs.get(row.id));
      if (is_terminal(present.state)) return present;
      if (clock.monotonic_ns() > deadline)
        return make_error(ErrorCode::kTimeout, "stop", row.id,
                          std::string(tr("it has not ended within a minute")),
                          fmt::format(fmt::runtime(tr("Try `forebay stop --now {0}`.")), row.id));
      if (present.owner && !is_alive(*present.owner)) {
        FOREBAY_TRY(OpenRuns again, open_runs());
        return again.runs.get(row.id);
      }
      clock.sleep(Duration{kPoll});
    }
  }

  std::vector<std::string> references_;
  bool now_ = false, all_ = false, no_wait_ = false, dry_run_ = false;
};

}  // namespace

VerbInfo stop_verb_info() {
  return {"stop",
          "Run",
          "end runs",
          "Asks the job to end (SIGTERM), kills it after its grace of 10 seconds, saves outputs, closes the "
          "run, and returns when that is done. Stopping a run that has ended is no error.",
          "$ forebay stop last\n$ forebay stop --now train\n$ forebay stop --all",
          make_verb<StopVerb>};
}

}  // namespace forebay
