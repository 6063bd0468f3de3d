#include "cost/energy.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace forebay {
namespace {

struct Counter {
  std::int64_t first_ns = 0, last_ns = 0;
  double last = 0, grown = 0;
  bool started = false;
};

struct CounterSum {
  std::optional<double> joules;
  double covered_seconds = 0;  // of the least covered index
  std::size_t indexes = 0;
};

CounterSum sum_of(const RunRecord& record, Metric metric) {
  std::map<std::uint16_t, Counter> counters;
  for (const Sample& sample : record.samples)
    for (const SampleValue& value : sample.values) {
      if (value.metric != metric || !std::isfinite(value.value) || value.value < 0) continue;
      Counter& counter = counters[value.index];
      if (!counter.started) counter.first_ns = sample.monotonic_ns;
      // A counter that falls was reset or wrapped: what it shows now is new, how much was lost is not known.
      else if (value.value >= counter.last)
        counter.grown += value.value - counter.last;
      counter.started = true;
      counter.last = value.value;
      counter.last_ns = sample.monotonic_ns;
    }
  CounterSum sum;
  for (const auto& [index, counter] : counters) {
    if (counter.last_ns <= counter.first_ns) continue;
    const double seconds =
        (static_cast<double>(counter.last_ns) - static_cast<double>(counter.first_ns)) * 1e-9;
    sum.covered_seconds = sum.indexes == 0 ? seconds : std::min(sum.covered_seconds, seconds);
    sum.joules = sum.joules.value_or(0) + counter.grown;
    ++sum.indexes;
  }
  return sum;
}

}  // namespace

std::optional<Joules> EnergyReading::total() const {
  if (!gpu && !processor) return std::nullopt;
  return Joules{(gpu ? gpu->value : 0) + (processor ? processor->value : 0)};
}

EnergyReading read_energy(const RunRecord& record) {
  EnergyReading reading;
  if (record.samples.size() < 2) return reading;
  const double span = (static_cast<double>(record.samples.back().monotonic_ns) -
                       static_cast<double>(record.samples.front().monotonic_ns)) *
                      1e-9;
  const CounterSum gpu = sum_of(record, Metric::kGpuEnergyJoules),
                   processor = sum_of(record, Metric::kCpuPackageEnergyJoules);
  if (gpu.joules) {
    reading.gpu = Joules{*gpu.joules};
    reading.source = "GPU energy counter";
    reading.partial = gpu.covered_seconds < 0.9 * span;
  }
  if (processor.joules) {
    reading.processor = Joules{*processor.joules};
    reading.source += reading.source.empty() ? "RAPL" : ", RAPL";
    reading.partial = reading.partial || processor.covered_seconds < 0.9 * span;
  }
  return reading;
}

}  // namespace forebay
