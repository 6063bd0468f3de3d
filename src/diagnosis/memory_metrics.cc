#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "diagnosis/summary.h"

namespace forebay {
namespace {

std::string samples_origin(const Timeline& timeline) {
  return fmt::format("samples.seg: {} samples", timeline.samples.count());
}

// The run's memory over time, by the best measure there is: what the kernel charges to its cgroup, the
// proportional set size (shared pages counted once), the resident size (shared pages counted for every
// process, so an upper bound).
struct MemorySeries {
  const SampleSeries* series = nullptr;
  const char* measure = "";
};
MemorySeries memory_series(const SampleTable& samples) {
  if (const SampleSeries* found = samples.find(Metric::kCgroupMemoryBytes)) return {found, "cgroup"};
  if (const SampleSeries* found = samples.find(Metric::kTreeProportionalBytes))
    return {found, "PSS of the tree"};
  if (const SampleSeries* found = samples.find(Metric::kTreeResidentBytes)) return {found, "RSS of the tree"};
  return {};
}

// Straight line through the second half of the training window: slope, and how much of the variation it
// explains.
void add_growth(const SampleSeries& series, const Timeline& timeline, MetricSet& set) {
  if (!timeline.steady || timeline.steady->length() <= 0) return;
  const Span half{(timeline.steady->begin + timeline.steady->end) / 2, timeline.steady->end};
  std::vector<double> t, v;
  for (std::size_t i = 0; i < series.times.size(); ++i)
    if (series.times[i] >= half.begin && series.times[i] <= half.end) {
      t.push_back(series.times[i] - half.begin);
      v.push_back(series.values[i]);
    }
  if (t.size() < 10) return;
  const double mean_t = *mean(t), mean_v = *mean(v);
  double tt = 0, tv = 0, vv = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    tt += (t[i] - mean_t) * (t[i] - mean_t);
    tv += (t[i] - mean_t) * (v[i] - mean_v);
    vv += (v[i] - mean_v) * (v[i] - mean_v);
  }
  if (tt <= 0) return;
  const auto n = static_cast<std::int64_t>(t.size());
  const std::string origin =
      fmt::format("samples.seg: line through {} samples of the second half of training", n);
  set.add("memory_growth_rate", tv / tt, "B/s", origin, n);
  set.add("memory_growth_fit", vv > 0 ? tv * tv / (tt * vv) : 0, "1", origin, n);
}

void add_limit(const RunRecord& record, const Timeline& timeline, MetricSet& set) {
  std::optional<double> limit;
  std::string origin;
  auto lower = [&](std::optional<double> candidate, const char* from) {
    if (!candidate || *candidate <= 0 || *candidate > 1e15 || (limit && *limit <= *candidate)) return;
    limit = candidate;
    origin = from;
  };
  const std::string own = record.job["resources"]["memory"].string_or_empty();
  if (const auto bytes = parse_bytes(own))  // "16GiB+" is a wish for the machine, and not read as a size
    lower(static_cast<double>(bytes->count), "the job's own limit");
  if (const SampleSeries* cgroup = timeline.samples.find(Metric::kCgroupMemoryLimitBytes))
    lower(quantile(cgroup->values, 0), "the run's cgroup");
  lower(record.machine["memory"]["limit_bytes"].as_double(), "the machine's cgroup");
  lower(record.machine["memory"]["total_bytes"].as_double(), "the machine's memory");
  if (const SampleSeries* total = timeline.samples.find(Metric::kMemoryTotalBytes))
    lower(quantile(total->values, 0), "the machine's memory");
  if (!limit) return;
  set.add("memory_limit_bytes", *limit, "B", origin);
  set.add_fact("memory_limit_kind", origin, "samples.seg, machine.json");
  if (const auto peak = set.get("memory_peak_bytes")) {
    set.add("memory_peak_share", *peak / *limit, "1", origin, set.find("memory_peak_bytes")->n);
    set.add("memory_headroom_bytes", *limit - *peak, "B", origin);
    const auto rate = set.get("memory_growth_rate");
    if (rate && *rate > 0)
      set.add("memory_seconds_to_limit", std::max(0.0, *limit - *peak) / *rate, "s", "the line, continued");
  }
}

void add_peak(const RunRecord& record, const Timeline& timeline, const MemorySeries& memory, MetricSet& set) {
  std::optional<double> peak;
  std::string origin = samples_origin(timeline);
  auto n = static_cast<std::int64_t>(timeline.samples.count());
  if (memory.series) {
    peak = quantile(memory.series->values, 1);
    origin += fmt::format(" ({})", memory.measure);
  }
  if (record.outcome && record.outcome->peak_memory_bytes &&
      *record.outcome->peak_memory_bytes > peak.value_or(0)) {
    peak = static_cast<double>(*record.outcome->peak_memory_bytes);
    origin = "outcome.json";
    n = 1;
  }
  if (peak) set.add("memory_peak_bytes", *peak, "B", origin, n);
}

// How memory rose at the end: what an out-of-memory post-mortem asks first.
void add_end(const SampleSeries& series, MetricSet& set) {
  if (series.times.size() < 2) return;
  const double end = series.times.back();
  const double last = series.values.back();
  set.add("memory_last_bytes", last, "B", "samples.seg: the last sample");
  for (const double seconds : {10.0, 60.0})
    if (const auto before = series.at(end - seconds))
      set.add(fmt::format("memory_growth_last_{:.0f}s_bytes", seconds), last - *before, "B",
              "samples.seg: the end");
  if (const auto median = quantile(series.values, 0.5))
    set.add("memory_median_bytes", *median, "B", "samples.seg");
}

}  // namespace

void add_memory_metrics(const RunRecord& record, const Timeline& timeline, MetricSet& set) {
  const MemorySeries memory = memory_series(timeline.samples);
  const std::string origin = samples_origin(timeline);
  const auto n = static_cast<std::int64_t>(timeline.samples.count());
  add_peak(record, timeline, memory, set);
  if (memory.series) {
    add_growth(*memory.series, timeline, set);
    add_end(*memory.series, set);
  }
  add_limit(record, timeline, set);
  auto add_quantile = [&](Metric metric, double q, const char* name) {
    const SampleSeries* series = timeline.samples.find(metric);
    if (const auto value = series ? quantile(series->values, q) : std::nullopt)
      set.add(name, *value, "B", origin, n);
  };
  add_quantile(Metric::kMemoryTotalBytes, 0, "memory_total_bytes");
  add_quantile(Metric::kMemoryAvailableBytes, 0, "memory_available_min_bytes");
  add_quantile(Metric::kSwapUsedBytes, 1, "swap_used_peak_bytes");
  add_quantile(Metric::kSwapUsedBytes, 0, "swap_used_min_bytes");
  add_quantile(Metric::kShmFreeBytes, 0, "shm_free_min_bytes");
  if (const auto total = record.machine["shared_memory"]["total_bytes"].as_double())
    set.add("shm_total_bytes", *total, "B", "machine.json");
  const auto available = set.get("memory_available_min_bytes"), total = set.get("memory_total_bytes");
  if (available && total && *total > 0)
    set.add("memory_available_min_share", *available / *total, "1", origin, n);
}

}  // namespace forebay
