#include "report/log_excerpt.h"

#include "report/text_width.h"

namespace forebay {
namespace {

// Length of the escape sequence that begins the text (ECMA-48: CSI … final byte, OSC … BEL or ST, else two
// bytes).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 1;
  std::size_t at = 2;
  if (text[1] == '[') {
    while (at < text.size() && (text[at] < 0x40 || text[at] > 0x7E) && text[at] >= 0x20) ++at;
    return at < text.size() && text[at] >= 0x40 ? at + 1 : at;
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {
    while (at < text.size() && text[at] != '\a' && text[at] != '\n') {
      if (text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '\\') return at + 2;
      ++at;
    }
    return at < text.size() && text[at] == '\a' ? at + 1 : at;
  }
  return 2;
}

std::string shown_line(std::string_view raw) {
  std::string line, overwritten;
  while (!raw.empty()) {
    if (raw[0] == '\x1b') {
      raw.remove_prefix(std::min(escape_length(raw), raw.size()));
      continue;
    }
    if (raw[0] == '\r') {
      if (!line.empty()) overwritten = std::move(line);
      line.clear();
    } else {
      line += raw[0];
    }
    raw.remove_prefix(1);
  }
  return cut_to_width(printable(line.empty() ? overwritten : line), 500);
}

}  // namespace

std::vector<std::string> log_excerpt(std::string_view bytes, std::size_t maximum) {
  std::vector<std::string> lines;  // the last one first
  while (bytes.ends_with('\n')) bytes.remove_suffix(1);
  while (!bytes.empty() && lines.size() < maximum) {
    const std::size_t end = bytes.rfind('\n');
    const std::string_view raw = end == std::string_view::npos ? bytes : bytes.substr(end + 1);
    // Of a line of any length only its end can matter: a progress bar that was redrawn a million times.
    lines.push_back(shown_line(raw.substr(raw.size() > 8192 ? raw.size() - 8192 : 0)));
    bytes = end == std::string_view::npos ? std::string_view() : bytes.substr(0, end);
  }
  return {lines.rbegin(), lines.rend()};
}

}  // namespace forebay
