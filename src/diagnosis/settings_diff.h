// What is set differently in two runs: command, loader, threads, device, packages, variables, machine, code.
#pragma once

#include <vector>

#include "diagnosis/comparison.h"
#include "diagnosis/metrics.h"

namespace forebay {

// The more a change is likely to matter, the earlier it comes. At most 200.
std::vector<ChangedSetting> changed_settings(const RunRecord& a, const MetricSet& metrics_a,
                                             const RunRecord& b, const MetricSet& metrics_b);

}  // namespace forebay
