// Building the lines of a terminal report: headings, paragraphs, labelled lines; nothing gets wider than the
// style's width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/style.h"

namespace forebay {

class TerminalText {
 public:
  explicit TerminalText(const TerminalStyle& style);

  int width() const { return width_; }
  const TerminalStyle& style() const { return style_; }
  // "·" or "-", "→" or "->": by the style.
  std::string_view bullet() const { return style_.unicode ? "·" : "-"; }
  std::string_view arrow() const { return style_.unicode ? "→" : "->"; }

  void blank();
  // A blank line before, the title strong, `right` dim at the right edge (on a line of its own if it does not
  // fit).
  void heading(std::string_view title, std::string_view right = {});
  // `text` wrapped; the first line begins with `mark` (in its own tone), the others are indented as far.
  void paragraph(int indent, std::string_view mark, Tone mark_tone, std::string_view text,
                 Tone tone = Tone::kPlain);
  // A label in a column of `label_width`, then text wrapped beside it.
  void labelled(std::string_view label, int label_width, std::string_view text, Tone tone = Tone::kPlain);
  // One line made of pieces, cut at the width.
  struct Piece {
    std::string text;
    Tone tone = Tone::kPlain;
  };
  void line(const std::vector<Piece>& pieces);

  // Lines made elsewhere (a table), as they are.
  void raw(std::string_view lines) { text_ += lines; }

  std::string take() { return std::move(text_); }

 private:
  std::string clean(std::string_view text) const;
  TerminalStyle style_;
  int width_;
  std::string text_;
};

}  // namespace forebay
