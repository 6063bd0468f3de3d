// Files carried inside the binary: knowledge (data/…), message catalogues (po/…), page templates
// (src/report/page/…).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace forebay {

// The content (of a YAML file: the same as JSON) by its path relative to the source root
// ("data/rules/stalls.yaml"); lives as long as the program.
std::optional<std::string_view> embedded_file(std::string_view path);
// Paths that begin with `prefix`, in the order of the build.
std::vector<std::string_view> embedded_files(std::string_view prefix);

}  // namespace forebay
