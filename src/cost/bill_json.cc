#include <cmath>

#include "cost/bill.h"

namespace forebay {
namespace {

// Exact in "nano"; "text" is for people.
Json money_json(const std::optional<Money>& money) {
  if (!money) return {};
  return Json::object({{"nano", money->nano}, {"currency", money->currency}, {"text", format_money(*money)}});
}

std::optional<Money> money_from(const Json& json) {
  const auto nano = json["nano"].as_integer();
  if (!nano || !json["currency"].is_string()) return std::nullopt;
  return Money{*nano, json["currency"].string_or_empty()};
}

Json joules_json(const std::optional<Joules>& energy) {
  return energy ? Json(energy->value) : Json();
}

std::optional<Joules> joules_from(const Json& json) {
  const auto value = json.as_double();
  return value ? std::optional(Joules{*value}) : std::nullopt;
}

}  // namespace

Json Bill::to_json() const {
  Json json = Json::object({{"version", 1},
                            {"duration_ns", duration.nanoseconds},
                            {"price_per_hour", money_json(price_per_hour)}});
  json.set("price_source", price_source.empty() ? Json() : Json(price_source));
  Json list = Json::array();
  for (const BillLine& line : lines)
    list.push(Json::object({{"id", line.id},
                            {"what", line.what.to_json()},
                            {"duration_ns", line.duration.nanoseconds},
                            {"money", money_json(line.money)}}));
  json.set("lines", std::move(list)).set("total", money_json(total));
  json.set("energy_joules", joules_json(energy))
      .set("gpu_energy_joules", joules_json(gpu_energy))
      .set("cpu_energy_joules", joules_json(cpu_energy));
  json.set("energy_source", energy_source.empty() ? Json() : Json(energy_source));
  Json units = Json::array();
  for (const UnitCost& cost : unit_costs)
    units.push(Json::object({{"unit", cost.unit},
                             {"count", cost.count},
                             {"money", money_json(cost.money)},
                             {"energy_joules", joules_json(cost.energy)}}));
  json.set("unit_costs", std::move(units));
  Json waste = Json::array();
  for (const WastedMoney& each : wasted)
    waste.push(Json::object({{"finding", each.finding},
                             {"title", each.title.to_json()},
                             {"duration_ns", each.duration.nanoseconds},
                             {"money", money_json(each.money)}}));
  json.set("wasted", std::move(waste)).set("budget", money_json(budget));
  json.set("budget_used", budget_used ? Json(budget_used->value) : Json());
  json.set("rounding", rounding);
  Json texts = Json::array();
  for (const Text& remark : remarks) texts.push(remark.to_json());
  json.set("remarks", std::move(texts));
  return json;
}

Bill Bill::from_json(const Json& json) {
  Bill bill;
  bill.duration.nanoseconds = json["duration_ns"].as_integer().value_or(0);
  bill.price_per_hour = money_from(json["price_per_hour"]);
  bill.price_source = json["price_source"].string_or_empty();
  for (const Json& line : json["lines"].items())
    bill.lines.push_back({line["id"].string_or_empty(), Text::from_json(line["what"]),
                          Duration{line["duration_ns"].as_integer().value_or(0)}, money_from(line["money"])});
  bill.total = money_from(json["total"]);
  bill.energy = joules_from(json["energy_joules"]);
  bill.gpu_energy = joules_from(json["gpu_energy_joules"]);
  bill.cpu_energy = joules_from(json["cpu_energy_joules"]);
  bill.energy_source = json["energy_source"].string_or_empty();
  for (const Json& cost : json["unit_costs"].items())
    bill.unit_costs.push_back({cost["unit"].string_or_empty(), cost["count"].as_double().value_or(0),
                               money_from(cost["money"]), joules_from(cost["energy_joules"])});
  for (const Json& each : json["wasted"].items())
    bill.wasted.push_back({each["finding"].string_or_empty(), Text::from_json(each["title"]),
                           Duration{each["duration_ns"].as_integer().value_or(0)},
                           money_from(each["money"])});
  bill.budget = money_from(json["budget"]);
  if (const auto used = json["budget_used"].as_double()) bill.budget_used = Probability{*used};
  bill.rounding = json["rounding"].string_or_empty();
  for (const Json& remark : json["remarks"].items()) bill.remarks.push_back(Text::from_json(remark));
  return bill;
}

}  // namespace forebay
