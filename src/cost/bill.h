// What a run cost: machine time, energy where it was read, money where a price is known. Exact: the lines add
// up to the total to the last billionth. An unknown price is unknown money, never 0. Pure: no clock, no file,
// no network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "base/units.h"
#include "record/run_record.h"

namespace forebay {

struct BillLine {
  std::string id;  // "preparing", "running", "saving", "waiting" …: stable
  Text what;
  Duration duration;
  std::optional<Money> money;
};

// Money lost to one finding: a share of the running line, not an additional cost.
struct WastedMoney {
  std::string finding;
  Text title;
  Duration duration;
  std::optional<Money> money;
};

struct UnitCost {
  std::string unit;            // "step", "epoch", "1000 samples"
  double count = 0;            // how many of them the run did
  std::optional<Money> money;  // per unit, rounded half to even to 1e-9
  std::optional<Joules> energy;
};

struct Bill {
  Duration duration;  // of everything that is billed: the sum of the lines
  std::optional<Money> price_per_hour;
  std::string price_source;  // "launch.json: price_per_hour", "machine.json: …, dated …"; empty when unknown
  std::vector<BillLine> lines;   // in the order of time
  std::optional<Money> total;    // = sum of the lines' money, exactly
  std::optional<Joules> energy;  // everything that was read
  std::optional<Joules> gpu_energy;
  std::optional<Joules> cpu_energy;
  std::string energy_source;  // how it was read; empty when unknown
  std::vector<UnitCost> unit_costs;
  std::vector<WastedMoney> wasted;
  std::optional<Money> budget;
  std::optional<Probability> budget_used;  // may be over 1
  std::string rounding;                    // the rule, as a msgid
  std::vector<Text> remarks;               // "the run goes on", "no price: give --price-per-hour"

  Json to_json() const;                     // bill.json
  static Bill from_json(const Json& json);  // tolerant
};

// `price_per_hour` wins over the price in the record (launch.json, then machine.json). While the run goes on
// the bill reaches to the last thing the record saw. `record.findings` (findings.json) gives the wasted
// money; set it first.
Bill compute_bill(const RunRecord& record, const std::optional<Money>& price_per_hour = std::nullopt);

}  // namespace forebay
