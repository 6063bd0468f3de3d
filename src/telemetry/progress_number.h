// Numbers as people print them in logs.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace forebay {

// The number at the very front of `text` (sign, decimals, exponent, nan, inf) and how many bytes it takes;
// `length` 0 = none.
struct PrintedNumber {
  double value = 0;
  std::size_t length = 0;
};
PrintedNumber read_printed_number(std::string_view text);

// "00:12", "1:02:03", "1 day, 0:00:01" is not read; seconds. Nothing unless the text begins with such a
// clock.
std::optional<double> read_printed_clock(std::string_view text, std::size_t& length);

}  // namespace forebay
