// What a run record says, as named numbers: each with its unit, where it comes from, and how many
// observations stand behind it. What was not measured is not in the set. Pure: no clock, no file, no network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/run_record.h"

namespace forebay {

struct MeasuredValue {
  std::string name;  // "step_seconds_median": stable, part of --json; docs/metrics.md lists them all
  double value = 0;
  std::string unit;    // "s", "B", "1" (a share or a count), "W", "J", "cores"
  std::string origin;  // English, for --json and the report's fine print: "steps.seg: 400 steps"
  std::int64_t n = 0;  // observations behind it; 1 for a setting
};

// A fact that is a word and not a number: device, the last thing seen, the message of an allocator.
struct MeasuredFact {
  std::string name;
  std::string value;
  std::string origin;
};

class MetricSet {
 public:
  // NaN and infinities are not measurements: they are not added.
  void add(std::string name, double value, std::string unit, std::string origin, std::int64_t n = 1);
  void add_fact(std::string name, std::string value, std::string origin);

  const MeasuredValue* find(std::string_view name) const;
  std::optional<double> get(std::string_view name) const;
  std::optional<std::string> fact(std::string_view name) const;
  const std::vector<MeasuredValue>& values() const { return values_; }
  const std::vector<MeasuredFact>& facts() const { return facts_; }
  // {"values": {name: {value, unit, origin, n}}, "facts": {name: {value, origin}}}
  Json to_json() const;

 private:
  std::vector<MeasuredValue> values_;
  std::vector<MeasuredFact> facts_;
};

MetricSet summarise(const RunRecord& record);

// One row for each metric that summarise() can give.
struct MetricDescription {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;  // a msgid
};
const std::vector<MetricDescription>& metric_descriptions();
// The name for people ("time per step, median"), a msgid; the name itself when it is not in the table.
std::string_view metric_meaning(std::string_view name);

// A value with its unit as people read it, the same in every language: "38 %", "1.24 s", "1.4 GiB", "2", "71
// W". `unit` "%" shows a share as per cent.
std::string format_measure(double value, std::string_view unit);

}  // namespace forebay
