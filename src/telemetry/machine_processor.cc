#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/file.h"
#include "telemetry/machine_parts.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

std::string_view value_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  return value;
}

struct ProcessorInfo {
  std::string model;
  int cores = 0;
  std::set<std::pair<std::string, std::string>> physical;  // (package, core)
};

ProcessorInfo parse_cpuinfo(std::string_view text) {
  ProcessorInfo info;
  std::string package, core;
  const auto close = [&] {
    if (!core.empty()) info.physical.emplace(package, core);
    package.clear();
    core.clear();
  };
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    const std::string_view line = cursor.line();
    if (line.starts_with("processor") && !value_of(line).empty()) {
      close();
      ++info.cores;
    } else if (line.starts_with("model name") && info.model.empty()) {
      info.model = value_of(line).substr(0, 200);
    } else if (line.starts_with("physical id")) {
      package = value_of(line);
    } else if (line.starts_with("core id")) {
      core = value_of(line);
    }
  }
  close();
  return info;
}

std::optional<int> affinity_cores() {
  // The kernel's mask may be larger than the fixed set of 1,024.
  for (std::size_t cores = 1024; cores <= (1u << 16); cores *= 4) {
    cpu_set_t* set = CPU_ALLOC(cores);
    if (set == nullptr) return std::nullopt;
    const std::size_t size = CPU_ALLOC_SIZE(cores);
    CPU_ZERO_S(size, set);
    const bool read = ::sched_getaffinity(0, size, set) == 0;
    const int count = read ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (read) return count;
  }
  return std::nullopt;
}

}  // namespace

Json describe_processor(const MachineSources& sources) {
  Json processor = Json::object();
  std::optional<double> usable;
  const auto limit_by = [&usable](double cores) { usable = std::min(usable.value_or(cores), cores); };
  if (const auto text = read_file(sources.proc + "/cpuinfo", 4u << 20)) {
    const ProcessorInfo info = parse_cpuinfo(*text);
    if (!info.model.empty()) processor.set("model", info.model);
    if (info.cores > 0) {
      processor.set("cores", info.cores);
      limit_by(info.cores);
    }
    if (!info.physical.empty())
      processor.set("physical_cores", static_cast<std::int64_t>(info.physical.size()));
  }
  if (const auto cores = affinity_cores(); cores && sources.proc == "/proc") {
    processor.set("affinity_cores", *cores);
    limit_by(*cores);
  }
  if (const auto quota = cgroup_processor_quota(sources)) {
    processor.set("quota_cores", *quota);
    limit_by(*quota);
  }
  if (usable) processor.set("usable_cores", *usable);
  return processor;
}

}  // namespace forebay
