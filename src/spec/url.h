// The little that room spec knows about URLs: their schemes, and which of them are paths of this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// "s3" of "s3://photos/train"; nothing for a path.
std::optional<std::string> url_scheme(std::string_view text);
const std::vector<std::string_view>& known_url_schemes();
// The path of "file:///data" or of a plain path; nothing for any other URL.
std::optional<std::string> local_path(std::string_view text);

}  // namespace forebay
