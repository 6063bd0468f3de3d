// --isolate: an environment of the run's own, resolved and locked with uv, kept in the cache under the hash
// of its lock.
#pragma once

#include <string>

#include "base/result.h"
#include "environment/plan.h"
#include "environment/project_files.h"

namespace forebay {

// Adds to the plan the command that builds the environment (or nothing but where it lies, when it is there
// already). The build's specification is written to request.record_folder/environment-build.json.
Result<void> plan_isolated(const EnvironmentRequest& request, const ProjectFiles& files,
                           EnvironmentPlan& plan);

// Reads what the build says (plan.isolated_result) and points the job at it.
Result<void> finish_isolated(const EnvironmentRequest& request, EnvironmentPlan& plan);

}  // namespace forebay
