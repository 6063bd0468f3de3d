// The environment of a run, as it is recorded: interpreter, version, every distribution, variables that
// matter, what is missing.
#pragma once

#include <string>

#include "base/json.h"
#include "base/units.h"
#include "environment/plan.h"

namespace forebay {

// Completes plan.description: runs the bundled probe with the job's own interpreter (a child process in a
// session of its own, killed at the deadline, reaped with waitpid on its pid) and returns the whole
// environment.json. Made to run on any thread beside the started job. When the probe fails or the job uses no
// Python, the description says so; it never fails. Adds its remarks ("remarks" in the JSON): requirements
// that are not met, imports that are not installed.
Json describe_environment(const EnvironmentRequest& request, const EnvironmentPlan& plan, Duration deadline);

}  // namespace forebay
