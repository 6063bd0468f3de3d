#include "environment/isolate.h"

namespace forebay {
Result<void> plan_isolated(const EnvironmentRequest&, const ProjectFiles&, EnvironmentPlan&) {
  return make_error(ErrorCode::kUnsupported, "isolate", "the run", "it is not built yet");
}
Result<void> finish_isolated(const EnvironmentRequest&, EnvironmentPlan&) { return {}; }
}  // namespace forebay
