// .gitignore with exactly git's rules (gitignore(5); git's dir.c and wildmatch.c are the reference it is
// tested against).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

struct IgnorePattern {
  std::string text;  // without "!", the trailing "/" and trailing spaces
  bool is_negated = false;
  bool only_folders = false;
  bool is_name_only = false;  // no "/" in it: matches the last component at any depth
};

// The patterns of one ignore file. Not valid UTF-8 is fine; a byte order mark is skipped.
std::vector<IgnorePattern> parse_ignore_file(std::string_view content);

// The rules that hold in one folder: those of its parents, then its own files. Cheap to extend while walking
// down a tree.
class IgnoreRules {
 public:
  // Adds an ignore file's patterns. `folder`: where the file lies, relative to the root, "" for the root, no
  // trailing "/". Later additions win: add exclude files first, then the ignore files from the root
  // downwards.
  void add(std::string_view folder, std::vector<IgnorePattern> patterns);
  // Drops everything added after the first `count` additions.
  void truncate(std::size_t count) { levels_.resize(count); }
  std::size_t size() const { return levels_.size(); }
  // `path`: relative to the root, "a/b". Judges this path only: a walker must not go into an ignored folder
  // (nothing in it can be included again).
  bool is_ignored(std::string_view path, bool is_folder) const;
  // The same with all parents judged first.
  bool is_ignored_with_parents(std::string_view path, bool is_folder) const;

 private:
  struct Level {
    std::string folder;
    std::vector<IgnorePattern> patterns;
  };
  std::vector<Level> levels_;
};

}  // namespace forebay
