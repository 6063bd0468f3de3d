// Which files make up the code: a walk of a folder by its ignore files, or what git says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace forebay {

enum class EntryKind { kFile, kLink, kFolder };  // a folder is listed only when it is empty

struct ListedEntry {
  std::string path;  // relative to the root, any bytes but NUL
  EntryKind kind = EntryKind::kFile;
  std::uint32_t mode = 0;  // permission bits
  std::int64_t size = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  std::uint64_t inode = 0;
  bool is_tracked = false;  // in git's index
  bool is_changed = false;  // tracked, and not as in the commit
};

struct CodeListing {
  std::vector<ListedEntry> entries;          // sorted by path
  std::vector<std::string> skipped_folders;  // tools' caches and installed packages: never code
  std::vector<std::string> unreadable;
  bool is_complete = true;  // false: a limit was reached
};

struct ListingLimits {
  std::size_t count = 200'000;
  std::int64_t deadline_ns = 0;  // CLOCK_MONOTONIC
};

// Walks `root`, honouring .gitignore and .forebayignore at every level. Links are listed, never followed;
// other file systems' mount points below root are walked as well. Error only when root itself cannot be
// listed.
Result<CodeListing> walk_folder(const std::string& root, const ListingLimits& limits);

// Fills an entry from lstat; false when it is gone or neither file, link nor folder.
bool fill_entry(const std::string& root, ListedEntry& entry);

}  // namespace forebay
