#include "environment/code_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/file.h"
#include "environment/file_class.h"
#include "environment/ignore_rules.h"

namespace forebay {
namespace {

constexpr std::size_t kIgnoreFileLimit = 1 << 20;
constexpr std::size_t kDepthLimit = 200;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool fill_from_stat(const struct stat& info, ListedEntry& entry) {
  if (S_ISREG(info.st_mode))
    entry.kind = EntryKind::kFile;
  else if (S_ISLNK(info.st_mode))
    entry.kind = EntryKind::kLink;
  else if (S_ISDIR(info.st_mode))
    entry.kind = EntryKind::kFolder;
  else
    return false;
  entry.mode = info.st_mode & 07777;
  entry.size = info.st_size;
  entry.modified_ns = nanoseconds(info.st_mtim);
  entry.changed_ns = nanoseconds(info.st_ctim);
  entry.inode = info.st_ino;
  return true;
}

class Walker {
 public:
  Walker(const std::string& root, const ListingLimits& limits) : root_(root), limits_(limits) {}

  Result<CodeListing> run() {
    if (auto names = list_directory(root_); !names) return std::move(names).error();
    walk("", 0);
    std::sort(listing_.entries.begin(), listing_.entries.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(listing_);
  }

 private:
  bool is_over_limit() {
    if (listing_.entries.size() < limits_.count && system_clock().monotonic_ns() < limits_.deadline_ns)
      return false;
    listing_.is_complete = false;
    return true;
  }

  std::string full(const std::string& relative) const {
    return relative.empty() ? root_ : join_path(root_, relative);
  }

  void read_ignore_file(const std::string& folder, const char* name) {
    const auto content = read_file(join_path(full(folder), name), kIgnoreFileLimit);
    if (content) rules_.add(folder, parse_ignore_file(*content));
  }

  // Returns whether the folder added anything; `folder` is relative, "" for the root.
  void walk(const std::string& folder, std::size_t depth) {
    if (is_over_limit()) return;
    const auto names = list_directory(full(folder));
    if (!names || depth > kDepthLimit) {
      listing_.unreadable.push_back(folder);
      return;
    }
    if (!folder.empty() && std::any_of(names->begin(), names->end(), is_rebuilt_folder_marker)) {
      listing_.skipped_folders.push_back(folder);
      return;
    }
    const std::size_t outer_rules = rules_.size();
    for (const char* name : {".gitignore", ".forebayignore"})
      if (std::binary_search(names->begin(), names->end(), name)) read_ignore_file(folder, name);
    bool is_empty = true;
    for (const auto& name : *names) {
      if (listing_.entries.size() >= limits_.count || ((++visited_ & 63) == 0 && is_over_limit())) {
        listing_.is_complete = false;
        break;
      }
      visit(folder.empty() ? name : folder + "/" + name, name, depth);
      is_empty = false;
    }
    rules_.truncate(outer_rules);
    if (!is_empty || folder.empty()) return;
    ListedEntry entry;
    entry.path = folder;
    if (fill_entry(root_, entry)) listing_.entries.push_back(std::move(entry));
  }

  void visit(const std::string& path, const std::string& name, std::size_t depth) {
    ListedEntry entry;
    entry.path = path;
    if (!fill_entry(root_, entry)) return;
    const bool is_folder = entry.kind == EntryKind::kFolder;
    if (rules_.is_ignored(path, is_folder)) return;
    if (!is_folder) {
      listing_.entries.push_back(std::move(entry));
    } else if (is_never_code_folder(name)) {
      listing_.skipped_folders.push_back(path);
    } else {
      walk(path, depth + 1);
    }
  }

  const std::string& root_;
  const ListingLimits& limits_;
  IgnoreRules rules_;
  CodeListing listing_;
  unsigned visited_ = 0;
};

}  // namespace

bool fill_entry(const std::string& root, ListedEntry& entry) {
  struct stat info{};
  return ::lstat(join_path(root, entry.path).c_str(), &info) == 0 && fill_from_stat(info, entry);
}

Result<CodeListing> walk_folder(const std::string& root, const ListingLimits& limits) {
  return Walker(root, limits).run();
}

}  // namespace forebay
