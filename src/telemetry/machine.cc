#include "telemetry/machine.h"

namespace forebay {

Json describe_machine(const MachineSources&) { return Json::object(); }

}  // namespace forebay
