#include "environment/code.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "environment/code_manifest.h"
#include "environment/file_class.h"
#include "environment/git_tree.h"
#include "environment/object_folder.h"
#include "environment/snapshot_index.h"

namespace forebay {
namespace {

constexpr std::size_t kPatchLimit = 64u << 20;
constexpr std::size_t kDataFilesPerFolder = 2'000;
constexpr int kReadAttempts = 3;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The home folder, the root and folders of the system hold far more than the code of a run.
bool is_too_wide(const std::string& root, const SnapshotSettings& settings) {
  const std::string home = environment_variable("HOME").value_or("");
  for (const std::string_view wide : {"/", "/home", "/root", "/tmp", "/var", "/usr", "/etc", "/opt", "/mnt",
                                      "/media", "/dev/shm", "/proc", "/sys"})
    if (root == wide) return true;
  if (!home.empty() && (root == home || home.starts_with(root + "/"))) return true;
  return settings.state_folder.starts_with(root + "/") || settings.state_folder == root;
}

class Snapshot {
 public:
  Snapshot(const std::string& workdir, const RunDirectory& record, const SnapshotSettings& settings)
      : workdir_(absolute_path(workdir)),
        record_(record),
        settings_(settings),
        deadline_ns_(system_clock().monotonic_ns() + settings.deadline.nanoseconds) {}

  Result<Json> take() {
    struct stat info{};
    if (::stat(workdir_.c_str(), &info) != 0) return system_error("keep the code of", workdir_, errno);
    FOREBAY_CHECK(make_directories(record_.code()));
    FOREBAY_TRY(ObjectFolder objects,
                ObjectFolder::open(join_path(settings_.state_folder, "objects"), ObjectFolder::Use::kKeep));
    manifest_.taken_ns = system_clock().now().nanoseconds;
    FOREBAY_TRY(CodeListing listing, list());
    keep_entries(objects, listing);
    keep_patch();
    if (!listing.unreadable.empty())
      remark("unreadable",
             fmt::format(fmt::runtime(tr(
                             "{0} folders or repositories in the code could not be read, for instance {1}.")),
                         listing.unreadable.size(), listing.unreadable.front()));
    FOREBAY_CHECK(
        write_file_atomic(join_path(record_.code(), "manifest.json"), manifest_.to_json().dump() + "\n"));
    return summary(listing);
  }

 private:
  void remark(std::string_view code, std::string sentence) {
    remarks_.push(Json::object({{"code", code}, {"sentence", std::move(sentence)}}));
  }

  Result<CodeListing> list() {
    ListingLimits limits{settings_.largest_count, deadline_ns_};
    manifest_.kind = "files";
    manifest_.root = workdir_;
    if (const auto root = find_git_root(workdir_); root && !is_too_wide(*root, settings_)) {
      auto tree = read_git_tree(*root, limits, current_environment());
      if (tree) return adopt(std::move(*tree));
      remark("git-failed",
             fmt::format(
                 fmt::runtime(tr("git could not be asked about {0} ({1}); the files were kept without it.")),
                 *root, tree.error().cause));
      manifest_.root = *root;
      set_workdir();
    }
    if (is_too_wide(manifest_.root, settings_)) {
      manifest_.is_partial = true;
      remark("folder-too-wide",
             fmt::format(fmt::runtime(tr("The code was not kept: {0} holds more than a project. Start the "
                                         "run in the project's own folder.")),
                         manifest_.root));
      return CodeListing{};
    }
    return walk_folder(manifest_.root, limits);
  }

  void set_workdir() {
    if (workdir_.size() > manifest_.root.size())
      manifest_.workdir = workdir_.substr(manifest_.root == "/" ? 1 : manifest_.root.size() + 1);
  }

  CodeListing adopt(GitTree tree) {
    manifest_.kind = "git";
    manifest_.root = tree.root;
    set_workdir();
    manifest_.commit = tree.commit;
    manifest_.branch = tree.branch;
    manifest_.remotes = std::move(tree.remotes);
    manifest_.is_dirty = tree.is_dirty;
    return std::move(tree.listing);
  }

  // Folders in which data-like files are too many or too large to be code.
  void find_data_folders(const CodeListing& listing) {
    struct Sum {
      std::int64_t bytes = 0;
      std::size_t count = 0;
    };
    std::map<std::string, Sum> sums;
    for (const auto& entry : listing.entries) {
      if (entry.kind != EntryKind::kFile || entry.is_tracked ||
          !is_data_like(name_of(entry.path), entry.size))
        continue;
      Sum& sum = sums[parent_of(entry.path)];
      sum.bytes += entry.size;
      ++sum.count;
    }
    for (const auto& [folder, sum] : sums)
      if (sum.bytes > settings_.largest_data_folder || sum.count > kDataFilesPerFolder)
        data_folders_.push_back(folder);
  }

  std::string reason_not_to_keep(const ListedEntry& entry) const {
    const std::string name = name_of(entry.path);
    if (entry.kind != EntryKind::kFile) return {};
    if (is_secret_file(name) && !entry.is_tracked) return "secret";
    if (entry.size > settings_.largest_file) return "large";
    if (!entry.is_tracked && is_data_like(name, entry.size) &&
        std::binary_search(data_folders_.begin(), data_folders_.end(), parent_of(entry.path)))
      return "data";
    return {};
  }

  void keep_entries(ObjectFolder& objects, const CodeListing& listing) {
    find_data_folders(listing);
    if (!listing.is_complete) manifest_.is_partial = true;
    SnapshotIndex index(
        fmt::format("{}/index-{}", objects.folder(), sha256_hex(manifest_.root).substr(0, 16)));
    std::vector<const ListedEntry*> order;
    for (const auto& entry : listing.entries) order.push_back(&entry);
    // What only exists here first: if time runs out, git still has the rest.
    std::stable_partition(order.begin(), order.end(),
                          [](const ListedEntry* entry) { return !entry->is_tracked || entry->is_changed; });
    for (const ListedEntry* listed : order) {
      CodeEntry entry;
      entry.path = listed->path;
      entry.kind = listed->kind;
      entry.mode = listed->mode;
      entry.size = listed->size;
      entry.not_kept = reason_not_to_keep(*listed);
      if (entry.kind != EntryKind::kFolder && entry.not_kept.empty())
        keep_entry(objects, index, *listed, entry);
      count(entry);
      manifest_.entries.push_back(std::move(entry));
    }
    std::sort(manifest_.entries.begin(), manifest_.entries.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    index.save();
  }

  void keep_entry(ObjectFolder& objects, SnapshotIndex& index, const ListedEntry& listed, CodeEntry& entry) {
    if (listed.kind == EntryKind::kLink) {
      keep_link(objects, entry);
      return;
    }
    if (const auto known = index.find(listed); known && objects.has(*known, listed.size)) {
      entry.sha256 = *known;
      return;
    }
    const bool is_clean = listed.is_tracked && !listed.is_changed && manifest_.commit;
    if (system_clock().monotonic_ns() > deadline_ns_) {
      if (is_clean)
        entry.is_in_commit = true;
      else
        entry.not_kept = "time";
      if (!is_clean) manifest_.is_partial = true;
      return;
    }
    ListedEntry read = listed;
    for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
      const auto stable = keep_file(objects, read, entry);
      if (!stable) {
        entry.not_kept = "unreadable";
        manifest_.is_partial = true;
        if (unreadable_.empty()) unreadable_ = listed.path;
        return;
      }
      if (*stable) {
        index.remember(read, entry.sha256, system_clock().now().nanoseconds);
        return;
      }
    }
    changing_.push_back(listed.path);
  }

  void keep_link(ObjectFolder& objects, CodeEntry& entry) {
    std::array<char, 4097> target;
    const ssize_t length =
        ::readlink(join_path(manifest_.root, entry.path).c_str(), target.data(), target.size());
    auto kept = length < 0 ? Result<std::string>(system_error("read", entry.path, errno))
                           : objects.keep(std::string_view(target.data(), static_cast<std::size_t>(length)));
    if (kept)
      entry.sha256 = *kept;
    else
      entry.not_kept = "unreadable", manifest_.is_partial = true;
  }

  // Whether the file stayed the same while it was read; `read` gets its marks.
  Result<bool> keep_file(ObjectFolder& objects, ListedEntry& read, CodeEntry& entry) {
    const std::string path = join_path(manifest_.root, read.path);
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid()) return system_error("read", path, errno);
    ListedEntry before = read;
    if (!fill_entry(manifest_.root, before) || before.kind != EntryKind::kFile)
      return make_error(ErrorCode::kConflict, "read", path, "it was replaced");
    FOREBAY_TRY(const auto kept, objects.keep_file(fd.get(), path));
    read = before;
    entry.sha256 = kept.sha256;
    entry.size = kept.bytes;
    entry.mode = before.mode;
    ListedEntry after = before;
    return fill_entry(manifest_.root, after) && after.size == kept.bytes && after.size == before.size &&
           after.inode == before.inode && after.modified_ns == before.modified_ns &&
           after.changed_ns == before.changed_ns;
  }

  void count(const CodeEntry& entry) {
    if (entry.not_kept.empty()) {
      if (entry.kind == EntryKind::kFile) ++files_, bytes_ += entry.size;
      return;
    }
    auto& sum = not_kept_[entry.not_kept];
    ++sum.first;
    sum.second += entry.size;
  }

  void keep_patch() {
    if (manifest_.kind != "git" || !manifest_.is_dirty || !manifest_.commit) return;
    auto patch = read_git_changes(manifest_.root, current_environment(), kPatchLimit);
    if (patch)
      patch =
          write_file_atomic(join_path(record_.code(), "changes.patch"), *patch) ? std::move(patch) : patch;
    if (!patch)
      remark("no-patch", fmt::format(fmt::runtime(tr("The changes against the commit were not kept as a "
                                                     "patch: {0}. The files themselves were.")),
                                     patch.error().cause));
  }

  Json summary(const CodeListing& listing) {
    if (!listing.is_complete || not_kept_.contains("time"))
      remark("partial",
             fmt::format(fmt::runtime(tr("Only a part of the code was kept: {0} holds too much to be read "
                                         "within {1}. Name what is no code in .forebayignore.")),
                         manifest_.root, format_duration(settings_.deadline)));
    if (!unreadable_.empty())
      remark("unreadable-file",
             fmt::format(fmt::runtime(tr("{0} files of the code could not be read, for instance {1}.")),
                         not_kept_["unreadable"].first, unreadable_));
    if (!changing_.empty())
      remark("changed-while-read",
             fmt::format(fmt::runtime(tr("{0} files changed while they were kept, for instance {1}; what was "
                                         "kept may be a mixture.")),
                         changing_.size(), changing_.front()));
    Json not_kept = Json::object();
    for (const auto& [reason, sum] : not_kept_)
      not_kept.set(reason, Json::object({{"files", sum.first}, {"bytes", sum.second}}));
    if (const auto secret = not_kept_.find("secret"); secret != not_kept_.end())
      remark(
          "secret-files",
          fmt::format(
              fmt::runtime(tr("{0} files that look like secrets (.env, keys) were not kept with the code.")),
              secret->second.first));
    std::int64_t data_files = 0, data_bytes = 0;
    for (const char* reason : {"data", "large"})
      if (const auto found = not_kept_.find(reason); found != not_kept_.end())
        data_files += found->second.first, data_bytes += found->second.second;
    if (data_files > 0)
      remark("data-not-kept",
             fmt::format(fmt::runtime(
                             tr("{0} large or data-like files ({1}) are listed with the code but not kept.")),
                         data_files, format_bytes(Bytes{data_bytes})));
    return Json::object({{"kind", manifest_.kind},
                         {"root", manifest_.root},
                         {"workdir", manifest_.workdir},
                         {"commit", manifest_.commit},
                         {"branch", manifest_.branch},
                         {"dirty", manifest_.kind == "git" ? Json(manifest_.is_dirty) : Json()},
                         {"files", files_},
                         {"bytes", bytes_},
                         {"not_kept", std::move(not_kept)},
                         {"partial", manifest_.is_partial},
                         {"changing", Json(changing_)},
                         {"remarks", remarks_}});
  }

  std::string workdir_;
  const RunDirectory& record_;
  const SnapshotSettings& settings_;
  std::int64_t deadline_ns_;
  CodeManifest manifest_;
  std::vector<std::string> data_folders_;  // sorted
  std::vector<std::string> changing_;
  std::string unreadable_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> not_kept_;  // reason → files, bytes
  std::int64_t files_ = 0, bytes_ = 0;
  Json remarks_ = Json::array();
};

}  // namespace

Result<Json> snapshot_code(const std::string& workdir, const RunDirectory& record,
                           const SnapshotSettings& settings) {
  return Snapshot(workdir, record, settings).take();
}

}  // namespace forebay
