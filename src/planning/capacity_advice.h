// Long-term, on-demand or spot, from how long a job takes and whether it can go on after an interruption.
// Pure. The figures are averages of public tables, for use where no offer is at hand; `plan` has those of the
// offers themselves.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "planning/interruption.h"
#include "planning/measured_work.h"

namespace forebay {

struct CapacityFigures {
  // Median of spot to on-demand price of 52 GPU machine types of AWS, and of one-year commitment to on-demand
  // of 50 (public export of 2023; the ratios of Azure are 0.10 and 0.64).
  double spot_ratio = 0.41, committed_ratio = 0.63;
  Duration committed_term{365ll * 86'400 * 1'000'000'000};
  // Mean time until the capacity of a zone is lost, GPU machines of nine zones over weeks (traces published
  // with Wu et al., "Can't Be Late", NSDI 2024).
  Duration between_interruptions{12'750ll * 1'000'000'000};
};

enum class CapacityKind : std::uint8_t { kUnknown, kSpot, kOnDemand, kLongTerm };
std::string_view capacity_kind_name(CapacityKind kind);  // "spot": stable, for --json

struct CapacityNeeds {
  bool has_checkpoint = false;               // the job says where its checkpoints are, so that it can resume
  std::optional<double> checkpoint_seconds;  // absent: taken as nothing
  std::optional<double> restart_seconds;     // until it works again; absent: taken as nothing
  bool may_be_interrupted = true;            // policy.interruptible
};

struct CapacityAdvice {
  CapacityKind kind = CapacityKind::kUnknown;
  std::optional<double> spot_cost_ratio;  // expected cost on spot beside on-demand, from the longer total
  std::vector<Text> reasons;
};

// `total_seconds` absent: unknown, with the reason. Judged by its upper end: being wrong about spot costs the
// work done so far.
CapacityAdvice advise_capacity(const std::optional<ExpectedRange>& total_seconds, const CapacityNeeds& needs,
                               const CapacityFigures& figures = {});

Json to_json(const CapacityAdvice& advice);

}  // namespace forebay
