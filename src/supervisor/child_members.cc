#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "supervisor/child_run.h"
#include "supervisor/process_tree.h"

namespace forebay {
namespace {

// A process of this program that the supervisor itself started (the reader of the GPUs): no part of the job.
bool is_own_helper(std::int64_t pid, const std::string& run_tag) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return !program.empty() &&
         std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), ignored) == program &&
         !has_environment_entry(pid, fmt::format("{}={}", kRunTagVariable, run_tag));
}

}  // namespace

std::vector<ProcessStat> members_of_child(pid_t warden, bool is_warden_lost,
                                          const std::optional<Cgroup>& cgroup, const std::string& run_tag) {
  const auto processes = all_processes();
  std::vector<ProcessStat> members;
  if (!is_warden_lost) {
    members = below(processes, warden);
  } else {
    for (const ProcessStat& process : processes) {
      if (process.parent != ::getpid() || is_own_helper(process.pid, run_tag)) continue;
      if (process.state != 'Z' && process.state != 'X') members.push_back(process);
      for (ProcessStat& descendant : below(processes, process.pid)) members.push_back(std::move(descendant));
    }
  }
  if (!cgroup) return members;
  std::set<std::int64_t> known{::getpid(), warden};
  for (const ProcessStat& member : members) known.insert(member.pid);
  for (const std::int64_t pid : cgroup->members())
    if (known.insert(pid).second)
      if (auto stat = read_process_stat(pid); stat && stat->state != 'Z' && stat->state != 'X')
        members.push_back(std::move(*stat));
  return members;
}

}  // namespace forebay
