// Building the sentences of room spec: translated formats with numbered fields, and the reader's own text
// shown safely.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace forebay {

// fmt::format with a translated format; a translation with a wrong field shows itself instead of throwing.
template <typename... Arguments>
std::string say(std::string_view translated_format, const Arguments&... arguments) {
  try {
    return fmt::format(fmt::runtime(translated_format), arguments...);
  } catch (const fmt::format_error&) {
    return std::string(translated_format);
  }
}

// The text in double quotes, control characters escaped, at most 60 characters of it: nothing a file says can
// steer a terminal.
std::string shown(std::string_view text);
// "a, b or c" in the current language.
std::string listed_or(const std::vector<std::string>& words);

}  // namespace forebay
