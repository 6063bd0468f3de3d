#include "report/bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace forebay {
namespace {
constexpr std::array<std::string_view, 9> kLeftBlocks{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 8> kLowerBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kPlainLevels = "_.-=+*%#";

// Means of `width` equal buckets; a bucket without any value stays absent.
std::vector<std::optional<double>> buckets(const std::vector<std::optional<double>>& values,
                                           std::size_t width) {
  if (values.size() <= width) return values;
  std::vector<std::optional<double>> means(width);
  for (std::size_t column = 0; column < width; ++column) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = column * values.size() / width; i < (column + 1) * values.size() / width; ++i) {
      if (!values[i] || !std::isfinite(*values[i])) continue;
      sum += *values[i];
      ++count;
    }
    if (count > 0) means[column] = sum / count;
  }
  return means;
}
}  // namespace

std::string share_bar(double share, int width, bool unicode) {
  if (width <= 0) return {};
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  std::string bar;
  if (!unicode) {
    const auto filled = static_cast<std::size_t>(std::lround(share * width));
    return std::string(filled, '#') + std::string(static_cast<std::size_t>(width) - filled, '.');
  }
  auto eighths = static_cast<int>(std::lround(share * width * 8));
  if (share > 0 && eighths == 0) eighths = 1;  // something is not nothing
  const int whole = eighths / 8, part = eighths % 8;
  for (int i = 0; i < whole; ++i) bar += "█";
  bar += kLeftBlocks[static_cast<std::size_t>(part)];
  for (int i = whole + (part > 0 ? 1 : 0); i < width; ++i) bar += "░";
  return bar;
}

std::string sparkline(const std::vector<std::optional<double>>& values, int width, double top, bool unicode) {
  const auto columns = buckets(values, static_cast<std::size_t>(std::max(width, 0)));
  if (!(top > 0)) {
    top = 0;
    for (const auto& value : columns)
      if (value && std::isfinite(*value)) top = std::max(top, *value);
  }
  std::string line;
  for (const auto& value : columns) {
    if (!value || !std::isfinite(*value)) {
      line += ' ';
      continue;
    }
    const double share = top > 0 ? std::clamp(*value / top, 0.0, 1.0) : 0;
    const auto level = std::min<std::size_t>(static_cast<std::size_t>(share * 8), 7);
    if (unicode)
      line += kLowerBlocks[level];
    else
      line += kPlainLevels[level];
  }
  return line;
}

}  // namespace forebay
