#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "diagnosis/metrics.h"

namespace forebay {

void MetricSet::add(std::string name, double value, std::string unit, std::string origin, std::int64_t n) {
  if (!std::isfinite(value)) return;
  for (MeasuredValue& known : values_)
    if (known.name == name) {
      known = {std::move(name), value, std::move(unit), std::move(origin), n};
      return;
    }
  values_.push_back({std::move(name), value, std::move(unit), std::move(origin), n});
}

void MetricSet::add_fact(std::string name, std::string value, std::string origin) {
  if (!value.empty()) facts_.push_back({std::move(name), std::move(value), std::move(origin)});
}

const MeasuredValue* MetricSet::find(std::string_view name) const {
  for (const MeasuredValue& value : values_)
    if (value.name == name) return &value;
  return nullptr;
}

std::optional<double> MetricSet::get(std::string_view name) const {
  const MeasuredValue* value = find(name);
  return value ? std::optional(value->value) : std::nullopt;
}

std::optional<std::string> MetricSet::fact(std::string_view name) const {
  for (const MeasuredFact& known : facts_)
    if (known.name == name) return known.value;
  return std::nullopt;
}

Json MetricSet::to_json() const {
  Json values = Json::object(), facts = Json::object();
  for (const MeasuredValue& value : values_)
    values.set(value.name,
               Json::object(
                   {{"value", value.value}, {"unit", value.unit}, {"origin", value.origin}, {"n", value.n}}));
  for (const MeasuredFact& known : facts_)
    facts.set(known.name, Json::object({{"value", known.value}, {"origin", known.origin}}));
  return Json::object({{"values", std::move(values)}, {"facts", std::move(facts)}});
}

namespace {

// Three significant digits, no exponent and no trailing zeros in the range that people read; "12,345" stays
// "12345".
std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size >= 99.95 || std::fabs(value - std::round(value)) < 1e-9) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return size >= 0.9995 ? fmt::format("{:.2f}", value) : fmt::format("{:.2g}", value);
}

}  // namespace

std::string format_measure(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "?";
  if (unit == "%") {
    const double percent = value * 100;
    const bool fine = std::fabs(percent) < 9.95 && std::fabs(percent - std::round(percent)) > 0.05;
    return fmt::format("{:.{}f} %", percent, fine ? 1 : 0);
  }
  if (unit == "s") {
    if (std::fabs(value) >= 1e9) return "?";
    if (std::fabs(value) < 1e-3 && value != 0) return three_digits(value * 1e6) + " µs";
    if (std::fabs(value) < 1) return three_digits(value * 1e3) + " ms";
    return value < 100 ? three_digits(value) + " s" : format_duration(Duration::from_seconds(value));
  }
  if (unit == "B" || unit == "B/s") {
    if (std::fabs(value) >= 9e18) return "?";
    return format_bytes(Bytes{static_cast<std::int64_t>(std::llround(value))}) + (unit == "B" ? "" : "/s");
  }
  if (unit.empty() || unit == "1" || unit == "cores" || unit == "x")
    return three_digits(value) + (unit == "x" ? "×" : "");
  return fmt::format("{} {}", three_digits(value), unit);
}

}  // namespace forebay
