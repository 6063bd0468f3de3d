// How a script of a job file is run.
#pragma once

#include <string>
#include <vector>

namespace forebay {

// {"bash", "-c", script} where bash is installed (people write bash), else {"sh", "-c", script}.
std::vector<std::string> shell_command(const std::string& script);

}  // namespace forebay
