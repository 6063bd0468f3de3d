#include "supervisor/limits.h"

#include <algorithm>

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr std::int64_t kStaleSample = 10'000'000'000;

std::int64_t latest(std::int64_t first, std::initializer_list<std::optional<std::int64_t>> others) {
  for (const auto& other : others) first = std::max(first, other.value_or(first));
  return first;
}

// Only a sampler that is alive can say that nothing happened.
bool is_current(const Activity& activity, const Duration& limit, std::int64_t now_ns) {
  return activity.sampled_ns &&
         now_ns - *activity.sampled_ns <= std::max(kStaleSample, limit.nanoseconds / 10);
}

std::string minutes(Duration duration) {
  return format_duration(duration);
}

}  // namespace

std::optional<LimitReached> reached_limit(const Limits& limits, const std::optional<Activity>& activity,
                                          std::int64_t started_ns, std::int64_t now_ns) {
  const Duration age{now_ns - started_ns};
  if (limits.budget && age >= *limits.budget)
    return LimitReached{StopReason::kBudget,
                        fmt::format("stopped after {}: the budget is spent", minutes(age))};
  if (limits.max_duration && age >= *limits.max_duration)
    return LimitReached{StopReason::kMaxDuration,
                        fmt::format("stopped after {}: the limit max_duration is {}", minutes(age),
                                    minutes(*limits.max_duration))};
  if (limits.slice_duration && age >= *limits.slice_duration)
    return LimitReached{StopReason::kSlice,
                        fmt::format("stopped after {}, as the probe wanted", minutes(age))};
  if (!activity) return std::nullopt;
  if (limits.slice_steps && activity->most_steps >= *limits.slice_steps)
    return LimitReached{StopReason::kSlice,
                        fmt::format("stopped after {} steps, as the probe wanted", activity->most_steps)};
  if (limits.hang_stop && activity->io_known && is_current(*activity, *limits.hang_stop, now_ns)) {
    const std::int64_t last = latest(started_ns, {activity->last_step_ns, activity->last_log_ns,
                                                  activity->last_io_ns, activity->last_progress_ns});
    if (now_ns - last >= limits.hang_stop->nanoseconds)
      return LimitReached{
          StopReason::kHang,
          fmt::format("stopped as hung: no step, no line of output and no I/O for {} (limit hang_stop {})",
                      minutes(Duration{now_ns - last}), minutes(*limits.hang_stop))};
  }
  if (limits.idle_stop && activity->cpu_known && is_current(*activity, *limits.idle_stop, now_ns)) {
    const std::int64_t last =
        latest(started_ns, {activity->last_cpu_ns, activity->last_io_ns, activity->last_gpu_ns,
                            activity->last_step_ns, activity->last_log_ns, activity->last_progress_ns});
    if (now_ns - last >= limits.idle_stop->nanoseconds)
      return LimitReached{
          StopReason::kIdle,
          fmt::format("stopped as idle: no CPU, GPU, I/O, step or output for {} (limit idle_stop {})",
                      minutes(Duration{now_ns - last}), minutes(*limits.idle_stop))};
  }
  return std::nullopt;
}

}  // namespace forebay
