#include "report/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace forebay {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;  // bytes it takes in the text
};

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";

// Decodes the code point that begins the text (not empty); malformed, overlong or surrogate: U+FFFD, one byte
// long.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || length > text.size()) return {kReplacement, 1};
  char32_t value = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {kReplacement, 1};
  return {value, length};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(char32_t value, const std::array<Range, N>& ranges) {
  const auto found = std::ranges::upper_bound(ranges, value, {}, &Range::first);
  return found != ranges.begin() && value <= (found - 1)->last;
}

// Wide and fullwidth characters (Unicode 15 EastAsianWidth.txt, W and F, neighbouring blocks merged) and
// emoji.
constexpr std::array<Range, 27> kWide{
    {{0x1100, 0x115F},   {0x231A, 0x231B},  {0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3},
     {0x25FD, 0x25FE},   {0x2614, 0x2615},  {0x2648, 0x2653}, {0x26A1, 0x26A1}, {0x2705, 0x2705},
     {0x270A, 0x270B},   {0x2728, 0x2728},  {0x274C, 0x274C}, {0x2753, 0x2755}, {0x2795, 0x2797},
     {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF}, {0x4E00, 0xA4CF}, {0xA960, 0xA97C},
     {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},  {0xFE30, 0xFE6B}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6},
     {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}}};
// Combining marks, joiners and variation selectors.
constexpr std::array<Range, 16> kZero{{{0x0300, 0x036F},
                                       {0x0483, 0x0489},
                                       {0x0591, 0x05BD},
                                       {0x0610, 0x061A},
                                       {0x064B, 0x065F},
                                       {0x0E31, 0x0E31},
                                       {0x0E34, 0x0E3A},
                                       {0x0E47, 0x0E4E},
                                       {0x1AB0, 0x1AFF},
                                       {0x1DC0, 0x1DFF},
                                       {0x200B, 0x200F},
                                       {0x2028, 0x202E},
                                       {0x2060, 0x206F},
                                       {0x20D0, 0x20FF},
                                       {0xFE00, 0xFE0F},
                                       {0xFE20, 0xFE2F}}};
// Invisible characters that turn the direction of text around or break lines.
constexpr std::array<Range, 5> kSteering{
    {{0x0080, 0x009F}, {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}}};

int width_of(char32_t value) {
  if (value < 0x20 || (value >= 0x7F && value < 0xA0)) return 0;
  if (value < 0x300) return 1;
  if (within(value, kZero)) return 0;
  return within(value, kWide) ? 2 : 1;
}

bool is_digit(char32_t value) {
  return value >= '0' && value <= '9';
}

// "318 ms": a number and its unit stay together.
bool binds(char32_t before_space, char32_t after_space) {
  return is_digit(before_space) &&
         (after_space == '%' || after_space == 0xB5 || (after_space >= 'A' && after_space <= 'z'));
}

bool is_han(char32_t value) {
  return value >= 0x2E80 && width_of(value) == 2 && value < 0x1F300;
}

// Punctuation that must not begin a line.
bool closes(char32_t value) {
  static constexpr std::u32string_view kClosing = U"，。、；：！？）》」』】〉”’%…,.;:!?)]}";
  return kClosing.find(value) != std::u32string_view::npos;
}
// Punctuation that must not end a line.
bool opens(char32_t value) {
  static constexpr std::u32string_view kOpening = U"（《「『【〈“‘([{";
  return kOpening.find(value) != std::u32string_view::npos;
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    width += width_of(point.value);
    text.remove_prefix(point.length);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (point.value == '\t' || point.value == '\n' || point.value == '\r') {
      if (point.value != '\r' || text.size() == 1 || text[1] != '\n') clean += ' ';
    } else if (point.value < 0x20 || point.value == 0x7F || point.value == kReplacement ||
               within(point.value, kSteering)) {
      clean += kReplacementBytes;
    } else {
      clean += text.substr(0, point.length);
    }
    text.remove_prefix(point.length);
  }
  return clean;
}

namespace {

// The longest beginning of at most `width` columns.
std::string_view beginning(std::string_view text, int width) {
  std::size_t end = 0;
  while (end < text.size()) {
    const CodePoint point = decode(text.substr(end));
    width -= width_of(point.value);
    if (width < 0) break;
    end += point.length;
  }
  return text.substr(0, end);
}

// The longest end of at most `width` columns.
std::string_view ending(std::string_view text, int width) {
  int surplus = display_width(text) - width;
  while (surplus > 0 && !text.empty()) {
    const CodePoint point = decode(text);
    surplus -= width_of(point.value);
    text.remove_prefix(point.length);
  }
  return text;
}

}  // namespace

std::string cut_to_width(std::string_view text, int width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = unicode ? "…" : "...";
  const int room = width - display_width(mark);
  if (room <= 0) return std::string(beginning(text, std::max(width, 0)));
  return std::string(beginning(text, room)).append(mark);
}

std::string cut_middle_to_width(std::string_view text, int width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = unicode ? "…" : "...";
  const int room = width - display_width(mark);
  if (room < 4) return cut_to_width(text, width, unicode);
  const int tail = room * 2 / 3;
  return std::string(beginning(text, room - tail)).append(mark).append(ending(text, tail));
}

std::string pad_right(std::string_view text, int width) {
  std::string padded(text);
  padded.append(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return padded;
}

std::string pad_left(std::string_view text, int width) {
  std::string padded(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return padded.append(text);
}

std::vector<std::string> wrap_to_width(std::string_view text, int width) {
  width = std::max(width, 2);
  std::vector<std::string> lines;
  std::string line;
  int used = 0;
  std::size_t break_at = 0;  // bytes of `line` that may stand alone: a break is allowed there; 0 = none
  char32_t before = 0, before_space = 0;
  const auto trimmed = [](std::string_view piece) {
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    return std::string(piece);
  };
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const std::string_view bytes = text.substr(0, point.length);
    text.remove_prefix(point.length);
    const bool at_space = before == ' ' && !binds(before_space, point.value);
    const bool between_han = before != 0 && before != ' ' && (is_han(before) || is_han(point.value)) &&
                             !closes(point.value) && !opens(before);
    const bool may_break = at_space || between_han;
    if (!line.empty() && may_break && point.value != ' ') break_at = line.size();
    if (used + width_of(point.value) > width && point.value != ' ') {
      std::string rest;
      if (break_at > 0) rest = line.substr(break_at);
      lines.push_back(trimmed(break_at > 0 ? line.substr(0, break_at) : line));
      line = std::move(rest);
      used = display_width(line);
      break_at = 0;
    }
    if (line.empty() && point.value == ' ' && !lines.empty()) continue;  // no space begins a continued line
    line += bytes;
    used += width_of(point.value);
    if (point.value == ' ') before_space = before;
    before = point.value;
  }
  if (!trimmed(line).empty() || lines.empty()) lines.push_back(trimmed(line));
  return lines;
}

}  // namespace forebay
