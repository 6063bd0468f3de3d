// Laying out text on a terminal: display columns (Chinese takes two, combining marks none), cutting, padding,
// wrapping. All functions accept any bytes: invalid UTF-8 counts as U+FFFD.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// Columns the text takes. Control characters count as none (see printable()).
int display_width(std::string_view text);
// Text that cannot steer a terminal or break a line: control characters (C0, C1, DEL), bidirectional
// overrides and invalid UTF-8 become U+FFFD, tabs and line ends become one space. For everything that comes
// from a run.
std::string printable(std::string_view text);
// At most `width` columns; a cut text ends in "…" ("..." where unicode is false).
std::string cut_to_width(std::string_view text, int width, bool unicode = true);
// As cut_to_width, but drops the middle: for paths, whose end matters.
std::string cut_middle_to_width(std::string_view text, int width, bool unicode = true);
// Padded with spaces on the right (or left) to `width` columns; longer text is left as it is.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);
// Lines of at most `width` columns, broken at spaces and between Chinese characters (never before closing
// punctuation); a longer word is broken anywhere. Never empty.
std::vector<std::string> wrap_to_width(std::string_view text, int width);

}  // namespace forebay
