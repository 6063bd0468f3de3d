// Whole numbers from text, with their errors.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace forebay {

// The number that `text` begins with; `rest` (if given) gets what follows. Nothing when there is none or it
// does not fit.
inline std::optional<std::int64_t> leading_integer(std::string_view text, std::string_view* rest = nullptr) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  if (rest != nullptr) *rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The whole text as a number; nothing when anything else is in it.
inline std::optional<std::int64_t> whole_integer(std::string_view text) {
  std::string_view rest;
  const auto value = leading_integer(text, &rest);
  return rest.empty() ? value : std::nullopt;
}

}  // namespace forebay
