// forebay leases: everything that costs money now.
#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/run_json.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "report/table.h"

namespace forebay {
namespace {

class LeasesVerb final : public Verb {
 public:
  void declare(CommandLine&) override {}

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const std::vector<RunRow> rows, open.runs.list({true, std::nullopt}));
    const Instant now = system_clock().now();
    if (console.json) {
      Json list = Json::array();
      for (const RunRow& row : rows) list.push(lease_json(row, now));
      console.print_json(list);
      return 0;
    }
    if (rows.empty()) {
      console.remark(tr("nothing is held: no run is going on"));
      return 0;
    }
    std::vector<std::vector<TableCell>> table;
    for (const RunRow& row : rows) {
      const auto spent = spent_by(row, now);
      table.push_back(
          {row.id, row.name, std::string(tr("this machine")),
           row.price_per_hour ? format_money(*row.price_per_hour) + "/h" : std::string(tr("unknown")),
           format_duration(Duration{now.nanoseconds - row.created.nanoseconds}),
           spent ? format_money(*spent) : std::string(tr("unknown"))});
    }
    console.print(format_table({{std::string(tr("RUN"))},
                                {std::string(tr("NAME")), false, true, false, 6},
                                {std::string(tr("MACHINE"))},
                                {std::string(tr("PRICE")), true},
                                {std::string(tr("HELD FOR")), true},
                                {std::string(tr("SPENT")), true}},
                               table, style_of(console)));
    return 0;
  }

 private:
  static std::optional<Money> spent_by(const RunRow& row, Instant now) {
    if (!row.price_per_hour) return std::nullopt;
    return money_for(*row.price_per_hour, Duration{now.nanoseconds - row.created.nanoseconds});
  }

  static Json lease_json(const RunRow& row, Instant now) {
    Json json = run_json(row);
    const auto spent = spent_by(row, now);
    json.set("machine", "local")
        .set("held_seconds", static_cast<double>(now.nanoseconds - row.created.nanoseconds) * 1e-9);
    json.set("spent", spent ? Json(format_money(*spent)) : Json());
    return json;
  }
};

}  // namespace

VerbInfo leases_verb_info() {
  return {"leases",
          "Money",
          "list every machine that is held and costs money now",
          "Lists what is held by runs that are going on, with its price and what it has cost so far. In this "
          "release that is this machine only; a price is known when a run was started with --price-per-hour.",
          "$ forebay leases\n$ forebay leases --json",
          make_verb<LeasesVerb>};
}

}  // namespace forebay
