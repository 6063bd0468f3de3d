// environment.yml: its pip part is used, its conda part refused by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace forebay {

struct CondaFile {
  std::optional<std::string> python_version;  // of "python=3.11"
  std::vector<std::string> pip;               // requirement lines
  std::vector<std::string> conda_packages;    // everything else, as written
};

// Hostile input: at most 1 MiB; kInvalidInput with the line where the YAML is wrong.
Result<CondaFile> parse_conda_file(const std::string& text, const std::string& name);

}  // namespace forebay
