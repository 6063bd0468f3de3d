#include "report/step_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "diagnosis/timeline.h"
#include "report/headline.h"
#include "report/say.h"

namespace forebay {
namespace {

constexpr double kNanosecond = 1e-9;

// A damaged row may hold any number; sums of usable ones cannot overflow.
bool usable(const StepRow& row) {
  return row.duration_ns > 0 && row.steps > 0 && row.steps <= 1'000'000'000;
}

// Median time per step; a row that sums several steps counts that often.
std::optional<Duration> median_step(const std::vector<StepRow>& rows) {
  std::vector<std::pair<std::int64_t, std::int64_t>> weighted;  // ns per step, steps
  std::int64_t total = 0;
  for (const StepRow& row : rows) {
    if (!usable(row)) continue;
    weighted.emplace_back(row.duration_ns / row.steps, row.steps);
    total += row.steps;
  }
  std::ranges::sort(weighted);
  std::int64_t seen = 0;
  for (const auto& [per_step, steps] : weighted) {
    seen += steps;
    if (seen * 2 >= total) return Duration{per_step};
  }
  return std::nullopt;
}

// Samples per second: per process over the time of its steps, then added up.
std::optional<double> sample_rate(const std::vector<StepRow>& rows) {
  std::map<std::int32_t, std::pair<double, double>> by_process;  // samples, seconds
  for (const StepRow& row : rows) {
    if (!usable(row)) continue;
    if (row.samples < 0) return std::nullopt;
    auto& [samples, seconds] = by_process[row.process];
    samples += static_cast<double>(row.samples);
    seconds += static_cast<double>(row.duration_ns) * kNanosecond;
  }
  double rate = 0;
  for (const auto& [process, sums] : by_process) rate += sums.first / sums.second;
  if (rate <= 0) return std::nullopt;
  return rate;
}

std::int32_t busiest_process(const std::vector<StepRow>& rows) {
  std::map<std::int32_t, std::int64_t> steps;
  for (const StepRow& row : rows)
    if (usable(row)) steps[row.process] += row.steps;
  const auto most = std::ranges::max_element(steps, {}, [](const auto& each) { return each.second; });
  return most == steps.end() ? 0 : most->first;
}

}  // namespace

const std::array<StepPartInfo, kStepPartCount>& step_part_table() {
  static constexpr std::array<StepPartInfo, kStepPartCount> kTable{{
      {"data_wait", msgid("data wait"), &StepRow::data_wait_ns},
      {"epoch_begin", msgid("starting workers"), &StepRow::epoch_begin_ns},
      {"forward", msgid("forward"), &StepRow::forward_ns},
      {"backward", msgid("backward"), &StepRow::backward_ns},
      {"optimizer", msgid("optimizer"), &StepRow::optimizer_ns},
      {"collective", msgid("communication"), &StepRow::collective_ns},
      {"host_sync", msgid("host sync"), &StepRow::host_sync_ns},
      {"checkpoint", msgid("checkpoint"), &StepRow::checkpoint_ns},
      {"validation", msgid("validation"), &StepRow::validation_ns},
      {"other", msgid("other Python"), nullptr},
  }};
  return kTable;
}

std::array<double, kStepPartCount> parts_of(const StepRow& row) {
  std::array<double, kStepPartCount> parts{};
  double left = static_cast<double>(std::max<std::int64_t>(row.duration_ns, 0));
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    const auto member = step_part_table()[i].time;
    parts[i] = member == nullptr ? left : std::clamp(static_cast<double>(row.*member), 0.0, left);
    left -= parts[i];
  }
  return parts;
}

double StepSummary::share(std::size_t part) const {
  const double all = total.seconds();
  return all > 0 ? seconds[part] / all : 0;
}

std::optional<StepSummary> summarise_parts(const std::vector<StepRow>& rows) {
  StepSummary summary;
  std::map<std::int32_t, bool> processes;
  double total = 0;
  for (const StepRow& row : rows) {
    if (!usable(row)) continue;
    summary.steps += row.steps;
    processes[row.process] = true;
    total += static_cast<double>(row.duration_ns) * kNanosecond;
    const auto parts = parts_of(row);
    for (std::size_t i = 0; i < kStepPartCount; ++i) summary.seconds[i] += parts[i] * kNanosecond;
  }
  if (summary.steps == 0) return std::nullopt;
  summary.processes = static_cast<int>(processes.size());
  summary.total = Duration::from_seconds(std::min(total, 9e9));
  summary.median_step = median_step(rows);
  summary.samples_per_second = sample_rate(rows);
  return summary;
}

std::optional<Duration> time_before_first_step(const RunRecord& record) {
  const Timeline timeline = make_timeline(record);
  if (!timeline.first_step || !timeline.run || !timeline.samples.span()) return std::nullopt;
  const double seconds = *timeline.first_step - timeline.run->begin;
  if (!(seconds >= 0 && seconds < 9e9)) return std::nullopt;
  return Duration::from_seconds(seconds);
}

std::string before_first_step_text(std::string_view language, const RunRecord& record, Duration before) {
  const auto whole = run_duration(record);
  if (!whole || whole->nanoseconds <= 0 || before.nanoseconds > whole->nanoseconds)
    return say(language, "{0} before the first step", {step_time(before)});
  return say(language, "{0} before the first step ({1} of the run)",
             {step_time(before), percent(before.seconds() / whole->seconds())});
}

std::vector<StepBucket> bucket_steps(const std::vector<StepRow>& rows, std::int64_t origin_ns,
                                     std::size_t maximum) {
  const std::int32_t process = busiest_process(rows);
  std::vector<const StepRow*> chosen;
  for (const StepRow& row : rows)
    if (row.process == process && usable(row)) chosen.push_back(&row);
  std::ranges::stable_sort(chosen, {}, [](const StepRow* row) { return row->start_ns; });
  const std::size_t count = std::min(chosen.size(), std::max<std::size_t>(maximum, 1));
  std::vector<StepBucket> buckets(count);
  for (std::size_t i = 0; i < count; ++i) {
    StepBucket& bucket = buckets[i];
    const std::size_t first = i * chosen.size() / count, past = (i + 1) * chosen.size() / count;
    bucket.begin =
        (static_cast<double>(chosen[first]->start_ns) - static_cast<double>(origin_ns)) * kNanosecond;
    const StepRow& last = *chosen[past - 1];
    bucket.end = (static_cast<double>(last.start_ns) - static_cast<double>(origin_ns) +
                  static_cast<double>(last.duration_ns)) *
                 kNanosecond;
    for (std::size_t at = first; at < past; ++at) {
      bucket.steps += chosen[at]->steps;
      const auto parts = parts_of(*chosen[at]);
      for (std::size_t part = 0; part < kStepPartCount; ++part)
        bucket.seconds_per_step[part] += parts[part] * kNanosecond;
    }
    for (double& seconds : bucket.seconds_per_step) seconds /= static_cast<double>(bucket.steps);
  }
  return buckets;
}

}  // namespace forebay
