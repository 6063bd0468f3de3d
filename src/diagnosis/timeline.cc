#include "diagnosis/timeline.h"

#include <algorithm>
#include <cmath>

namespace forebay {
namespace {

constexpr double kNano = 1e-9;
constexpr std::int64_t kLongestNs = 400LL * 86400 * 1'000'000'000;  // a step or a clock beyond this is damage

bool is_sane(const StepRow& row) {
  return row.steps > 0 && row.steps < (1LL << 40) && row.duration_ns > 0 && row.duration_ns < kLongestNs &&
         row.start_ns >= 0 && row.start_ns < 100 * kLongestNs && row.first_step >= 0 &&
         row.first_step < (1LL << 50);
}

StepRow without_negative_parts(StepRow row) {
  for (std::int64_t* part :
       {&row.data_wait_ns, &row.forward_ns, &row.backward_ns, &row.optimizer_ns, &row.host_sync_ns,
        &row.checkpoint_ns, &row.collective_ns, &row.validation_ns, &row.epoch_begin_ns})
    *part = std::clamp<std::int64_t>(*part, 0, row.duration_ns);
  row.host_syncs = std::max<std::int64_t>(row.host_syncs, 0);
  row.worker_fetch_ns = std::clamp<std::int64_t>(row.worker_fetch_ns, 0, kLongestNs);
  return row;
}

double seconds_per_step(const StepRow& row) {
  return static_cast<double>(row.duration_ns) * kNano / static_cast<double>(row.steps);
}

// Warm-up: the first 3 steps of a process (allocators, caches, autotuning), and any further leading steps
// that took more than three times the median of the rest (compilation). At most half of the steps, so that
// short runs keep their evidence.
std::size_t warm_up_rows(const std::vector<StepRow>& rows) {
  constexpr std::int64_t kFirstSteps = 3;
  constexpr double kSlowFactor = 3;
  std::vector<double> durations;
  for (const StepRow& row : rows) durations.push_back(seconds_per_step(row));
  const double median = quantile(durations, 0.5).value_or(0);
  std::size_t warm = 0;
  for (std::int64_t steps = 0; warm < rows.size() / 2; ++warm) {
    if (steps >= kFirstSteps && durations[warm] <= kSlowFactor * median) break;
    steps += rows[warm].steps;
  }
  return warm;
}

std::vector<ProcessSteps> group_by_process(const std::vector<StepRow>& rows) {
  std::map<std::int32_t, ProcessSteps> by_process;
  for (const StepRow& row : rows) {
    if (!is_sane(row)) continue;
    ProcessSteps& process = by_process[row.process];
    process.process = row.process;
    process.rank = row.rank;
    process.rows.push_back(without_negative_parts(row));
  }
  std::vector<ProcessSteps> all;
  for (auto& [pid, process] : by_process) {
    std::stable_sort(process.rows.begin(), process.rows.end(),
                     [](const StepRow& a, const StepRow& b) { return a.start_ns < b.start_ns; });
    process.warm_rows = warm_up_rows(process.rows);
    all.push_back(std::move(process));
  }
  return all;
}

// A rank that was restarted, or a script that trains in several processes in turn, has several: the one that
// trained longest counts.
std::vector<ProcessSteps> choose_processes(std::vector<ProcessSteps> all) {
  const bool ranked = std::any_of(all.begin(), all.end(), [](const ProcessSteps& p) { return p.rank >= 0; });
  std::map<std::int32_t, ProcessSteps> chosen;
  for (ProcessSteps& process : all) {
    if (ranked && process.rank < 0) continue;
    ProcessSteps& best = chosen[process.rank];
    if (best.rows.empty() || process.span().length() > best.span().length()) best = std::move(process);
  }
  std::vector<ProcessSteps> result;
  for (auto& [rank, process] : chosen) result.push_back(std::move(process));
  return result;
}

void find_windows(const RunRecord& record, Timeline& timeline) {
  for (const ProcessSteps& process : timeline.processes) {
    const Span whole = process.span();
    const Span steady{static_cast<double>(process.rows[process.warm_rows].start_ns) * kNano, whole.end};
    auto widen = [](std::optional<Span>& window, Span by) {
      window = window ? Span{std::min(window->begin, by.begin), std::max(window->end, by.end)} : by;
    };
    widen(timeline.training, whole);
    widen(timeline.steady, steady);
  }
  const std::optional<Span> observed = timeline.samples.span() ? timeline.samples.span() : timeline.training;
  if (!observed) return;
  Span run{observed->begin, observed->end};
  if (timeline.training)
    run = {std::min(run.begin, *timeline.first_step), std::max(run.end, timeline.training->end)};
  if (record.outcome && timeline.wall_offset) {
    const auto monotonic = [&](Instant wall) {
      return static_cast<double>(wall.nanoseconds) * kNano + *timeline.wall_offset;
    };
    // The wall clock may have been set meanwhile: what was observed on the monotonic clock wins.
    if (record.outcome->started) run.begin = std::min(run.begin, monotonic(*record.outcome->started));
    if (record.outcome->ended) run.end = std::max(run.end, monotonic(*record.outcome->ended));
    const auto duration = record.outcome->duration;
    if (duration && run.length() > 1.5 * duration->seconds() + 60) run = {observed->begin, observed->end};
  }
  timeline.run = run;
}

}  // namespace

std::optional<double> quantile(std::vector<std::pair<double, double>> weighted, double q) {
  if (weighted.empty()) return std::nullopt;
  std::sort(weighted.begin(), weighted.end());
  double total = 0;
  for (const auto& [value, weight] : weighted) total += weight;
  double below = 0;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    below += weighted[i].second;
    // On an exact border the two neighbours are averaged: the median of an even number of values.
    if (std::fabs(below - q * total) <= 1e-12 * total && i + 1 < weighted.size())
      return (weighted[i].first + weighted[i + 1].first) / 2;
    if (below > q * total) return weighted[i].first;
  }
  return weighted.back().first;
}

std::optional<double> quantile(const std::vector<double>& values, double q) {
  std::vector<std::pair<double, double>> weighted;
  for (const double value : values) weighted.emplace_back(value, 1.0);
  return quantile(std::move(weighted), q);
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<double> SampleSeries::at(double time) const {
  if (times.empty() || time < times.front() || time > times.back()) return std::nullopt;
  const auto after = std::lower_bound(times.begin(), times.end(), time);
  const auto i = static_cast<std::size_t>(after - times.begin());
  if (i == 0 || times[i] == time) return values[i];
  const double part = (time - times[i - 1]) / (times[i] - times[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

std::optional<SampleSeries::Growth> SampleSeries::growth(Span span) const {
  if (times.size() < 2) return std::nullopt;
  const double begin = std::max(span.begin, times.front()), end = std::min(span.end, times.back());
  if (end <= begin) return std::nullopt;
  return Growth{*at(end) - *at(begin), end - begin};
}

std::vector<double> SampleSeries::inside(Span span) const {
  std::vector<double> found;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] >= span.begin && times[i] <= span.end) found.push_back(values[i]);
  return found;
}

SampleTable::SampleTable(const std::vector<Sample>& samples) {
  std::map<std::pair<std::uint16_t, std::uint16_t>, double> last_raw;
  for (const Sample& sample : samples) {
    const double time = static_cast<double>(sample.monotonic_ns) * kNano;
    if (sample.monotonic_ns < 0 || (span_ && time <= span_->end)) continue;
    span_ = span_ ? Span{span_->begin, time} : Span{time, time};
    ++count_;
    for (const SampleValue& value : sample.values) {
      if (!std::isfinite(value.value)) continue;
      const std::pair key{static_cast<std::uint16_t>(value.metric), value.index};
      SampleSeries& series = series_[key];
      if (!series.times.empty() && series.times.back() == time)
        continue;  // the same metric twice in one sample
      const MetricInfo* info = find_metric(value.metric);
      double shown = value.value;
      if (info && info->is_counter) {
        const bool first = series.times.empty();
        const double grown = first ? 0 : value.value - last_raw[key];
        shown = first ? 0 : series.values.back() + std::max(grown, 0.0);
        last_raw[key] = value.value;
      }
      series.times.push_back(time);
      series.values.push_back(shown);
    }
  }
}

const SampleSeries* SampleTable::find(Metric metric, std::uint16_t index) const {
  const auto found = series_.find({static_cast<std::uint16_t>(metric), index});
  return found == series_.end() ? nullptr : &found->second;
}

std::vector<std::uint16_t> SampleTable::indexes(Metric metric) const {
  std::vector<std::uint16_t> found;
  for (auto it = series_.lower_bound({static_cast<std::uint16_t>(metric), 0});
       it != series_.end() && it->first.first == static_cast<std::uint16_t>(metric); ++it)
    found.push_back(it->first.second);
  return found;
}

std::optional<double> SampleTable::rate(Metric metric, Span span) const {
  std::optional<double> total;
  for (const std::uint16_t index : indexes(metric))
    if (const auto growth = find(metric, index)->growth(span); growth && growth->seconds > 0)
      total = total.value_or(0) + growth->amount / growth->seconds;
  return total;
}

Span ProcessSteps::span() const {
  if (rows.empty()) return {};
  double end = 0;
  for (const StepRow& row : rows)
    end = std::max(end, static_cast<double>(row.start_ns + row.duration_ns) * kNano);
  return {static_cast<double>(rows.front().start_ns) * kNano, end};
}

std::int64_t ProcessSteps::step_count() const {
  std::int64_t count = 0;
  for (const StepRow& row : rows) count += row.steps;
  return count;
}

Timeline make_timeline(const RunRecord& record) {
  Timeline timeline{SampleTable(record.samples),
                    choose_processes(group_by_process(record.steps)),
                    {},
                    {},
                    {},
                    {},
                    false,
                    {},
                    {}};
  for (const StepRow& row : record.steps) {
    const double begin = static_cast<double>(row.start_ns) * kNano;
    if (is_sane(row) && (!timeline.first_step || begin < *timeline.first_step)) timeline.first_step = begin;
  }
  timeline.ended = record.outcome.has_value();
  if (!record.samples.empty()) {
    const Sample& first = record.samples.front();
    timeline.wall_offset =
        static_cast<double>(first.monotonic_ns) * kNano - static_cast<double>(first.wall.nanoseconds) * kNano;
  }
  find_windows(record, timeline);
  if (record.outcome && record.outcome->duration && record.outcome->duration->nanoseconds > 0)
    timeline.wall_seconds = record.outcome->duration->seconds();
  else if (timeline.run && timeline.run->length() > 0)
    timeline.wall_seconds = timeline.run->length();
  return timeline;
}

}  // namespace forebay
