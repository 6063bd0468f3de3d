#include "base/csv.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

// Cuts a text into records. A quoted field is unescaped in place, so that cells stay views of the text.
class CsvReader {
 public:
  explicit CsvReader(std::vector<char>& text) : at_(text.data()), end_(text.data() + text.size()) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (std::string_view(at_, text.size()).starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
  }

  std::size_t line() const { return record_line_; }

  // The next record's fields; false at the end of the text or after an error (see `problem`).
  bool next(std::vector<std::string_view>& fields) {
    fields.clear();
    skip_what_is_no_record();
    if (at_ == end_) return false;
    record_line_ = line_;
    do {
      if (!read_field(fields)) return false;
    } while (at_ != end_ && *at_ == ',' && ++at_ != nullptr);
    end_line();
    return true;
  }
  std::string_view problem() const { return problem_; }

 private:
  void end_line() {
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ != end_ && *at_ == '\n') ++at_;
    ++line_;
  }
  bool is_at_line_end() const { return *at_ == '\n' || (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n'); }
  void skip_what_is_no_record() {
    while (at_ != end_ && (*at_ == '#' || is_at_line_end())) {
      while (at_ != end_ && !is_at_line_end()) ++at_;
      if (at_ != end_) end_line();
    }
  }
  bool read_field(std::vector<std::string_view>& fields) {
    if (at_ != end_ && *at_ == '"') return read_quoted(fields);
    char* const begin = at_;
    while (at_ != end_ && *at_ != ',' && !is_at_line_end()) ++at_;
    fields.emplace_back(begin, at_);
    return true;
  }
  bool read_quoted(std::vector<std::string_view>& fields) {
    char* const begin = ++at_;
    char* to = begin;
    for (;; ++at_) {
      if (at_ == end_) return fail("a quoted field has no end");
      if (*at_ == '"' && ++at_ != end_ && *at_ != '"') break;
      if (at_ == end_) break;
      if (*at_ == '\n') ++line_;
      *to++ = *at_;
    }
    fields.emplace_back(begin, to);
    return at_ == end_ || *at_ == ',' || is_at_line_end() || fail("text follows a quoted field");
  }
  bool fail(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  char* at_;
  char* end_;
  std::size_t line_ = 1, record_line_ = 1;
  std::string_view problem_;
};

}  // namespace

Result<CsvTable> CsvTable::parse(std::string text, std::string name) {
  CsvTable table;
  table.name_ = std::move(name);
  table.text_.assign(text.begin(), text.end());
  CsvReader reader(table.text_);
  const auto fail = [&](std::string cause) {
    return make_error(ErrorCode::kInvalidInput, "read", fmt::format("{}:{}", table.name_, reader.line()),
                      std::move(cause));
  };
  if (!reader.next(table.columns_)) {
    if (!reader.problem().empty()) return fail(std::string(reader.problem()));
    return make_error(ErrorCode::kInvalidInput, "read", table.name_, "it is empty: a header line is missing");
  }
  std::vector<std::string_view> fields;
  while (reader.next(fields)) {
    if (fields.size() != table.columns_.size())
      return fail(
          fmt::format("it has {} fields where the header has {}", fields.size(), table.columns_.size()));
    table.cells_.insert(table.cells_.end(), fields.begin(), fields.end());
    table.lines_.push_back(reader.line());
  }
  if (!reader.problem().empty()) return fail(std::string(reader.problem()));
  return table;
}

Result<std::size_t> CsvTable::column(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == name) return i;
  return make_error(ErrorCode::kInvalidInput, "read", name_, fmt::format("it has no column \"{}\"", name),
                    fmt::format("Its columns are: {}.", fmt::join(columns_, ", ")));
}

Result<std::optional<double>> CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = cell(row, column);
  if (text.empty()) return std::optional<double>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return make_error(ErrorCode::kInvalidInput, "read", place(row),
                      fmt::format("\"{}\" in column {} is not a number", text, columns_[column]));
  return std::optional(value);
}

std::string CsvTable::place(std::size_t row) const {
  return fmt::format("{}:{}", name_, lines_[row]);
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos && !text.starts_with('#'))
    return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace forebay
