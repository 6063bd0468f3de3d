#include "supervisor/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

namespace forebay {

std::vector<ProcessStat> all_processes(const std::string& proc) {
  std::vector<ProcessStat> found;
  DIR* directory = ::opendir(proc.c_str());
  if (directory == nullptr) return found;
  while (const dirent* entry = ::readdir(directory)) {
    const auto pid = whole_integer(entry->d_name);
    if (!pid || *pid < 1) continue;
    if (auto stat = read_process_stat(*pid, proc)) found.push_back(std::move(*stat));
  }
  ::closedir(directory);
  return found;
}

std::vector<ProcessStat> below(const std::vector<ProcessStat>& processes, std::int64_t root) {
  std::multimap<std::int64_t, const ProcessStat*> children;
  for (const ProcessStat& process : processes) children.emplace(process.parent, &process);
  std::vector<ProcessStat> found;
  std::vector<std::int64_t> open{root};
  for (std::size_t i = 0; i < open.size() && open.size() <= processes.size() + 1; ++i) {
    const auto [first, last] = children.equal_range(open[i]);
    for (auto it = first; it != last; ++it) {
      if (it->second->pid == root) continue;
      open.push_back(it->second->pid);
      if (it->second->state != 'Z' && it->second->state != 'X') found.push_back(*it->second);
    }
  }
  return found;
}

bool signal_exactly(const ProcessStat& process, int signal) {
  const auto pid = static_cast<pid_t>(process.pid);
  UniqueFd descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!descriptor.valid() && errno == ESRCH) return false;
  const auto now = read_process_stat(process.pid);
  if (!now || now->start_ticks != process.start_ticks) return false;
  if (descriptor.valid()) return ::syscall(SYS_pidfd_send_signal, descriptor.get(), signal, nullptr, 0) == 0;
  return ::kill(pid, signal) == 0;  // a kernel before 5.3
}

bool is_shell(const std::string& name) {
  static const std::set<std::string> shells{"sh",   "bash", "dash", "zsh",    "ksh",
                                            "mksh", "ash",  "fish", "busybox"};
  return shells.contains(name);
}

std::vector<ProcessStat> addressees(const std::vector<ProcessStat>& members, std::int64_t child) {
  std::vector<ProcessStat> found;
  std::vector<std::int64_t> parents;
  for (const ProcessStat& member : members)
    if (member.pid == child) {
      found.push_back(member);
      if (is_shell(member.name)) parents.push_back(member.pid);
    }
  for (std::size_t i = 0; i < parents.size() && i < members.size(); ++i)
    for (const ProcessStat& member : members)
      if (member.parent == parents[i]) {
        found.push_back(member);
        if (is_shell(member.name)) parents.push_back(member.pid);
      }
  return found;
}

void kill_hard(const std::function<std::vector<ProcessStat>()>& find,
               const std::function<bool(bool)>& freeze) {
  const bool frozen = freeze && freeze(true);
  std::map<std::int64_t, ProcessStat> seen;
  for (int round = 0; round < 64; ++round) {
    bool has_new = false;
    for (const ProcessStat& member : find()) {
      const auto known = seen.find(member.pid);
      if (known != seen.end() && known->second.start_ticks == member.start_ticks) continue;
      seen[member.pid] = member;
      has_new = true;
      if (!frozen) signal_exactly(member, SIGSTOP);
    }
    if (!has_new) break;
  }
  for (const auto& [pid, member] : seen) signal_exactly(member, SIGKILL);
  if (frozen) freeze(false);
}

bool has_environment_entry(std::int64_t pid, const std::string& entry) {
  const auto block = read_file(fmt::format("/proc/{}/environ", pid), 8u << 20);
  if (!block) return false;
  const std::string& text = *block;
  for (std::size_t at = 0; (at = text.find(entry, at)) != std::string::npos; at += entry.size()) {
    const bool begins = at == 0 || text[at - 1] == '\0';
    const std::size_t end = at + entry.size();
    if (begins && (end == text.size() || text[end] == '\0')) return true;
  }
  return false;
}

}  // namespace forebay
