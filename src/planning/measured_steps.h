// The steps of one process, as figures (part of measured_work.h).
#pragma once

#include "diagnosis/timeline.h"
#include "planning/measured_work.h"

namespace forebay {

// The settings' slice of the steps. Nothing when no step is left after the warm-up. `waits_seen`: a
// DataLoader was watched, so that data waits were measured.
std::optional<StepMeasure> measure_steps(const ProcessSteps& process, const SliceSettings& settings,
                                         bool waits_seen);

}  // namespace forebay
