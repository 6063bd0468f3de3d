#include "environment/plan.h"

namespace forebay {
Json Remark::to_json() const { return Json::object({{"code", code}, {"sentence", sentence}, {"details", details}}); }
Result<EnvironmentPlan> plan_environment(const EnvironmentRequest& request) {
  EnvironmentPlan plan;
  plan.variables = request.variables;
  return plan;
}
Result<void> finish_plan(const EnvironmentRequest&, EnvironmentPlan&) { return {}; }
std::map<std::string, std::string> apply_plan(const std::map<std::string, std::string>& base, const EnvironmentPlan& plan) {
  auto result = base;
  for (const auto& name : plan.unset) result.erase(name);
  for (const auto& [name, value] : plan.variables) result[name] = value;
  for (const auto& [name, value] : plan.secrets) result[name] = value;
  return result;
}
}  // namespace forebay
