// The samples and steps of a record on one clock: cleaned series, the window in which the job ran, the window
// in which it trained. Times are seconds on CLOCK_MONOTONIC. Everything in a record may be damaged or
// hostile: what makes no sense is left out here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "record/run_record.h"

namespace forebay {

struct Span {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
};

// One metric of one index over time; times increase strictly. A counter is made to start at 0 and to grow
// only (a restart counts from where it was).
struct SampleSeries {
  std::vector<double> times, values;

  bool empty() const { return times.empty(); }
  // Linear interpolation; nothing outside the observed span.
  std::optional<double> at(double time) const;
  // Growth of a counter over the part of `span` that was observed, and how long that part is. Nothing when
  // under two points.
  struct Growth {
    double amount = 0, seconds = 0;
  };
  std::optional<Growth> growth(Span span) const;
  // The gauge's values inside `span`.
  std::vector<double> inside(Span span) const;
};

class SampleTable {
 public:
  explicit SampleTable(const std::vector<Sample>& samples);
  const SampleSeries* find(Metric metric, std::uint16_t index = 0) const;
  std::vector<std::uint16_t> indexes(Metric metric) const;
  // Sum of growth per second over all indexes.
  std::optional<double> rate(Metric metric, Span span) const;
  std::size_t count() const { return count_; }
  std::optional<Span> span() const { return span_; }

 private:
  std::map<std::pair<std::uint16_t, std::uint16_t>, SampleSeries> series_;
  std::size_t count_ = 0;
  std::optional<Span> span_;
};

// The rows of one training process (one rank), in the order of time.
struct ProcessSteps {
  std::int32_t process = 0;
  std::int32_t rank = -1;
  std::vector<StepRow> rows;
  std::size_t warm_rows = 0;  // rows at the beginning that are warm-up and no evidence for the steady state
  Span span() const;
  std::int64_t step_count() const;
};

struct Timeline {
  SampleTable samples;
  std::vector<ProcessSteps>
      processes;                 // one for each rank; without ranks the one process that trained longest
  std::optional<Span> run;       // the command's life
  std::optional<Span> training;  // first step's begin to the last step's end, over all ranks
  std::optional<Span> steady;    // the same without warm-up
  std::optional<double> wall_seconds;
  bool ended = false;
  std::optional<double> wall_offset;  // monotonic = wall clock + this
  // Begin of the very first step, of whatever process: after a retry that is not `training`'s.
  std::optional<double> first_step;
};
Timeline make_timeline(const RunRecord& record);

// Weighted quantile (0…1) of (value, weight) pairs; nothing when empty. Sorts its copy.
std::optional<double> quantile(std::vector<std::pair<double, double>> weighted, double q);
std::optional<double> quantile(const std::vector<double>& values, double q);
std::optional<double> mean(const std::vector<double>& values);

}  // namespace forebay
