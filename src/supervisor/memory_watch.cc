#include "supervisor/memory_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"

namespace forebay {
namespace {

constexpr std::int64_t kOften = 50'000'000;      // close to the limit
constexpr std::int64_t kUsually = 100'000'000;   // with a limit
constexpr std::int64_t kSeldom = 1'000'000'000;  // without one
constexpr std::int64_t kRescan =
    500'000'000;  // far from the limit new processes may wait so long to be noticed

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + label.size());
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return leading_integer(text);
}

std::optional<std::int64_t> resident_of(std::int64_t pid, const std::string& proc) {
  const auto text = read_file(fmt::format("{}/{}/statm", proc, pid), 4096);
  if (!text) return std::nullopt;
  const auto pages = integer_after(*text, " ");  // the second number; the first is the whole size
  if (!pages) return std::nullopt;
  return *pages * ::sysconf(_SC_PAGESIZE);
}

std::optional<std::int64_t> proportional_of(std::int64_t pid, const std::string& proc) {
  const auto text = read_file(fmt::format("{}/{}/smaps_rollup", proc, pid), 16384);
  const auto kibibytes = text ? integer_after(*text, "\nPss:") : std::nullopt;
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

}  // namespace

TreeMemory measure_tree(const std::vector<ProcessStat>& members, bool proportional, const std::string& proc) {
  TreeMemory memory;
  std::int64_t resident_sum = 0, proportional_sum = 0, largest = -1;
  bool has_resident = false;
  for (const ProcessStat& member : members) {
    const auto resident = resident_of(member.pid, proc);
    if (!resident) continue;
    has_resident = true;
    ++memory.processes;
    resident_sum += *resident;
    // A process whose shares may not be read counts whole: rather too much than nothing.
    if (proportional) proportional_sum += proportional_of(member.pid, proc).value_or(*resident);
    if (*resident <= largest) continue;
    largest = *resident;
    memory.largest_pid = member.pid;
    memory.largest_name = member.name;
  }
  if (has_resident) memory.resident = Bytes{resident_sum};
  if (has_resident && proportional) memory.proportional = Bytes{proportional_sum};
  return memory;
}

std::optional<std::int64_t> machine_kernel_kills() {
  const auto text = read_file("/proc/vmstat", 1u << 20);
  return text ? integer_after(*text, "\noom_kill ") : std::nullopt;
}

MemoryWatch::MemoryWatch(std::optional<Bytes> limit, const std::optional<Cgroup>& cgroup, bool kernel_limits,
                         std::function<std::vector<ProcessStat>()> members)
    : limit_(limit), cgroup_(cgroup), kernel_limits_(kernel_limits), members_(std::move(members)) {
  if (cgroup_) group_kills_at_start_ = cgroup_->kernel_kills();
  if (!group_kills_at_start_) machine_kills_at_start_ = machine_kernel_kills();
}

bool MemoryWatch::has_kernel_killed() {
  if (group_kills_at_start_) return cgroup_->kernel_kills().value_or(0) > *group_kills_at_start_;
  return machine_kills_at_start_ && machine_kernel_kills().value_or(0) > *machine_kills_at_start_;
}

MemoryWatch::Verdict MemoryWatch::tick(std::int64_t now_ns) {
  if (now_ns < next_ns_) return Verdict::kFine;
  next_ns_ = now_ns + (limit_ ? kUsually : kSeldom);
  if (cgroup_)
    if (const auto held = cgroup_->memory_held()) peak_ = std::max(peak_.value_or(*held), *held);
  if (group_kills_at_start_ && has_kernel_killed()) return Verdict::kKernelKilled;
  if (!limit_) {
    // Without a group of our own the machine's counter only tells what happened just now.
    if (machine_kills_at_start_ && !group_kills_at_start_) machine_kills_at_start_ = machine_kernel_kills();
    return Verdict::kFine;
  }
  return watch_limit(now_ns);
}

MemoryWatch::Verdict MemoryWatch::watch_limit(std::int64_t now_ns) {
  if (kernel_limits_ && now_ns < next_measure_ns_) return Verdict::kFine;
  next_measure_ns_ = now_ns + kRescan;
  const bool is_near = last_ && last_->resident && last_->resident->count > limit_->count / 2;
  if (is_near || now_ns - known_since_ns_ >= kRescan) {
    known_ = members_();
    known_since_ns_ = now_ns;
  }
  TreeMemory memory = measure_tree(known_, false);
  // Shared pages make the sum too large; only when that matters is the exact figure worth its cost.
  if (memory.resident && memory.resident->count > limit_->count) memory = measure_tree(known_, true);
  if (cgroup_) memory.group = cgroup_->memory_charged();
  if (memory.resident) last_ = memory;
  if (const auto used = memory.proportional ? memory.proportional : memory.resident)
    peak_ = std::max(peak_.value_or(*used), *used);
  if (is_near) next_ns_ = now_ns + kOften;
  if (kernel_limits_ || !memory.proportional || memory.proportional->count <= limit_->count)
    return Verdict::kFine;
  return Verdict::kOverLimit;
}

std::string MemoryWatch::describe() const {
  if (!last_) return limit_ ? fmt::format("the limit is {}", format_bytes(*limit_)) : std::string();
  const auto used = last_->proportional ? last_->proportional : last_->resident;
  std::string text = fmt::format("last measured {}", format_bytes(used.value_or(Bytes{0})));
  if (limit_) text += fmt::format(" of {} allowed", format_bytes(*limit_));
  text += fmt::format(" in {} process{}", last_->processes, last_->processes == 1 ? "" : "es");
  if (last_->largest_pid > 0)
    text += fmt::format(", the largest {} ({})", last_->largest_pid, last_->largest_name);
  return text;
}

}  // namespace forebay
