// Building the sentences of room spec: translated formats with numbered fields, and the reader's own text
// shown safely.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace forebay {

// fmt::format with a translated format; a translation with a wrong field shows itself instead of throwing.
std::string say_with(std::string_view translated_format, fmt::format_args arguments);
template <typename... Arguments>
std::string say(std::string_view translated_format, const Arguments&... arguments) {
  return say_with(translated_format, fmt::make_format_args(arguments...));
}

// Marks a text for the catalogue where it is written down but not yet shown; tr() follows where it is.
constexpr std::string_view tr_later(std::string_view text) {
  return text;
}

// Control characters as \n, \t and \x1b: nothing a file says can steer a terminal.
std::string escaped(std::string_view text);
// The text in double quotes, control characters escaped, at most 60 characters of it: nothing a file says can
// steer a terminal.
std::string shown(std::string_view text);
// "a, b, c".
std::string joined(const std::vector<std::string>& words);
std::string joined(const std::vector<std::string_view>& words);
// "a, b or c" in the current language.
std::string listed_or(const std::vector<std::string>& words);

}  // namespace forebay
