#include "telemetry/line_splitter.h"

namespace forebay {

// ECMA-48: ESC [ … final byte; ESC ] … BEL or ESC \; other sequences are ESC and one byte. True when `c`
// belongs to one.
bool LineSplitter::in_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  switch (escape_) {
    case Escape::kNone:
      if (byte != 0x1b) return false;
      escape_ = Escape::kBegun;
      return true;
    case Escape::kBegun:
      escape_ = c == '[' ? Escape::kControl : c == ']' ? Escape::kString : Escape::kNone;
      return true;
    case Escape::kControl:
      if (byte >= 0x40 && byte <= 0x7e) escape_ = Escape::kNone;
      return true;
    case Escape::kString:
      if (byte == 0x07) escape_ = Escape::kNone;
      if (byte == 0x1b) escape_ = Escape::kStringEscape;
      return true;
    case Escape::kStringEscape:
      escape_ = Escape::kNone;
      return true;
  }
  return false;
}

void LineSplitter::end_line(const Sink& sink) {
  if (!line_.empty()) sink(line_);
  line_.clear();
}

void LineSplitter::add(std::string_view bytes, const Sink& sink) {
  while (!bytes.empty()) {
    // Ordinary text goes over in one piece.
    if (escape_ == Escape::kNone) {
      const std::size_t end = std::min(bytes.find_first_of("\n\r\x1b"), bytes.size());
      const std::size_t room = kLongest - line_.size();
      line_.append(bytes.substr(0, std::min(end, room)));
      bytes.remove_prefix(end);
      if (bytes.empty()) return;
    }
    const char c = bytes.front();
    bytes.remove_prefix(1);
    if (c == '\n' || c == '\r') {  // also ends a sequence that never would
      escape_ = Escape::kNone;
      end_line(sink);
    } else {
      in_escape(c);
    }
  }
}

void LineSplitter::flush(const Sink& sink) {
  escape_ = Escape::kNone;
  end_line(sink);
}

void LineSplitter::hole() {
  escape_ = Escape::kNone;
  line_.clear();
}

}  // namespace forebay
