#include "base/environment_variable.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace forebay {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::map<std::string, std::string> current_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      variables.emplace(std::string(*entry, static_cast<std::size_t>(equals - *entry)), equals + 1);
  }
  return variables;
}

std::vector<std::string> environment_block(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> block;
  block.reserve(variables.size());
  for (const auto& [name, value] : variables) block.push_back(name + "=" + value);
  return block;
}

}  // namespace forebay
