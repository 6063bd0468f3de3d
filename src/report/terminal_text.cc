#include "report/terminal_text.h"

#include <algorithm>

#include "report/text_width.h"

namespace forebay {

TerminalText::TerminalText(const TerminalStyle& style) : style_(style), width_(std::max(style.width, 40)) {}

void TerminalText::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

void TerminalText::heading(std::string_view title, std::string_view right) {
  blank();
  const std::string left = cut_to_width(printable(title), width_, style_.unicode);
  const std::string side = printable(right);
  const int gap = width_ - display_width(left) - display_width(side);
  if (side.empty()) {
    line({{left, Tone::kStrong}});
  } else if (gap >= 2) {
    line({{left, Tone::kStrong}, {std::string(static_cast<std::size_t>(gap), ' ')}, {side, Tone::kDim}});
  } else {
    line({{left, Tone::kStrong}});
    paragraph(2, "", Tone::kPlain, side, Tone::kDim);
  }
}

void TerminalText::paragraph(int indent, std::string_view mark, Tone mark_tone, std::string_view text, Tone tone) {
  const int hang = indent + display_width(mark) + (mark.empty() ? 0 : 1);
  bool first = true;
  for (const std::string& piece : wrap_to_width(printable(text), width_ - hang)) {
    const std::string lead(static_cast<std::size_t>(first ? indent : hang), ' ');
    text_ += lead;
    if (first && !mark.empty()) text_ += paint(mark, mark_tone, style_) + " ";
    text_ += paint(piece, tone, style_) + "\n";
    first = false;
  }
}

void TerminalText::labelled(std::string_view label, int label_width, std::string_view text, Tone tone) {
  bool first = true;
  for (const std::string& piece : wrap_to_width(printable(text), width_ - label_width - 4)) {
    const std::string left = first ? pad_right(printable(label), label_width) : std::string(static_cast<std::size_t>(label_width), ' ');
    text_ += "  " + paint(left, Tone::kDim, style_) + "  " + paint(piece, tone, style_) + "\n";
    first = false;
  }
}

void TerminalText::line(const std::vector<Piece>& pieces) {
  int used = 0;
  for (const Piece& piece : pieces) {
    const std::string clean = cut_to_width(printable(piece.text), width_ - used, style_.unicode);
    used += display_width(clean);
    text_ += paint(clean, piece.tone, style_);
  }
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

}  // namespace forebay
