#include "cost/bill.h"
namespace forebay {
Json Bill::to_json() const { return Json::object(); }
Bill Bill::from_json(const Json&) { return {}; }
Bill compute_bill(const RunRecord&, const std::optional<Money>&) { return {}; }
}
