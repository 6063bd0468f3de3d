#include "catalog/accelerator_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace forebay {
namespace {

constexpr std::array<std::string_view, 8> kMakers{"nvidia",   "amd", "tesla", "geforce",
                                                  "instinct", "aws", "intel", "grid"};

bool is_maker(std::string_view word) {
  return std::ranges::find(kMakers, word) != kMakers.end();
}

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    if (letter != ' ' && letter != '-' && letter != '_')
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The words that tell parts apart.
std::vector<std::string> telling_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) { return is_maker(word); });
  if (words.empty()) return words;
  std::string& first = words.front();
  if (first.starts_with("rtx") || first.starts_with("gtx")) first.erase(0, 3);
  if (first.empty()) words.erase(words.begin());
  return words;
}

}  // namespace

std::string comparable_name(std::string_view name) {
  std::string plain;
  for (const std::string& word : telling_words(name)) plain += word;
  return plain;
}

bool names_its_maker(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return !words.empty() && is_maker(words.front());
}

bool may_mean(std::string_view name, std::string_view id) {
  const std::string plain = comparable_name(name);
  std::string_view wanted = plain;
  const std::vector<std::string> words = telling_words(id);
  if (wanted.empty() || words.empty() || !wanted.starts_with(words.front())) return false;
  for (const std::string& word : words)
    if (wanted.starts_with(word)) wanted.remove_prefix(word.size());
  return wanted.empty();
}

std::optional<std::string_view> shared_part(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || name.size() - dash < 3) return std::nullopt;
  const std::string_view profile = name.substr(dash + 1, name.size() - dash - 2);
  const bool is_share = std::ranges::all_of(profile, is_digit) &&
                        std::string_view("QCAB").find(name.back()) != std::string_view::npos;
  return is_share ? std::optional(name.substr(0, dash)) : std::nullopt;
}

}  // namespace forebay
