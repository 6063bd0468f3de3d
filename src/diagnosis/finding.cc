#include "diagnosis/finding.h"
namespace forebay {
std::string_view confidence_name(Confidence) { return "low"; }
std::string_view finding_kind_name(FindingKind) { return "time"; }
std::string_view verdict_name(Verdict) { return "not-enough-evidence"; }
std::optional<Gain> Finding::gain() const { return {}; }
Json Finding::to_json() const { return Json::object(); }
Finding Finding::from_json(const Json&) { return {}; }
Json Diagnosis::to_json() const { return Json::object(); }
Diagnosis Diagnosis::from_json(const Json&) { return {}; }
Diagnosis diagnose(const RunRecord&, const MetricSet&) { return {}; }
}
