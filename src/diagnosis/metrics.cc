#include "diagnosis/metrics.h"
namespace forebay {
MetricSet summarise(const RunRecord&) { return {}; }
void MetricSet::add(std::string, double, std::string, std::string, std::int64_t) {}
void MetricSet::add_fact(std::string, std::string, std::string) {}
const MeasuredValue* MetricSet::find(std::string_view) const { return nullptr; }
std::optional<double> MetricSet::get(std::string_view) const { return {}; }
std::optional<std::string> MetricSet::fact(std::string_view) const { return {}; }
Json MetricSet::to_json() const { return Json::object(); }
const std::vector<MetricDescription>& metric_descriptions() { static const std::vector<MetricDescription> none; return none; }
std::string_view metric_meaning(std::string_view name) { return name; }
std::string format_measure(double value, std::string_view unit) { return std::to_string(value) + " " + std::string(unit); }
}
