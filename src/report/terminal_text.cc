#include "report/terminal_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "report/text_width.h"

namespace forebay {
namespace {

// The signs that reports use, for terminals without Unicode; words of a language stay as they are.
std::string without_signs(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSigns{
      {{"×", "x"}, {"→", "->"}, {"·", "-"}, {"…", "..."}, {"µ", "u"}, {"–", "-"}, {"÷", "/"}}};
  for (const auto& [sign, plain] : kSigns)
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + plain.size()))
      text.replace(at, sign.size(), plain);
  return text;
}

}  // namespace

std::string TerminalText::clean(std::string_view text) const {
  return style_.unicode ? printable(text) : without_signs(printable(text));
}

TerminalText::TerminalText(const TerminalStyle& style) : style_(style), width_(std::max(style.width, 40)) {}

void TerminalText::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

void TerminalText::heading(std::string_view title, std::string_view right) {
  blank();
  const std::string left = cut_to_width(clean(title), width_, style_.unicode);
  const std::string side = clean(right);
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

void TerminalText::paragraph(int indent, std::string_view mark, Tone mark_tone, std::string_view text,
                             Tone tone) {
  const int hang = indent + display_width(mark) + (mark.empty() ? 0 : 1);
  bool first = true;
  for (const std::string& piece : wrap_to_width(clean(text), width_ - hang)) {
    const std::string lead(static_cast<std::size_t>(first ? indent : hang), ' ');
    text_ += lead;
    if (first && !mark.empty()) text_ += paint(mark, mark_tone, style_) + " ";
    text_ += paint(piece, tone, style_) + "\n";
    first = false;
  }
}

void TerminalText::labelled(std::string_view label, int label_width, std::string_view text, Tone tone) {
  bool first = true;
  for (const std::string& piece : wrap_to_width(clean(text), width_ - label_width - 4)) {
    const std::string left = first ? pad_right(clean(label), label_width)
                                   : std::string(static_cast<std::size_t>(label_width), ' ');
    text_ += "  " + paint(left, Tone::kDim, style_) + "  " + paint(piece, tone, style_) + "\n";
    first = false;
  }
}

void TerminalText::line(const std::vector<Piece>& pieces) {
  int used = 0;
  for (const Piece& piece : pieces) {
    const std::string cut = cut_to_width(clean(piece.text), width_ - used, style_.unicode);
    used += display_width(cut);
    text_ += paint(cut, piece.tone, style_);
  }
  while (text_.ends_with(' ')) text_.pop_back();
  text_ += '\n';
}

}  // namespace forebay
