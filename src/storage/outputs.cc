#include "storage/outputs.h"

namespace forebay {
bool OutputsReport::is_complete() const { return true; }
Json OutputsReport::to_json() const { return Json::object(); }
OutputsReport copy_outputs(const std::vector<OutputRequest>&, const OutputSettings&) { return {}; }
std::vector<Error> check_outputs(const std::vector<OutputRequest>&, const OutputSettings&) { return {}; }
}  // namespace forebay
