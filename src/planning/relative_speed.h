// How many times faster one set of accelerators trains than another when nothing is known of the model.
#pragma once

#include <optional>

#include "base/result.h"
#include "catalog/accelerator.h"

namespace forebay {

// speed ∝ (matrix rate)^a · (memory bandwidth)^(1-a) · (number of devices)^s, fitted to measured training
// rates by scripts/fit_relative_speed.py (data/planning/relative_speed.json). Leaving out whole GPUs, its
// ratios are wrong by 34 % on average, those of peak rates by 66 %: a rough guide, for which `spread` (the
// standard deviation of the log of one machine's rate) gives the interval.
struct RelativeSpeedModel {
  double matrix_rate_exponent = 0, scaling_exponent = 1, spread = 0;
  static Result<RelativeSpeedModel> embedded();
};

struct SpeedRatio {
  double low = 1, likely = 1, high = 1;
};

struct DeviceSet {
  const Accelerator* accelerator = nullptr;
  double count = 1;  // of all nodes together; a fraction of one is as much of its speed
};

// `of` against `reference`, in 16-bit numbers (FP32 where a part has no rate in 16 bits). Exactly 1 for the
// same set, and only the number of devices counts between sets of the same part. Nothing when a figure is
// missing.
std::optional<SpeedRatio> relative_speed(const RelativeSpeedModel& model, const DeviceSet& of,
                                         const DeviceSet& reference);

}  // namespace forebay
