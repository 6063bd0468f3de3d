#include "environment/describe.h"

namespace forebay {
Json describe_environment(const EnvironmentRequest&, const EnvironmentPlan& plan, Duration) { return plan.description; }
}  // namespace forebay
