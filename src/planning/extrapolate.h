// From what was measured on one machine to what to expect on another, and for the whole job. Pure; every
// answer is a range. Seconds.
//
// Compute C (a usual step without its data wait) on an accelerator that is between s_low and s_high times as
// fast: at best all of it gains, at worst only the share u of the time in which the GPU was busy (Amdahl,
// 1967; u not known: none):   low = C_low / s_high,   high = C_high · (1 - u + u / s_low)   for s ≥ 1, and
// all of it for s < 1, where the GPU becomes the limit. On the CPU all of C goes with the speed of a core;
// more cores than today may bring up to a proportional gain or nothing, fewer cost up to a proportional loss
// or nothing.
//
// Data: one batch takes f in one process (f / k on cores that are k times as fast). Without workers loading
// and computing follow one another: C + f. With w workers they overlap, and the bounds are those of
// diagnosis/feeding_model.h: at least max(C, f / w, T / cores), at most what crowded cores make of it.
//
// A machine that is nowhere slower than the measured one is not predicted to be slower than it was measured,
// and one that is nowhere faster not to be faster; for the measured machine itself the answer is the
// measurement.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "planning/measured_work.h"

namespace forebay {

struct TargetMachine {
  std::optional<double> vcpus;                     // logical processors for this job
  std::optional<ExpectedRange> accelerator_speed;  // 1 = as fast as the measured one at this work
  std::optional<ExpectedRange> core_speed;         // of one core; absent: taken as equal, and said so
  std::optional<double> workers;                   // of the DataLoader, each rank; absent: as measured
};
// The machine of the measurement itself.
TargetMachine measured_machine(const MeasuredWork& measured);

enum class StepBound : std::uint8_t { kUnknown, kCompute, kLoading, kCores };
std::string_view step_bound_name(StepBound bound);  // "compute": stable, for --json

struct Extrapolation {
  std::optional<ExpectedRange> step_seconds;  // a usual step; absent: `reasons` say why
  StepBound bound = StepBound::kUnknown;      // what it is limited by at best
  std::optional<double> samples_per_second_low, samples_per_second_high;
  std::optional<ExpectedRange>
      total_seconds;          // the whole job, with start-up and what was seen of rare events
  std::vector<Text> reasons;  // why something is absent, and what was assumed
};

// `length` absent: the total stays unknown. Rare events seen k times in n steps are taken to come at even
// distances, so between (k - 1) / n and (k + 1) / n a step; beginnings of epochs exactly where an epoch's
// length is known. Rare events are taken as long as measured on every machine. The time before the first step
// was seen once: it is taken to be up to 25 % shorter or longer. The end, after the last step, is in no
// slice: it is taken to last between nothing and half of what the beginning lasted.
Extrapolation extrapolate(const MeasuredWork& measured, const TargetMachine& target,
                          const std::optional<JobLength>& length);

Json to_json(const Extrapolation& extrapolation);

}  // namespace forebay
