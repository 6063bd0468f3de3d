#include "report/series.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace forebay {
namespace {

// Seconds between two clock readings; as reals, because a damaged record may hold any number.
double difference(std::int64_t later_ns, std::int64_t earlier_ns) {
  return (static_cast<double>(later_ns) - static_cast<double>(earlier_ns)) * 1e-9;
}

// Three times the usual distance of samples: a longer pause means that nothing was read in between.
double longest_pause(const std::vector<Sample>& samples) {
  std::vector<double> distances;
  const std::size_t stride = std::max<std::size_t>(1, samples.size() / 1000);
  for (std::size_t i = 1; i < samples.size(); i += stride)
    distances.push_back(difference(samples[i].monotonic_ns, samples[i - 1].monotonic_ns));
  if (distances.empty()) return 3;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::max(3 * *middle, 0.3);
}

// Sum over the indices of a counter; absent when no value is there.
std::optional<double> sum_of(const Sample& sample, Metric metric) {
  std::optional<double> sum;
  for (const SampleValue& value : sample.values)
    if (value.metric == metric && std::isfinite(value.value)) sum = sum.value_or(0) + value.value;
  return sum;
}

bool occurs(const RunRecord& record, Metric metric) {
  return std::ranges::any_of(record.samples,
                             [&](const Sample& sample) { return sample.get(metric).has_value(); });
}

// The last look at a run that has ended meanwhile: its counters stand still, which is no measurement of 0.
bool is_after_the_end(const Sample& sample) {
  return sample.get(Metric::kTreeProcesses).value_or(1) == 0;
}

bool is_of_the_tree(Metric metric) {
  return metric == Metric::kTreeCpuSeconds || metric == Metric::kTreeReadBytes ||
         metric == Metric::kTreeWriteBytes;
}

}  // namespace

bool Series::has_values() const {
  return std::ranges::any_of(points, [](const SeriesPoint& point) { return point.value.has_value(); });
}

std::optional<double> Series::maximum() const {
  std::optional<double> largest;
  for (const SeriesPoint& point : points)
    if (point.value && (!largest || *point.value > *largest)) largest = point.value;
  return largest;
}

std::optional<double> Series::mean() const {
  double sum = 0;
  std::size_t count = 0;
  for (const SeriesPoint& point : points) {
    if (!point.value) continue;
    sum += *point.value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> Series::last() const {
  for (auto point = points.rbegin(); point != points.rend(); ++point)
    if (point->value) return point->value;
  return std::nullopt;
}

std::int64_t time_origin(const RunRecord& record) {
  std::optional<std::int64_t> earliest;
  for (const Sample& sample : record.samples)
    if (!earliest || sample.monotonic_ns < *earliest) earliest = sample.monotonic_ns;
  for (const StepRow& step : record.steps)
    if (!earliest || step.start_ns < *earliest) earliest = step.start_ns;
  return earliest.value_or(0);
}

std::optional<double> seconds_at(const RunRecord& record, Instant instant) {
  if (record.samples.empty()) return std::nullopt;
  const Sample& first = record.samples.front();
  const double since_first = difference(instant.nanoseconds, first.wall.nanoseconds);
  return since_first + difference(first.monotonic_ns, time_origin(record));
}

Series gauge_series(const RunRecord& record, Metric metric, int index, std::string id, std::string_view label,
                    std::string_view unit) {
  Series series{std::move(id), label, index, unit, {}};
  const std::int64_t origin = time_origin(record);
  const double pause = longest_pause(record.samples);
  std::optional<double> before;
  for (const Sample& sample : record.samples) {
    const double seconds = difference(sample.monotonic_ns, origin);
    if (before && seconds - *before > pause) series.points.push_back({(*before + seconds) / 2, std::nullopt});
    auto value = sample.get(metric, static_cast<std::uint16_t>(std::max(index, 0)));
    if (value && !std::isfinite(*value)) value.reset();
    series.points.push_back({seconds, value});
    before = seconds;
  }
  return series;
}

Series rate_series(const RunRecord& record, Metric metric, std::string id, std::string_view label,
                   std::string_view unit) {
  Series series{std::move(id), label, -1, unit, {}};
  const std::int64_t origin = time_origin(record);
  const double pause = longest_pause(record.samples);
  std::optional<double> before_value;
  double before_seconds = 0;
  for (const Sample& sample : record.samples) {
    const double seconds = difference(sample.monotonic_ns, origin);
    const auto value = sum_of(sample, metric);
    if (value && before_value && seconds > before_seconds) {
      const bool is_gap = *value < *before_value || seconds - before_seconds > pause ||
                          (is_of_the_tree(metric) && is_after_the_end(sample));
      const double rate = (*value - *before_value) / (seconds - before_seconds);
      series.points.push_back({seconds, is_gap ? std::nullopt : std::optional(rate)});
    } else {
      series.points.push_back({seconds, std::nullopt});
    }
    before_value = value;
    before_seconds = seconds;
  }
  return series;
}

std::vector<int> indices_of(const RunRecord& record, Metric metric) {
  std::vector<int> found;
  for (const Sample& sample : record.samples)
    for (const SampleValue& value : sample.values)
      if (value.metric == metric && std::ranges::find(found, value.index) == found.end() && found.size() < 64)
        found.push_back(value.index);
  std::ranges::sort(found);
  return found;
}

std::vector<int> gpu_devices(const RunRecord& record) {
  std::vector<int> devices;
  for (const Metric metric : {Metric::kGpuUtilizationFraction, Metric::kGpuMemoryUsedBytes,
                              Metric::kGpuPowerWatts, Metric::kGpuLost})
    for (const int device : indices_of(record, metric))
      if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  std::ranges::sort(devices);
  return devices;
}

std::optional<double> core_count(const RunRecord& record) {
  for (const char* key : {"usable_cores", "cores"})
    if (const auto cores = record.machine["cpu"][key].as_double(); cores && *cores > 0 && *cores < 1e6)
      return *cores;
  int largest = -1;
  for (std::size_t i = 0; i < record.samples.size() && i < 10; ++i)
    for (const SampleValue& value : record.samples[i].values)
      if (value.metric == Metric::kCoreBusyFraction)
        largest = std::max(largest, static_cast<int>(value.index));
  if (largest < 0) return std::nullopt;
  return static_cast<double>(largest) + 1;
}

std::optional<double> memory_limit(const RunRecord& record) {
  std::optional<double> limit;
  const auto consider = [&](std::optional<double> value) {
    if (value && *value > 0 && (!limit || *value < *limit)) limit = value;
  };
  consider(record.machine["memory"]["usable_bytes"].as_double());
  for (const Sample& sample : record.samples) {
    consider(sample.get(Metric::kCgroupMemoryLimitBytes));
    consider(sample.get(Metric::kMemoryTotalBytes));
  }
  return limit;
}

Series memory_series(const RunRecord& record) {
  for (const Metric metric : {Metric::kCgroupMemoryBytes, Metric::kTreeProportionalBytes})
    if (occurs(record, metric))
      return gauge_series(record, metric, -1, "memory", msgid("memory of the run"), "B");
  return gauge_series(record, Metric::kTreeResidentBytes, -1, "memory", msgid("memory of the run"), "B");
}

std::vector<SeriesPoint> thin_points(const std::vector<SeriesPoint>& points, std::size_t maximum) {
  if (points.size() <= maximum || maximum < 6) return points;
  const std::size_t buckets = maximum / 3;  // up to a minimum, a maximum and a gap each
  std::vector<SeriesPoint> thinned;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * points.size() / buckets, end = (bucket + 1) * points.size() / buckets;
    const SeriesPoint *low = nullptr, *high = nullptr, *gap = nullptr;
    for (std::size_t i = begin; i < end; ++i) {
      const SeriesPoint& point = points[i];
      if (!point.value) {
        gap = &point;
        continue;
      }
      if (low == nullptr || *point.value < *low->value) low = &point;
      if (high == nullptr || *point.value > *high->value) high = &point;
    }
    std::vector<const SeriesPoint*> kept;
    for (const SeriesPoint* each : {low, high, gap})
      if (each != nullptr && std::ranges::find(kept, each) == kept.end()) kept.push_back(each);
    std::ranges::sort(kept, {}, [](const SeriesPoint* each) { return each->seconds; });
    for (const SeriesPoint* each : kept) thinned.push_back(*each);
  }
  return thinned;
}

}  // namespace forebay
