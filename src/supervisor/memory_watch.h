// Memory of a running tree: the limit where the kernel does not hold it for us, the high-water mark, and
// kills by the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/process_identity.h"
#include "supervisor/cgroup.h"
#include "supervisor/child.h"

namespace forebay {

// Sum over the processes. Proportional shares are read only when asked: the kernel walks every page table for
// them.
TreeMemory measure_tree(const std::vector<ProcessStat>& members, bool proportional,
                        const std::string& proc = "/proc");
// Processes that the kernel has killed for memory on this machine since it started.
std::optional<std::int64_t> machine_kernel_kills();

class MemoryWatch {
 public:
  enum class Verdict { kFine, kOverLimit, kKernelKilled };
  // `kernel_limits`: the cgroup enforces `limit`; otherwise this class does.
  MemoryWatch(std::optional<Bytes> limit, const std::optional<Cgroup>& cgroup, bool kernel_limits,
              std::function<std::vector<ProcessStat>()> members);

  Verdict tick(std::int64_t now_ns);
  std::int64_t next_tick_ns() const { return next_ns_; }
  // Whether the kernel killed something of this tree, as far as it can be told: exactly with a cgroup, by
  // time without one.
  bool has_kernel_killed();

  std::optional<Bytes> peak() const { return peak_; }
  const std::optional<TreeMemory>& last() const { return last_; }
  std::string describe()
      const;  // "12.3 GiB of the limit of 12 GiB in 4 processes, most of it in 123 (python3)"

 private:
  Verdict watch_limit(std::int64_t now_ns);
  std::optional<Bytes> limit_;
  const std::optional<Cgroup>& cgroup_;
  bool kernel_limits_;
  std::function<std::vector<ProcessStat>()> members_;
  std::vector<ProcessStat> known_;
  std::int64_t known_since_ns_ = 0;
  std::int64_t next_ns_ = 0, next_measure_ns_ = 0;
  std::optional<std::int64_t> group_kills_at_start_, machine_kills_at_start_;
  std::optional<Bytes> peak_;
  std::optional<TreeMemory> last_;
};

}  // namespace forebay
