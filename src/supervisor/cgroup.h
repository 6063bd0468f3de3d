// The run's own control group, where this process may make one: v2, v1 (memory, freezer) or both mounted side
// by side. Without one, trees are found by descent and memory is watched instead of limited.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace forebay {

struct CgroupFolder {
  enum class Kind { kUnified, kMemory, kFreezer };
  Kind kind = Kind::kUnified;
  std::string path;
  bool operator==(const CgroupFolder&) const = default;
};

// Where groups of a process may be made, from the texts of /proc/self/mountinfo and /proc/self/cgroup: the
// process's own group in each hierarchy, best first. Nothing here is checked for existence.
std::vector<CgroupFolder> own_cgroup_folders(const std::string& mountinfo, const std::string& cgroup);

class Cgroup {
 public:
  // Makes one group named `name` in every useful hierarchy. Nothing when none could be made. `parents`
  // replaces discovery, for tests.
  static std::optional<Cgroup> create(const std::string& name);
  static std::optional<Cgroup> create_in(const std::vector<CgroupFolder>& parents, const std::string& name);
  // Groups made by another process, from their paths; others than a run's are left out.
  static Cgroup adopt(const std::vector<std::string>& paths);

  // Changes nothing, and makes a join of the next milliseconds quick. The kernel lets the first change of a
  // group wait for all processors (5 to 15 ms measured on Linux 6, cgroup_threadgroup_rwsem) and those soon
  // after it not: worth a thread while a run is prepared.
  static void hurry_joins();

  std::vector<std::string> paths() const;
  // Descriptors of cgroup.procs; a process that writes "0" into each has joined. Closed on exec.
  std::vector<UniqueFd> open_joins() const;
  // Pids in the group and in groups below it.
  std::vector<std::int64_t> members() const;

  // Whether the process is in every one of the groups.
  bool holds(std::int64_t pid) const;

  bool has_memory() const { return memory_ != nullptr_index; }
  Result<void> limit_memory(Bytes limit) const;
  // What the group is charged for that cannot be dropped: anonymous and shared memory, without page cache.
  std::optional<Bytes> memory_held() const;
  std::optional<Bytes> memory_charged() const;  // with page cache: what the limit is compared with
  std::optional<std::int64_t> kernel_kills() const;

  // Holds all processes still, or lets them go. False when there is nothing to do it with.
  bool freeze(bool frozen) const;
  // Kills everything inside at once (Linux 5.14, v2).
  bool kill() const;
  // Removes the groups with those below. False when something is still inside.
  bool remove() const;

 private:
  static constexpr std::size_t nullptr_index = static_cast<std::size_t>(-1);
  explicit Cgroup(std::vector<CgroupFolder> folders);
  std::vector<CgroupFolder> folders_;
  std::size_t memory_ = nullptr_index;
  std::size_t unified_ = nullptr_index;
  std::size_t freezer_ = nullptr_index;
};

}  // namespace forebay
