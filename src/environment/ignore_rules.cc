#include "environment/ignore_rules.h"

#include <algorithm>
#include <optional>

#include "storage/wildmatch.h"

namespace forebay {
namespace {

// Trailing spaces go unless a backslash keeps them; tabs stay.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t keep = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\' && ++i >= line.size()) return line;
    keep = i + 1;
  }
  return line.substr(0, keep);
}

std::optional<IgnorePattern> parse_line(std::string_view line) {
  if (line.empty() || line.front() == '#') return std::nullopt;
  line = without_trailing_spaces(line);
  IgnorePattern pattern;
  if (line.starts_with('!')) {
    pattern.is_negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.only_folders = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return std::nullopt;
  pattern.is_name_only = line.find('/') == std::string_view::npos;
  if (!pattern.is_name_only && line.front() == '/') line.remove_prefix(1);
  pattern.text = line;
  return pattern;
}

// `path` relative to the folder of the pattern's file.
bool matches(const IgnorePattern& pattern, std::string_view path, bool is_folder) {
  if (pattern.only_folders && !is_folder) return false;
  if (pattern.is_name_only) {
    const std::size_t slash = path.rfind('/');
    return wildmatch(pattern.text, slash == std::string_view::npos ? path : path.substr(slash + 1), false);
  }
  // As git does, the part before the first special character is compared literally and what follows is a
  // pattern of its own: in "foo**/bar" the "**/" therefore counts as leading.
  const std::size_t special = std::min(pattern.text.find_first_of("*?[\\"), pattern.text.size());
  const std::string_view text = pattern.text;
  if (!path.starts_with(text.substr(0, special))) return false;
  return wildmatch(text.substr(special), path.substr(special), true);
}

}  // namespace

std::vector<IgnorePattern> parse_ignore_file(std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  std::vector<IgnorePattern> patterns;
  while (!content.empty()) {
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) line = line.substr(0, nul);
    if (auto pattern = parse_line(line)) patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

void IgnoreRules::add(std::string_view folder, std::vector<IgnorePattern> patterns) {
  levels_.push_back({std::string(folder), std::move(patterns)});
}

bool IgnoreRules::is_ignored(std::string_view path, bool is_folder) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    std::string_view below = path;
    if (!level->folder.empty()) {
      if (!path.starts_with(level->folder) || path.size() <= level->folder.size() ||
          path[level->folder.size()] != '/')
        continue;
      below.remove_prefix(level->folder.size() + 1);
    }
    for (auto pattern = level->patterns.rbegin(); pattern != level->patterns.rend(); ++pattern)
      if (matches(*pattern, below, is_folder)) return !pattern->is_negated;
  }
  return false;
}

bool IgnoreRules::is_ignored_with_parents(std::string_view path, bool is_folder) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
    if (is_ignored(path.substr(0, slash), true)) return true;
  return is_ignored(path, is_folder);
}

}  // namespace forebay
