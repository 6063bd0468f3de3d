// The steps of one process, as figures (part of measured_work.h).
#pragma once

#include "diagnosis/timeline.h"
#include "planning/measured_work.h"

namespace forebay {

struct StepConditions {
  bool waits_seen = false;  // a DataLoader was watched, so that data waits were measured
  double drift = 0.05;      // by so much, at least, a longer run's mean may lie to either side
};

// The settings' slice of the steps. Nothing when no step is left after the warm-up.
std::optional<StepMeasure> measure_steps(const ProcessSteps& process, const SliceSettings& settings,
                                         const StepConditions& conditions);

}  // namespace forebay
