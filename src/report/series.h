// What a run's samples say over time, ready to be drawn: rates from counters, sums over devices, gaps where
// nothing was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/run_record.h"

namespace forebay {

struct SeriesPoint {
  double seconds = 0;           // since the run's time origin
  std::optional<double> value;  // absent: a gap, never drawn as zero
};

struct Series {
  std::string id;          // "cpu_cores", "gpu_utilization", "memory": stable, used in --json
  std::string_view label;  // a msgid
  int index = -1;          // device number, or -1
  std::string_view unit;   // "cores", "1" (a share), "B", "B/s", "W", "s"
  std::vector<SeriesPoint> points;

  bool has_values() const;
  std::optional<double> maximum() const, mean() const, last() const;
};

// Where time begins for all plots: the earliest of samples and steps, CLOCK_MONOTONIC ns.
std::int64_t time_origin(const RunRecord& record);
// Seconds since the origin of a wall-clock instant, by the first sample (which carries both clocks); absent
// without samples.
std::optional<double> seconds_at(const RunRecord& record, Instant instant);

// A gauge as it was read; an absent value is a gap, and so is a pause in sampling of over three intervals.
Series gauge_series(const RunRecord& record, Metric metric, int index, std::string id, std::string_view label,
                    std::string_view unit);
// The rate of a counter (per second, summed over all its indices); a counter that went back is a gap.
Series rate_series(const RunRecord& record, Metric metric, std::string id, std::string_view label,
                   std::string_view unit);
// Device numbers that occur for a metric, in order, at most 64.
std::vector<int> indices_of(const RunRecord& record, Metric metric);
// GPUs of which anything was read, in order.
std::vector<int> gpu_devices(const RunRecord& record);
// Cores the run could use: affinity and quota counted in where the machine's description knows them.
std::optional<double> core_count(const RunRecord& record);
// The smallest limit on memory that binds the run: its cgroup's, the job's, else the machine's memory.
std::optional<double> memory_limit(const RunRecord& record);
// The memory of the run's tree: its cgroup's, else PSS, else RSS.
Series memory_series(const RunRecord& record);

// At most about `maximum` points: the smallest and the largest of each bucket, in order of time, and every
// gap.
std::vector<SeriesPoint> thin_points(const std::vector<SeriesPoint>& points, std::size_t maximum);

}  // namespace forebay
