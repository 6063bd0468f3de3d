// forebay ps: what runs and what ran.
#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/run_json.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "report/table.h"
#include "storage/wildmatch.h"

namespace forebay {
namespace {

constexpr int kWholeLine = 1 << 20;

Tone tone_of(const RunRow& row) {
  if (row.state == RunState::kFinished) return Tone::kGood;
  if (row.state == RunState::kFailed) return Tone::kBad;
  if (row.state == RunState::kCancelled) return Tone::kWarning;
  return Tone::kAccent;
}

std::string duration_of(const RunRow& row, Instant now) {
  if (!row.started) return "-";
  return format_duration(Duration{row.ended.value_or(now).nanoseconds - row.started->nanoseconds});
}

std::vector<TableCell> cells_of(const RunRow& row, Instant now) {
  const std::string code = row.exit_code ? std::to_string(*row.exit_code) : "-";
  const std::string state = row.cause.empty() || row.state == RunState::kFinished
                                ? std::string(tr(run_state_name(row.state)))
                                : fmt::format("{} ({})", tr(run_state_name(row.state)), row.cause);
  const std::string name =
      row.kind == kProbeRun ? fmt::format(fmt::runtime(tr("{0} (probe)")), row.name) : row.name;
  return {row.id,
          name,
          TableCell(state, tone_of(row)),
          code,
          format_duration(Duration{now.nanoseconds - row.created.nanoseconds}),
          duration_of(row, now),
          row.command};
}

class PsVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.flag("-a,--all", all_, "also runs that ended more than a day ago");
    line.flag("-q,--quiet", quiet_, "ids only, one a line");
    line.option("-n,--last", last_, "N", "at most so many, newest first");
    line.option_words("--state", states_, "STATE[,STATE…]",
                      "only runs in these states, for example failed,cancelled", run_state_names());
    line.option("--name", name_, "GLOB", "only runs whose name fits, for example 'train-*'");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const std::optional<std::size_t> limit, limit_of(last_));
    RunFilter filter;
    if (states_.empty() && name_.empty()) filter.limit = limit;
    FOREBAY_TRY(std::vector<RunRow> rows, open.runs.list(filter));
    std::erase_if(rows, [&](const RunRow& row) { return !is_wanted(row); });
    if (limit && rows.size() > *limit) rows.resize(*limit);
    const Instant now = system_clock().now();
    constexpr std::int64_t kDay = 86'400ll * 1'000'000'000;
    if (!all_ && last_.empty())
      std::erase_if(rows, [&](const RunRow& row) {
        return is_terminal(row.state) && now.nanoseconds - row.updated.nanoseconds > kDay;
      });
    print(console, rows, now);
    return 0;
  }

 private:
  static Result<std::optional<std::size_t>> limit_of(const std::string& text) {
    if (text.empty()) return std::optional<std::size_t>();
    const auto count = whole_integer(text);
    if (!count || *count <= 0)
      return make_error(ErrorCode::kInvalidInput, "list", "--last " + text,
                        std::string(tr("it is not a number above 0")));
    return std::optional(static_cast<std::size_t>(*count));
  }

  bool is_wanted(const RunRow& row) const {
    const bool state_fits =
        states_.empty() || std::ranges::find(states_, run_state_name(row.state)) != states_.end();
    return state_fits && (name_.empty() || wildmatch(name_, row.name, false));
  }

  std::string nothing_found() const {
    if (states_.empty() && name_.empty())
      return std::string(tr("no runs; start one with `forebay run -- COMMAND`"));
    return std::string(all_ ? tr("no run fits") : tr("no run fits; --all looks at older ones too"));
  }

  void print(const Console& console, const std::vector<RunRow>& rows, Instant now) const {
    if (console.json) {
      Json list = Json::array();
      for (const RunRow& row : rows) list.push(run_json(row));
      return console.print_json(list);
    }
    if (quiet_) {
      for (const RunRow& row : rows) console.print(row.id + "\n");
      return;
    }
    if (rows.empty()) return console.remark(nothing_found());
    std::vector<TableColumn> columns{{std::string(tr("RUN")), false, false, false, 8},
                                     {std::string(tr("NAME")), false, true, false, 6},
                                     {std::string(tr("STATE"))},
                                     {std::string(tr("CODE")), true},
                                     {std::string(tr("AGE")), true},
                                     {std::string(tr("DURATION")), true},
                                     {std::string(tr("COMMAND")), false, true, false, 8}};
    std::vector<std::vector<TableCell>> table;
    for (const RunRow& row : rows) table.push_back(cells_of(row, now));
    TerminalStyle style = style_of(console);
    if (!console.output_is_terminal) style.width = kWholeLine;  // a pipe has no columns: nothing is cut
    console.print(format_table(columns, table, style));
  }

  bool all_ = false, quiet_ = false;
  std::string last_, name_;
  std::vector<std::string> states_;
};

}  // namespace

VerbInfo ps_verb_info() {
  return {
      "ps",
      "Run",
      "list runs",
      "Lists the runs that are going on and those that ended within the last day, newest first. Runs "
      "whose supervisor was killed are found and closed on the way.",
      "$ forebay ps\n$ forebay ps --all --json\n$ forebay ps --all --state failed,cancelled --name 'train-*'",
      make_verb<PsVerb>};
}

}  // namespace forebay
