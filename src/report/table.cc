#include "report/table.h"

#include <algorithm>

#include "report/text_width.h"

namespace forebay {
namespace {

constexpr int kGap = 2;  // columns of space between two columns

int total_width(const std::vector<int>& widths, std::size_t count) {
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += widths[i] + (i > 0 ? kGap : 0);
  return sum;
}

// Takes columns from the widest shrinkable one until the first `count` fit; false when they cannot.
bool shrink(const std::vector<TableColumn>& columns, std::vector<int>& widths, std::size_t count,
            int available) {
  for (int surplus = total_width(widths, count) - available; surplus > 0; --surplus) {
    std::size_t widest = count;
    for (std::size_t i = 0; i < count; ++i) {
      const bool can = columns[i].may_shrink && widths[i] > std::max(columns[i].minimum_width, 1);
      if (can && (widest == count || widths[i] > widths[widest])) widest = i;
    }
    if (widest == count) return false;
    --widths[widest];
  }
  return true;
}

std::string fit(const TableColumn& column, const std::string& text, int width, bool is_last, bool unicode) {
  const std::string cut =
      column.cut_middle ? cut_middle_to_width(text, width, unicode) : cut_to_width(text, width, unicode);
  if (column.align_right) return pad_left(cut, width);
  return is_last ? cut : pad_right(cut, width);
}

}  // namespace

std::string format_table(const std::vector<TableColumn>& columns,
                         const std::vector<std::vector<TableCell>>& rows, const TerminalStyle& style) {
  std::vector<int> widths;
  for (const TableColumn& column : columns) widths.push_back(display_width(column.title));
  std::vector<std::vector<TableCell>> cells = rows;
  for (auto& row : cells) {
    row.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[i].text = printable(row[i].text);
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  std::size_t count = columns.size();
  const std::vector<int> wanted = widths;
  while (count > 1 && !shrink(columns, widths, count, style.width)) {
    widths = wanted;
    --count;
  }
  if (count == 1) widths[0] = std::min(widths[0], style.width);

  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text.append(kGap, ' ');
      const TableCell cell = cell_of(i);
      text += paint(fit(columns[i], cell.text, widths[i], i + 1 == count, style.unicode), cell.tone, style);
    }
    text += '\n';
  };
  add_line([&](std::size_t i) { return TableCell(columns[i].title, Tone::kDim); });
  for (const auto& row : cells) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace forebay
