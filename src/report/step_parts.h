// What a training step's time went to, in total and over time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "record/run_record.h"
#include "record/step.h"

namespace forebay {

struct StepPartInfo {
  std::string_view id;           // "data_wait": stable, used in --json and as a CSS class
  std::string_view label;        // a msgid
  std::int64_t StepRow::* time;  // nullptr: what is left over
};
// In the order in which a step passes through them, the rest last.
constexpr std::size_t kStepPartCount = 10;
const std::array<StepPartInfo, kStepPartCount>& step_part_table();

// Nanoseconds of each part of a row, in the order of the table; damaged rows (negative or excessive parts)
// are clamped.
std::array<double, kStepPartCount> parts_of(const StepRow& row);

struct StepSummary {
  std::int64_t steps = 0;
  int processes = 0;  // that stepped; more than one: distributed ranks
  Duration total;     // summed over steps and processes
  std::array<double, kStepPartCount> seconds{};
  std::optional<Duration> median_step;
  std::optional<double>
      samples_per_second;  // while stepping, all processes together; absent when not known for all rows
  double share(std::size_t part) const;
  Duration mean_step() const { return Duration::from_seconds(total.seconds() / static_cast<double>(steps)); }
};
// Absent when there is no row with time in it.
std::optional<StepSummary> summarise_parts(const std::vector<StepRow>& rows);

// From the start of the command to the begin of the first step: imports, data set, workers. Absent when no
// step was seen, or nothing was seen before it.
std::optional<Duration> time_before_first_step(const RunRecord& record);
// "23.0 s before the first step (17 % of the run)" in the language.
std::string before_first_step_text(std::string_view language, const RunRecord& record, Duration before);

// Consecutive steps put together, so that at most `maximum` remain: for plots.
struct StepBucket {
  double begin = 0, end = 0;  // seconds since the origin
  std::int64_t steps = 0;
  std::array<double, kStepPartCount> seconds_per_step{};
};
// Of the process that made the most steps (one rank stands for all in a picture).
std::vector<StepBucket> bucket_steps(const std::vector<StepRow>& rows, std::int64_t origin_ns,
                                     std::size_t maximum);

}  // namespace forebay
