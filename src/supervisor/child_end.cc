// The end of a child: what is left of it, and what its end means.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "supervisor/child_run.h"
#include "supervisor/kill_point.h"

namespace forebay {
namespace {

constexpr std::int64_t kGroupPatience =
    500'000'000;  // the kernel lets go of a dead process's group a moment after its end
constexpr std::int64_t kPause = 1'000'000;

void remove_group(const Cgroup& cgroup, const Clock& clock) {
  const std::int64_t begin = clock.monotonic_ns();
  while (!cgroup.remove() && clock.monotonic_ns() - begin < kGroupPatience) clock.sleep(Duration{kPause});
}

}  // namespace

void ChildRun::finish() {
  const bool is_left_behind = !is_tree_empty_;
  if (is_left_behind) {
    for (const ProcessStat& process : members()) outcome_.unkillable.push_back(process.pid);
    event("unkillable", Json::object({{"pids", outcome_.unkillable}}));
    if (!is_warden_lost_)
      ::kill(warden_.pid, SIGKILL);  // its orphans become ours, and the next run's look finds them by tag
  }
  attempt_.loop.forget(warden_.channel.get());
  if (!is_warden_lost_) ::waitpid(warden_.pid, nullptr, 0);
  attempt_.input.disconnect();
  io_.child_output.reset();  // the pty's slave: now its master ends
  pump_.drain();
  while (pump_.is_stalled()) {
    attempt_.loop.turn(Duration{std::max<std::int64_t>(0, pump_.next_tick_ns().value_or(0) - now_ns())});
    pump_.tick(now_ns());
    if (!pump_.is_stalled()) pump_.drain();
  }
  judge_end();
  outcome_.log_bytes = pump_.written();
  outcome_.lost_log_bytes = pump_.lost();
  outcome_.leftovers_killed = stop_.killed();
  if (cgroup_ && !is_left_behind) remove_group(*cgroup_, attempt_.settings.clock);
  attempt_.record.warden.reset();
  attempt_.record.child.reset();
  attempt_.record.cgroups.clear();
  attempt_.socket.wake();
  kill_point("supervisor-child-finished");
}

void ChildRun::judge_end() {
  if (!has_exited_) {
    outcome_.ended = attempt_.settings.clock.now();
    outcome_.duration = Duration{now_ns() - started_ns_};
  }
  if (!memory_) return;
  if (const auto peak = memory_->peak())
    outcome_.peak_memory = std::max(outcome_.peak_memory.value_or(*peak), *peak);
  outcome_.memory_before_end = memory_->last();
  const bool has_failed = outcome_.signal || outcome_.exit_code.value_or(1) != 0;
  if (has_failed && outcome_.stop_reason == StopReason::kNone && memory_->has_kernel_killed()) {
    const bool by_limit = spec_.memory_limit && kernel_limits_memory_;
    event("out-of-memory", Json::object({{"sentence", memory_->describe()}}));
    if (by_limit)
      set_reason(StopReason::kMemoryLimit,
                 fmt::format("killed by the kernel: it needed more memory than its limit of {} ({})",
                             format_bytes(*spec_.memory_limit), memory_->describe()));
    else
      set_reason(StopReason::kKernelOutOfMemory,
                 "killed by the kernel: the machine or the container ran out of memory");
  }
  if (outcome_.stop_reason == StopReason::kMemoryLimit && kernel_limits_memory_)
    outcome_.peak_memory = std::max(outcome_.peak_memory.value_or(*spec_.memory_limit), *spec_.memory_limit);
}

}  // namespace forebay
