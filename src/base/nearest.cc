#include "base/nearest.h"

#include <algorithm>
#include <cctype>

namespace forebay {
namespace {

constexpr std::size_t kLongestCompared = 64;

int lower(char c) {
  return std::tolower(static_cast<unsigned char>(c));
}

// Of two equally distant candidates: the one that begins as the name does ("cpu": "cpus" before "gpu").
bool fits_better(std::string_view name, std::string_view candidate, std::string_view best) {
  const auto common = [&](std::string_view other) {
    std::size_t length = 0;
    while (length < name.size() && length < other.size() && lower(name[length]) == lower(other[length]))
      ++length;
    return length;
  };
  return common(candidate) > common(best);
}

}  // namespace

// Optimal string alignment distance (Damerau–Levenshtein without crossing swaps), three rows.
std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last(other.size() + 1), last(other.size() + 1), row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t change = lower(one[i - 1]) == lower(other[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && lower(one[i - 1]) == lower(other[j - 2]) &&
          lower(one[i - 2]) == lower(other[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[other.size()];
}

std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& known) {
  if (name.empty() || name.size() > kLongestCompared) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    if (distance > allowed || distance >= std::min(name.size(), candidate.size())) continue;
    if (best &&
        (distance > best_distance || (distance == best_distance && !fits_better(name, candidate, *best))))
      continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace forebay
