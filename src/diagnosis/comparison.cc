#include "diagnosis/comparison.h"
namespace forebay {
std::string_view change_name(Change) {
  return "unknown";
}
std::string_view prediction_verdict_name(PredictionVerdict) {
  return "not-comparable";
}
Json Comparison::to_json() const {
  return Json::object();
}
Comparison compare(const RunRecord& a, const RunRecord& b) {
  Comparison c;
  c.run_a = a.id;
  c.run_b = b.id;
  return c;
}
}  // namespace forebay
