#include "spec/schema_text.h"

namespace forebay {
namespace {

struct Character {
  std::string_view bytes;
  char32_t code = 0;
};

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length > text.size()) length = 1;
  char32_t code = length == 1 ? byte(0) : byte(0) & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return {text.substr(0, length), code};
}

bool is_wide(char32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) || code >= 0x20000;
}

// Punctuation that must not begin a line.
bool clings(char32_t code) {
  return std::u32string_view(U"，。、；：！？）》」』”’").find(code) != std::u32string_view::npos;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const Character character = next_character(text);
    count += is_wide(character.code) ? 2 : 1;
    text.remove_prefix(character.bytes.size());
  }
  return count;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::string margin(indent, ' ');
  std::string out, line, piece;
  const auto flush_line = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) out += margin + line + "\n";
    line.clear();
  };
  const auto flush_piece = [&] {
    std::string_view visible = piece;
    while (visible.ends_with(' ')) visible.remove_suffix(1);
    if (!line.empty() && indent + columns(line) + columns(visible) > width) flush_line();
    line += piece;
    piece.clear();
  };
  while (!text.empty()) {
    const Character character = next_character(text);
    text.remove_prefix(character.bytes.size());
    if (is_wide(character.code) && !clings(character.code)) flush_piece();
    piece += character.bytes;
    const bool next_clings = !text.empty() && clings(next_character(text).code);
    if ((character.bytes == " " || is_wide(character.code)) && !next_clings) flush_piece();
  }
  flush_piece();
  flush_line();
  return out;
}

}  // namespace forebay
