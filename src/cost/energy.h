// Energy from counters, over the whole run: differences, never power × time, because the power that GPUs
// report is an average over a second that is sampled for a part of it (A100, H100).
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "record/run_record.h"

namespace forebay {

struct EnergyReading {
  std::optional<Joules> gpu;        // of all devices read; it includes what others drew on them
  std::optional<Joules> processor;  // RAPL packages; it includes what others drew
  std::string source;               // empty when nothing was read
  bool partial = false;             // counters cover less than 90 % of the samples' span
  std::optional<Joules> total() const;
};
EnergyReading read_energy(const RunRecord& record);

}  // namespace forebay
