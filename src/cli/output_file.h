// Files that a person asked for by name (-o, --outcome-file).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

// Says what keeps a file from being written there, before the work that makes it: no such folder, a folder of
// that name, no permission. Writes nothing.
Result<void> check_output_file(const std::string& path);

// Whole or not at all. A link is followed, a device or a pipe (/dev/stdout) is written into and not replaced.
Result<void> write_output_file(const std::string& path, std::string_view content);

}  // namespace forebay
