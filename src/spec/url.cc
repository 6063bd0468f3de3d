#include "spec/url.h"

#include <algorithm>
#include <cctype>

namespace forebay {

std::optional<std::string> url_scheme(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0 || end > 16) return std::nullopt;
  std::string scheme(text.substr(0, end));
  if (!std::all_of(scheme.begin(), scheme.end(),
                   [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-' || c == '.'; }))
    return std::nullopt;
  return scheme;
}

const std::vector<std::string_view>& known_url_schemes() {
  static const std::vector<std::string_view> schemes{"file", "s3",  "gs", "az",   "oss",
                                                     "cos",  "tos", "r2", "http", "https"};
  return schemes;
}

std::optional<std::string> local_path(std::string_view text) {
  const auto scheme = url_scheme(text);
  if (!scheme) return std::string(text);
  if (*scheme != "file") return std::nullopt;
  std::string_view rest = text.substr(7);
  if (!rest.starts_with('/')) return std::nullopt;
  return std::string(rest);
}

}  // namespace forebay
