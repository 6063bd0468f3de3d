#include "telemetry/progress_number.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace forebay {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  return text.size() == word.size() || !(lower(text[word.size()]) >= 'a' && lower(text[word.size()]) <= 'z');
}

}  // namespace

PrintedNumber read_printed_number(std::string_view text) {
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  const std::string_view rest = text.substr(at);
  if (begins_with_word(rest, "nan")) return {std::numeric_limits<double>::quiet_NaN(), at + 3};
  for (const std::string_view word : {std::string_view("infinity"), std::string_view("inf")})
    if (begins_with_word(rest, word)) return {negative ? -HUGE_VAL : HUGE_VAL, at + word.size()};
  std::size_t end = 0;
  while (end < rest.size() && is_digit(rest[end])) ++end;
  if (end == 0 && !(rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]))) return {};
  if (end < rest.size() && rest[end] == '.') {
    ++end;
    while (end < rest.size() && is_digit(rest[end])) ++end;
  }
  if (end + 1 < rest.size() && lower(rest[end]) == 'e') {
    std::size_t exponent = end + 1;
    if (rest[exponent] == '-' || rest[exponent] == '+') ++exponent;
    if (exponent < rest.size() && is_digit(rest[exponent])) {
      end = exponent;
      while (end < rest.size() && is_digit(rest[end])) ++end;
    }
  }
  if (end > 64) return {};
  double value = 0;
  const auto [stop, failed] = std::from_chars(rest.data(), rest.data() + end, value);
  if (failed != std::errc() || stop == rest.data()) return {};
  return {negative ? -value : value, at + static_cast<std::size_t>(stop - rest.data())};
}

std::optional<double> read_printed_clock(std::string_view text, std::size_t& length) {
  double seconds = 0;
  int parts = 0;
  std::size_t at = 0;
  while (parts < 3) {
    std::size_t end = at;
    std::uint64_t value = 0;
    while (end < text.size() && is_digit(text[end]) && end - at < 6)
      value = value * 10 + static_cast<std::uint64_t>(text[end++] - '0');
    if (end == at) return std::nullopt;
    seconds = seconds * 60 + static_cast<double>(value);
    ++parts;
    at = end;
    if (parts < 3 && at + 1 < text.size() && text[at] == ':' && is_digit(text[at + 1]))
      ++at;
    else
      break;
  }
  if (parts < 2) return std::nullopt;
  length = at;
  return seconds;
}

}  // namespace forebay
