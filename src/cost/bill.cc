#include "cost/bill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cost/energy.h"
#include "cost/phases.h"

namespace forebay {
namespace {

constexpr const char* kRounding =
    "price per hour × time, to the nanosecond; rounded once, half to even, to a billionth of the currency "
    "unit; "
    "the lines share the total by largest remainder, so that they add up exactly";

// Largest-remainder shares of `total` by the lines' durations: each line gets the floor of its exact share,
// and the billionths that are left go to the largest remainders (the earlier line on a tie).
std::vector<std::int64_t> share_out(std::int64_t total, const std::vector<BillLine>& lines) {
  __int128 whole = 0;
  for (const BillLine& line : lines) whole += line.duration.nanoseconds;
  std::vector<std::int64_t> shares(lines.size(), 0);
  if (whole <= 0) return shares;
  std::vector<std::pair<__int128, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const __int128 product = static_cast<__int128>(total) * lines[i].duration.nanoseconds;
    shares[i] = static_cast<std::int64_t>(product / whole);
    given += shares[i];
    remainders.emplace_back(product % whole, i);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < remainders.size() && given < total; ++i, ++given)
    ++shares[remainders[i].second];
  return shares;
}

std::optional<Money> money_from_json(const Json& json) {
  if (const auto text = json.as_string()) {
    auto money = parse_money(*text);
    if (money) return *money;
    return std::nullopt;
  }
  const auto nano = json["nano"].as_integer();
  if (!nano || !json["currency"].is_string()) return std::nullopt;
  return Money{*nano, json["currency"].string_or_empty()};
}

// A price below nothing is no price. 0 is one: somebody said that the machine is free.
std::optional<Money> valid_price(std::optional<Money> price) {
  constexpr std::int64_t kMost =
      1'000'000LL * 1'000'000'000;  // a million an hour; more is damage, and would not fit
  if (!price || price->nano < 0 || price->nano > kMost || price->currency.empty()) return std::nullopt;
  return price;
}

void find_price(const RunRecord& record, const std::optional<Money>& given, Bill& bill) {
  bill.price_per_hour = valid_price(given);
  bill.price_source = "given";
  if (bill.price_per_hour) return;
  bill.price_per_hour = valid_price(money_from_json(record.launch["price_per_hour"]));
  bill.price_source = "launch.json: price_per_hour";
  if (bill.price_per_hour) return;
  const Json& price = record.machine["price"];
  bill.price_per_hour = valid_price(
      money_from_json(price["per_hour"].is_null() ? record.machine["price_per_hour"] : price["per_hour"]));
  bill.price_source = "machine.json";
  if (price["source"].is_string())
    bill.price_source += fmt::format(": {}", price["source"].string_or_empty());
  if (price["date"].is_string()) bill.price_source += fmt::format(", {}", price["date"].string_or_empty());
  if (!bill.price_per_hour) bill.price_source.clear();
}

void add_money(Bill& bill) {
  if (!bill.price_per_hour) return;
  bill.total = money_for(*bill.price_per_hour, bill.duration);
  const auto shares = share_out(bill.total->nano, bill.lines);
  for (std::size_t i = 0; i < bill.lines.size(); ++i)
    bill.lines[i].money = Money{shares[i], bill.total->currency};
}

// amount ÷ count, half to even.
Money divided(const Money& money, double count) {
  return Money{static_cast<std::int64_t>(std::nearbyint(static_cast<double>(money.nano) / count)),
               money.currency};
}

void add_unit_costs(const RunRecord& record, Bill& bill) {
  std::map<std::int32_t, double> steps_of, epochs_of;
  double samples = 0;
  bool samples_known = !record.steps.empty();
  for (const StepRow& row : record.steps) {
    if (row.steps <= 0) continue;
    steps_of[row.process] += static_cast<double>(row.steps);
    if (row.epoch_begin_ns > 0) epochs_of[row.process] += 1;
    if (row.samples < 0)
      samples_known = false;
    else
      samples += static_cast<double>(row.samples);
  }
  const auto most = [](const std::map<std::int32_t, double>& counts) {
    double count = 0;
    for (const auto& [process, value] : counts) count = std::max(count, value);
    return count;
  };
  const auto add = [&](const char* unit, double count) {
    if (count <= 0) return;
    UnitCost cost{unit, count, {}, {}};
    if (bill.total) cost.money = divided(*bill.total, count);
    if (bill.energy) cost.energy = Joules{bill.energy->value / count};
    bill.unit_costs.push_back(std::move(cost));
  };
  add("step", most(steps_of));
  add("epoch", most(epochs_of));
  if (samples_known) add("1000 samples", samples / 1000);
}

void add_waste(const RunRecord& record, Bill& bill) {
  const auto running = std::find_if(bill.lines.begin(), bill.lines.end(),
                                    [](const BillLine& line) { return line.id == "running"; });
  if (running == bill.lines.end()) return;
  for (const Json& finding : record.findings["findings"].items()) {
    const auto share = finding["share"].as_double();
    if (!share || *share <= 0 || *share > 1) continue;
    WastedMoney wasted{finding["id"].string_or_empty(), Text::from_json(finding["title"]), {}, {}};
    wasted.duration = Duration::from_seconds(*share * running->duration.seconds());
    if (bill.price_per_hour) wasted.money = money_for(*bill.price_per_hour, wasted.duration);
    bill.wasted.push_back(std::move(wasted));
  }
}

void add_budget(const RunRecord& record, Bill& bill) {
  bill.budget = valid_price(money_from_json(record.job["policy"]["budget"]));
  if (!bill.budget || !bill.total) return;
  if (bill.budget->currency != bill.total->currency) {
    bill.remarks.push_back({"the budget is in {0} and the price in {1}: they cannot be compared",
                            {bill.budget->currency, bill.total->currency}});
  } else if (bill.budget->nano > 0) {
    bill.budget_used =
        Probability{static_cast<double>(bill.total->nano) / static_cast<double>(bill.budget->nano)};
  }
}

}  // namespace

Bill compute_bill(const RunRecord& record, const std::optional<Money>& price_per_hour) {
  Bill bill;
  bill.rounding = kRounding;
  bill.lines = phases_of(record);
  for (const BillLine& line : bill.lines) bill.duration.nanoseconds += line.duration.nanoseconds;
  find_price(record, price_per_hour, bill);
  add_money(bill);
  const EnergyReading energy = read_energy(record);
  bill.energy = energy.total();
  bill.gpu_energy = energy.gpu;
  bill.cpu_energy = energy.processor;
  bill.energy_source = energy.source;
  add_unit_costs(record, bill);
  add_waste(record, bill);
  add_budget(record, bill);
  if (!record.outcome)
    bill.remarks.push_back({"the run goes on: the bill reaches to the last thing that was recorded", {}});
  if (!bill.price_per_hour)
    bill.remarks.push_back(
        {"no price is known for this machine: give one with --price, for example --price \"2.5 USD\" an hour",
         {}});
  if (energy.partial) bill.remarks.push_back({"energy was read for a part of the run only", {}});
  return bill;
}

}  // namespace forebay
