// What a probe tells: as a text for the terminal, and as JSON.
#pragma once

#include <string>

#include "planning/capacity_advice.h"
#include "planning/extrapolate.h"
#include "planning/measured_work.h"
#include "record/run_record.h"
#include "report/style.h"

namespace forebay {

struct ProbeResult {
  MeasuredWork measured;
  std::optional<JobLength> length;
  Extrapolation here;  // the machine of the measurement
  std::optional<TargetMachine> target;
  std::optional<Extrapolation> there;  // the one asked about
  CapacityAdvice advice;
  bool has_outputs = false;  // the job has some, and a probe copies none
};

// From the record alone; `target` absent: only the machine of the measurement.
ProbeResult judge_probe(const RunRecord& record, const SliceSettings& settings, const LengthHints& hints,
                        const std::optional<TargetMachine>& target);

std::string render_probe(const RunRecord& record, const ProbeResult& result, const TerminalStyle& style);
Json probe_json(const RunRecord& record, const ProbeResult& result);

}  // namespace forebay
