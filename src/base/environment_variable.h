// The only place that reads the process environment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace forebay {

std::optional<std::string> environment_variable(const std::string& name);
// The whole environment of this process.
std::map<std::string, std::string> current_environment();
// "NAME=value" strings for execve.
std::vector<std::string> environment_block(const std::map<std::string, std::string>& variables);

}  // namespace forebay
