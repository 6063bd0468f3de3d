#include "supervisor/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace forebay {
namespace {

using Kind = CgroupFolder::Kind;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Pseudo-files want one plain write(2), without creation or truncation.
bool write_value(const std::string& path, const std::string& value) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "key value" lines.
std::optional<std::int64_t> keyed_number(const std::string& path, const std::string& key) {
  const auto text = read_file(path, 1u << 20);
  if (!text) return std::nullopt;
  for (const std::string& line : split(*text, '\n'))
    if (line.size() > key.size() && line.compare(0, key.size(), key) == 0 && line[key.size()] == ' ')
      return number_in(line.substr(key.size() + 1));
  return std::nullopt;
}

std::optional<Bytes> bytes_in(const std::string& path) {
  const auto text = read_file(path, 4096);
  const auto value = text ? number_in(*text) : std::nullopt;
  return value ? std::optional(Bytes{*value}) : std::nullopt;
}

bool has_word(const std::string& text, const std::string& word) {
  for (std::string part : split(text, ' ')) {
    while (!part.empty() && part.back() == '\n') part.pop_back();
    if (part == word) return true;
  }
  return false;
}

bool has_memory_controller(const std::string& group) {
  return has_word(read_file(group + "/cgroup.controllers", 4096).value_or(""), "memory");
}

// Of a v2 group and those above it that this process may use: the nearest whose children get the memory
// controller, else the nearest in which a group can be made at all.
std::optional<std::string> unified_parent(const std::string& own) {
  std::optional<std::string> fallback;
  for (std::filesystem::path path(own); path_exists((path / "cgroup.procs").string());
       path = path.parent_path()) {
    if (::access(path.c_str(), W_OK) != 0 || ::access((path / "cgroup.procs").c_str(), W_OK) != 0) break;
    if (has_word(read_file((path / "cgroup.subtree_control").string(), 4096).value_or(""), "memory"))
      return path.string();
    if (!fallback) fallback = path.string();
  }
  // An empty or root group hands its controllers down when asked.
  if (fallback && has_memory_controller(*fallback))
    write_value(*fallback + "/cgroup.subtree_control", "+memory");
  return fallback;
}

void collect_members(const std::string& folder, std::vector<std::int64_t>& found, int depth) {
  for (const std::string& line : split(read_file(folder + "/cgroup.procs", 16u << 20).value_or(""), '\n'))
    if (const auto pid = number_in(line); pid && *pid > 0) found.push_back(*pid);
  if (depth == 0) return;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) collect_members(entry.path().string(), found, depth - 1);
}

bool remove_folder(const std::string& folder, int depth) {
  if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return true;
  if (depth == 0) return false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) remove_folder(entry.path().string(), depth - 1);
  return ::rmdir(folder.c_str()) == 0;
}

}  // namespace

std::vector<CgroupFolder> own_cgroup_folders(const std::string& mountinfo, const std::string& cgroup) {
  struct Mount {
    std::string root, point, type, options;
  };
  std::vector<Mount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    if (dash[1] == "cgroup" || dash[1] == "cgroup2")
      mounts.push_back({fields[3], fields[4], dash[1], dash[3]});
  }
  std::vector<CgroupFolder> found;
  for (const std::string& line : split(cgroup, '\n')) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    const auto names = split(controllers, ',');
    for (const auto& [controller, kind] : {std::pair<std::string, Kind>{"", Kind::kUnified},
                                           {"memory", Kind::kMemory},
                                           {"freezer", Kind::kFreezer}}) {
      if (kind == Kind::kUnified ? !controllers.empty()
                                 : std::find(names.begin(), names.end(), controller) == names.end())
        continue;
      for (const Mount& mount : mounts) {
        const auto options = split(mount.options, ',');
        if (kind == Kind::kUnified ? mount.type != "cgroup2"
                                   : mount.type != "cgroup" || std::find(options.begin(), options.end(),
                                                                         controller) == options.end())
          continue;
        std::string relative = path;  // the mount may show only a part of the hierarchy
        if (mount.root != "/" && relative.compare(0, mount.root.size(), mount.root) == 0)
          relative = relative.substr(mount.root.size());
        if (relative == "/") relative.clear();
        if (relative.find("..") == std::string::npos) found.push_back({kind, mount.point + relative});
        break;
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
  return found;
}

Cgroup::Cgroup(std::vector<CgroupFolder> folders) : folders_(std::move(folders)) {
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    if (folders_[i].kind == Kind::kFreezer) freezer_ = i;
    if (folders_[i].kind == Kind::kUnified) unified_ = i;
    if (folders_[i].kind == Kind::kMemory ||
        (folders_[i].kind == Kind::kUnified && path_exists(folders_[i].path + "/memory.max")))
      memory_ = i;
  }
}

std::optional<Cgroup> Cgroup::create(const std::string& name) {
  auto parents = own_cgroup_folders(read_file("/proc/self/mountinfo").value_or(""),
                                    read_file("/proc/self/cgroup").value_or(""));
  for (CgroupFolder& parent : parents)
    if (parent.kind == Kind::kUnified) parent.path = unified_parent(parent.path).value_or(parent.path);
  return create_in(parents, name);
}

std::optional<Cgroup> Cgroup::create_in(const std::vector<CgroupFolder>& parents, const std::string& name) {
  std::vector<CgroupFolder> made;
  bool has_unified = false, has_memory = false;
  for (const CgroupFolder& parent : parents) {
    if (parent.kind == Kind::kMemory && has_memory) continue;
    if (parent.kind == Kind::kFreezer && has_unified) continue;
    const std::string path = join_path(parent.path, name);
    if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) continue;
    if (!path_exists(path + "/cgroup.procs")) {  // an ordinary folder: not a cgroup file system
      ::rmdir(path.c_str());
      continue;
    }
    made.push_back({parent.kind, path});
    if (parent.kind == Kind::kUnified) has_unified = true;
    if (parent.kind == Kind::kMemory || path_exists(path + "/memory.max")) has_memory = true;
  }
  if (made.empty()) return std::nullopt;
  return Cgroup(std::move(made));
}

void Cgroup::hurry_joins() {
  // This process joins the group it is in.
  for (const CgroupFolder& own : own_cgroup_folders(read_file("/proc/self/mountinfo").value_or(""),
                                                    read_file("/proc/self/cgroup").value_or(""))) {
    UniqueFd fd(::open((own.path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (fd.valid() && ::write(fd.get(), "0", 1) == 1) return;
  }
}

Cgroup Cgroup::adopt(const std::vector<std::string>& paths) {
  std::vector<CgroupFolder> folders;
  for (const std::string& path : paths) {
    // The path was read from a file: never touch a group that no run made.
    if (std::filesystem::path(path).filename().string().rfind("forebay-", 0) != 0 ||
        !path_exists(path + "/cgroup.procs"))
      continue;
    const Kind kind = path_exists(path + "/cgroup.controllers") ? Kind::kUnified
                      : path_exists(path + "/freezer.state")    ? Kind::kFreezer
                                                                : Kind::kMemory;
    folders.push_back({kind, path});
  }
  return Cgroup(std::move(folders));
}

std::vector<std::string> Cgroup::paths() const {
  std::vector<std::string> all;
  for (const CgroupFolder& folder : folders_) all.push_back(folder.path);
  return all;
}

std::vector<UniqueFd> Cgroup::open_joins() const {
  std::vector<UniqueFd> joins;
  for (const CgroupFolder& folder : folders_) {
    UniqueFd fd(::open((folder.path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (fd.valid()) joins.push_back(std::move(fd));
  }
  return joins;
}

std::vector<std::int64_t> Cgroup::members() const {
  std::vector<std::int64_t> found;
  for (const CgroupFolder& folder : folders_) collect_members(folder.path, found, 8);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Cgroup::holds(std::int64_t pid) const {
  return std::all_of(folders_.begin(), folders_.end(), [pid](const CgroupFolder& folder) {
    std::vector<std::int64_t> found;
    collect_members(folder.path, found, 0);
    return std::find(found.begin(), found.end(), pid) != found.end();
  });
}

Result<void> Cgroup::limit_memory(Bytes limit) const {
  if (memory_ == nullptr_index)
    return make_error(ErrorCode::kUnsupported, "limit the memory of", "the run",
                      "its control group has no memory controller");
  const CgroupFolder& folder = folders_[memory_];
  const std::string value = fmt::format("{}", limit.count);
  const bool unified = folder.kind == Kind::kUnified;
  if (!write_value(folder.path + (unified ? "/memory.max" : "/memory.limit_in_bytes"), value))
    return system_error("limit the memory of", folder.path, errno);
  // Without these a job over its limit swaps for hours instead of ending; not every kernel has them.
  write_value(folder.path + (unified ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"),
              unified ? "0" : value);
  if (unified) write_value(folder.path + "/memory.oom.group", "1");
  return {};
}

std::optional<Bytes> Cgroup::memory_held() const {
  if (memory_ == nullptr_index) return std::nullopt;
  const CgroupFolder& folder = folders_[memory_];
  const auto anonymous =
      keyed_number(folder.path + "/memory.stat", folder.kind == Kind::kUnified ? "anon" : "total_rss");
  const auto shared =
      keyed_number(folder.path + "/memory.stat", folder.kind == Kind::kUnified ? "shmem" : "total_shmem");
  if (!anonymous) return std::nullopt;
  return Bytes{*anonymous + shared.value_or(0)};
}

std::optional<Bytes> Cgroup::memory_charged() const {
  if (memory_ == nullptr_index) return std::nullopt;
  const CgroupFolder& folder = folders_[memory_];
  return bytes_in(folder.path +
                  (folder.kind == Kind::kUnified ? "/memory.current" : "/memory.usage_in_bytes"));
}

std::optional<std::int64_t> Cgroup::kernel_kills() const {
  if (memory_ == nullptr_index) return std::nullopt;
  const CgroupFolder& folder = folders_[memory_];
  return keyed_number(
      folder.path + (folder.kind == Kind::kUnified ? "/memory.events" : "/memory.oom_control"), "oom_kill");
}

bool Cgroup::freeze(bool frozen) const {
  if (unified_ != nullptr_index &&
      write_value(folders_[unified_].path + "/cgroup.freeze", frozen ? "1" : "0"))
    return true;
  if (freezer_ != nullptr_index)
    return write_value(folders_[freezer_].path + "/freezer.state", frozen ? "FROZEN" : "THAWED");
  return false;
}

bool Cgroup::kill() const {
  return unified_ != nullptr_index && write_value(folders_[unified_].path + "/cgroup.kill", "1");
}

bool Cgroup::remove() const {
  bool all = true;
  for (const CgroupFolder& folder : folders_) all = remove_folder(folder.path, 8) && all;
  return all;
}

}  // namespace forebay
