// Small pictures made of characters: bars and sparklines.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace forebay {

// A bar of `width` columns, `share` (0..1, clamped) of it filled, in eighths of a column with unicode:
// "████▌░░░" / "####....".
std::string share_bar(double share, int width, bool unicode);
// One column per point of a series thinned to `width` columns (mean of each bucket), scaled from 0 to `top`
// (if not above 0: to the largest value). An absent value is a space: a gap, not zero.
std::string sparkline(const std::vector<std::optional<double>>& values, int width, double top, bool unicode);

}  // namespace forebay
