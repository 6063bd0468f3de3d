// Walks over text of /proc and /sys without allocating. Never reads past the end, whatever the text holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace forebay {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  void skip_blanks() {
    std::size_t i = 0;
    while (i < rest_.size() && (rest_[i] == ' ' || rest_[i] == '\t')) ++i;
    rest_.remove_prefix(i);
  }

  // The next run of decimal digits after blanks; nothing when there is none or it does not fit 64 bits.
  std::optional<std::uint64_t> number() {
    skip_blanks();
    std::uint64_t value = 0;
    std::size_t i = 0;
    for (; i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9'; ++i) {
      const auto digit = static_cast<std::uint64_t>(rest_[i] - '0');
      if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
      value = value * 10 + digit;
    }
    if (i == 0) return std::nullopt;
    rest_.remove_prefix(i);
    return value;
  }

  // The next run of anything but blanks and line ends; empty at the end of the line.
  std::string_view word() {
    skip_blanks();
    std::size_t i = 0;
    while (i < rest_.size() && rest_[i] != ' ' && rest_[i] != '\t' && rest_[i] != '\n') ++i;
    const std::string_view found = rest_.substr(0, i);
    rest_.remove_prefix(i);
    return found;
  }

  bool skip_words(int count) {
    for (; count > 0; --count)
      if (word().empty()) return false;
    return true;
  }

  // The text up to the end of the line, which is consumed with its newline.
  std::string_view line() {
    const std::size_t end = rest_.find('\n');
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return found;
  }

 private:
  std::string_view rest_;
};

// A whole text that is one decimal number, blanks and a newline around it allowed.
inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  TextCursor cursor(text);
  const auto value = cursor.number();
  if (!value || (!cursor.word().empty())) return std::nullopt;
  return value;
}

}  // namespace forebay
