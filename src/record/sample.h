// One sample: what was readable at one instant. What could not be read is not in it (absent is not zero).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "record/metric.h"

namespace forebay {

struct SampleValue {
  Metric metric;
  std::uint16_t index = 0;  // core, disk, interface or device; 0 for unindexed metrics
  double value = 0;
};

struct Sample {
  std::int64_t monotonic_ns = 0;
  Instant wall;
  std::vector<SampleValue> values;

  std::optional<double> get(Metric metric, std::uint16_t index = 0) const;
  void add(Metric metric, double value, std::uint16_t index = 0) { values.push_back({metric, index, value}); }
};

// On disk: i64 monotonic, i64 wall, u16 count, then per value u16 metric, u16 index, f64; little-endian.
std::string encode_sample(const Sample& sample);
Result<Sample> decode_sample(std::string_view payload);

}  // namespace forebay
