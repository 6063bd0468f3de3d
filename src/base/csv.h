// Comma-separated tables (RFC 4180) with a header line: knowledge under data/ and what services hand out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace forebay {

// A whole table in memory. Quoted fields may hold commas, quotes ("" is one) and line ends. Lines that begin
// with '#' and empty lines are skipped. Line ends may be CRLF; a byte order mark is skipped. Every row has as
// many fields as the header. Rows are views into the table's own text: a CsvTable can be moved, not copied.
class CsvTable {
 public:
  // `name` is the file in error sentences ("NAME:LINE").
  static Result<CsvTable> parse(std::string text, std::string name);
  CsvTable(CsvTable&&) noexcept = default;
  CsvTable& operator=(CsvTable&&) noexcept = default;
  CsvTable(const CsvTable&) = delete;
  CsvTable& operator=(const CsvTable&) = delete;

  const std::vector<std::string_view>& columns() const { return columns_; }
  std::size_t rows() const { return lines_.size(); }
  // The column of this name; an error that names the nearest one there is.
  Result<std::size_t> column(std::string_view name) const;
  std::string_view cell(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  // The number in the cell; nothing when the cell is empty; an error with its place when it is not a number.
  Result<std::optional<double>> number(std::size_t row, std::size_t column) const;
  // "NAME:LINE" of a row.
  std::string place(std::size_t row) const;

 private:
  CsvTable() = default;
  std::vector<char> text_;  // stays where it is when the table moves
  std::string name_;
  std::vector<std::string_view> columns_, cells_;
  std::vector<std::size_t> lines_;
};

// The text as one cell: in quotes where it holds commas, quotes or line ends, or would read as a comment.
std::string csv_cell(std::string_view text);

}  // namespace forebay
