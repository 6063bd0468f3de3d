#include "planning/interruption.h"

#include <algorithm>
#include <cmath>

namespace forebay {
namespace {
constexpr double kMonth = 30.0 * 86'400;
constexpr double kHundredYears = 100.0 * 365 * 86'400;
constexpr double kShortestInterval = 1.0;  // nothing is gained by checkpoints closer than a second
}  // namespace

std::optional<Duration> mean_time_between_interruptions(Probability monthly) {
  if (!(monthly.value > 0) || monthly.value >= 1) return std::nullopt;
  const double seconds = kMonth / -std::log1p(-monthly.value);
  return Duration::from_seconds(std::min(seconds, kHundredYears));
}

Duration best_checkpoint_interval(Duration between_interruptions, Duration checkpoint_cost) {
  const double mean = between_interruptions.seconds(), cost = checkpoint_cost.seconds();
  if (cost <= 0) return Duration{0};
  if (cost >= 2 * mean) return between_interruptions;
  const double ratio = cost / (2 * mean);
  return Duration::from_seconds(std::sqrt(2 * cost * mean) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - cost);
}

std::optional<Duration> expected_time(Duration work, Duration between_interruptions,
                                      const CheckpointHabit& habit) {
  const double seconds = work.seconds(), mean = between_interruptions.seconds();
  if (seconds <= 0) return work;
  if (mean <= 0) return std::nullopt;
  const Duration chosen =
      habit.interval ? *habit.interval : best_checkpoint_interval(between_interruptions, habit.cost);
  const double interval = std::clamp(chosen.seconds(), std::min(kShortestInterval, seconds), seconds);
  const double expected = mean * std::exp(habit.restart.seconds() / mean) *
                          std::expm1((interval + habit.cost.seconds()) / mean) * seconds / interval;
  if (!(expected < kHundredYears)) return std::nullopt;
  return Duration::from_seconds(expected);
}

}  // namespace forebay
