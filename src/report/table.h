// Listings (`ps`, `leases`, `outputs`): columns aligned by display width and cut so that no line is wider
// than the terminal.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"

namespace forebay {

struct TableColumn {
  std::string title;  // already translated
  bool align_right = false;
  bool may_shrink = false;  // give up width first, widest first, down to minimum_width
  bool cut_middle = false;  // cut "…" into the middle (paths) instead of the end
  int minimum_width = 8;
};

struct TableCell {
  std::string text;
  Tone tone = Tone::kPlain;
  TableCell() = default;
  TableCell(std::string text_, Tone tone_ = Tone::kPlain) : text(std::move(text_)), tone(tone_) {}
  TableCell(const char* text_) : text(text_) {}
};

// Header line and one line per row, each ended by '\n'. Cells are made printable (control characters
// replaced); missing cells are empty. When even the shrunk columns do not fit, trailing columns are dropped.
std::string format_table(const std::vector<TableColumn>& columns,
                         const std::vector<std::vector<TableCell>>& rows, const TerminalStyle& style);

}  // namespace forebay
