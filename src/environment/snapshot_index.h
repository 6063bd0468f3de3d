// Remembers the SHA-256 of files that have not changed since (size, times, inode), so that the next snapshot
// reads only what did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "environment/code_listing.h"

namespace forebay {

class SnapshotIndex {
 public:
  // A missing or damaged file is an empty index.
  explicit SnapshotIndex(std::string path);
  // The hash of the file as it was, if by all its marks it is the same file.
  std::optional<std::string> find(const ListedEntry& entry) const;
  // Remembers it, unless it changed so shortly before `now_ns` (wall clock) that a later change could carry
  // the same times.
  void remember(const ListedEntry& entry, const std::string& sha256, std::int64_t now_ns);
  // Written when something new was remembered; failures are ignored: it is only a cache.
  void save() const;

 private:
  struct Row {
    std::string sha256;
    std::int64_t size = 0, modified_ns = 0, changed_ns = 0;
    std::uint64_t inode = 0;
  };
  std::string path_;
  std::unordered_map<std::string, Row> rows_;
  bool is_changed_ = false;
};

}  // namespace forebay
