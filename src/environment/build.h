// Builds an isolated environment: the body of the hidden verb `forebay environment-build FILE`, which
// plan.commands name.
#pragma once

#include <string>

namespace forebay {

// `specification` is the JSON file that plan_environment wrote. Finds or installs uv, resolves and locks,
// builds into the cache under a file lock, writes the result file. Progress goes to standard error. Returns
// the exit code (0 = ready). Safe to kill at any moment: an environment counts only once its ready-marker is
// there.
int build_environment(const std::string& specification);

}  // namespace forebay
