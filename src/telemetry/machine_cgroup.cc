#include <algorithm>
#include <functional>

#include "base/file.h"
#include "telemetry/machine_parts.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

constexpr std::uint64_t kNoLimit = 1ull << 60;

// The path of this process in the hierarchy of a v1 controller, or in the v2 one when `controller` is empty:
// lines "4:memory:/a/b" and "0::/a/b" of /proc/self/cgroup.
std::optional<std::string> own_path(const std::string& text, std::string_view controller) {
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    const std::string_view line = cursor.line();
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    std::string_view names = line.substr(first + 1, second - first - 1);
    if (names.empty() != controller.empty()) continue;
    while (!controller.empty() && !names.empty()) {
      const std::size_t comma = names.find(',');
      if (names.substr(0, comma) == controller) return std::string(line.substr(second + 1));
      names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
    }
    if (controller.empty()) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// Calls `look` with every existing folder from the process's own group up to the root. In a container the
// path is often the host's and does not exist here: the root then is the container's own group.
void walk_up(const std::string& mount, std::string path,
             const std::function<void(const std::string&)>& look) {
  for (int depth = 0; depth < 64; ++depth) {
    const std::string folder = path == "/" ? mount : mount + path;
    if (path_exists(folder)) look(folder);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || path == "/") return;
    path = slash == 0 ? "/" : path.substr(0, slash);
  }
}

template <typename Value>
void take_least(std::optional<double>& least, const std::optional<Value>& value) {
  if (value) least = std::min(least.value_or(static_cast<double>(*value)), static_cast<double>(*value));
}

}  // namespace

std::optional<double> cgroup_memory_limit(const MachineSources& sources) {
  const std::string groups = read_file(sources.proc + "/self/cgroup", 64u << 10).value_or("");
  const std::string mount = sources.sys + "/fs/cgroup";
  std::optional<double> least;
  const auto below = [](std::optional<std::uint64_t> value) {
    return value && *value < kNoLimit ? value : std::nullopt;
  };
  if (const auto path = own_path(groups, "memory"))
    walk_up(mount + "/memory", *path, [&](const std::string& folder) {
      take_least(least, below(read_number_file(folder + "/memory.limit_in_bytes")));
    });
  if (const auto path = own_path(groups, ""))
    walk_up(mount, *path, [&](const std::string& folder) {
      take_least(least, below(read_number_file(folder + "/memory.max")));
    });
  return least;
}

std::optional<double> cgroup_processor_quota(const MachineSources& sources) {
  const std::string groups = read_file(sources.proc + "/self/cgroup", 64u << 10).value_or("");
  const std::string mount = sources.sys + "/fs/cgroup";
  std::optional<double> least;
  if (const auto path = own_path(groups, "cpu"))
    for (const char* name : {"/cpu", "/cpu,cpuacct"})
      walk_up(mount + name, *path, [&](const std::string& folder) {
        const auto quota = read_number_file(folder + "/cpu.cfs_quota_us"),
                   period = read_number_file(folder + "/cpu.cfs_period_us");
        if (quota && period && *period > 0 && *quota > 0)
          take_least(least, std::optional(static_cast<double>(*quota) / static_cast<double>(*period)));
      });
  if (const auto path = own_path(groups, ""))
    walk_up(mount, *path, [&](const std::string& folder) {
      const auto text = read_file(folder + "/cpu.max", 256);  // "200000 100000" or "max 100000"
      if (!text) return;
      TextCursor cursor(*text);
      const auto quota = cursor.number(), period = cursor.number();
      if (quota && period && *period > 0 && *quota > 0)
        take_least(least, std::optional(static_cast<double>(*quota) / static_cast<double>(*period)));
    });
  return least;
}

}  // namespace forebay
