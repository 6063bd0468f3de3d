// The last lines of a job's output as plain text: what a terminal would show, without its control sequences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// At most `maximum` lines of at most 500 columns from the end of `bytes` (a first line that was cut off is
// dropped when lines are left out). Escape sequences are removed, a carriage return starts its line anew,
// everything else is made printable.
std::vector<std::string> log_excerpt(std::string_view bytes, std::size_t maximum);

}  // namespace forebay
