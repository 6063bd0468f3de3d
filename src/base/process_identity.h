// Who a process is, beyond a number that the kernel uses again: (boot id, pid, start time).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace forebay {

struct ProcessIdentity {
  std::string boot_id;  // /proc/sys/kernel/random/boot_id
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/<pid>/stat, clock ticks since boot

  bool operator==(const ProcessIdentity&) const = default;
  Json to_json() const;
  static std::optional<ProcessIdentity> from_json(const Json& json);
};

// The fields of /proc/<pid>/stat that matter here. `name` may hold any byte.
struct ProcessStat {
  std::int64_t pid = 0;
  std::string name;
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t process_group = 0;
  std::int64_t session = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;
  std::int64_t threads = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t resident_pages = 0;
};
// Parses the text of a stat file; nothing when it is malformed.
std::optional<ProcessStat> parse_process_stat(const std::string& text);
// Nothing when there is no such process. `proc` is the mount point, for tests.
std::optional<ProcessStat> read_process_stat(std::int64_t pid, const std::string& proc = "/proc");

std::string current_boot_id();
ProcessIdentity own_identity();
// Identity of a running process (a zombie counts as running); nothing when it is gone.
std::optional<ProcessIdentity> identify(std::int64_t pid);
// True while exactly that process exists and is not a zombie.
bool is_alive(const ProcessIdentity& identity);
// All processes of which `root` is an ancestor, root itself not included, parents before children.
std::vector<std::int64_t> descendants_of(std::int64_t root, const std::string& proc = "/proc");

}  // namespace forebay
