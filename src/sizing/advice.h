// What would make a job fit, and why memory runs out in the middle of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sizing/memory.h"

namespace forebay {

struct SizingChange {
  std::string what;   // translated: "recompute activations (gradient checkpointing)"
  std::string price;  // translated: what it costs
  std::string flags;  // how to say it to `forebay size`
  Workload work;      // the job with the change
  MemoryEstimate after;
  double saving = 0;  // likely bytes on the fullest device
  Fit fit = Fit::kDoesNotFit;
};

// Single changes that save at least 2 % of the memory, the largest saving first; changes that alter what is
// learned (fewer trained parameters) come after those that do not.
std::vector<SizingChange> possible_changes(const ModelShape& shape, const Workload& work,
                                           const MemoryConstants& constants, const MemoryEstimate& now,
                                           Bytes usable);
// The shortest series of such changes after which the job surely fits (greedy, at most five); empty when none
// does.
std::vector<SizingChange> changes_that_fit(const ModelShape& shape, const Workload& work,
                                           const MemoryConstants& constants, const MemoryEstimate& now,
                                           Bytes usable);

// The longest sequence with which the likely value still fits; nothing when not even one token does.
std::optional<std::int64_t> longest_sequence(const ModelShape& shape, const Workload& work,
                                             const MemoryConstants& constants, Bytes usable);

struct Suspicion {
  std::string why;  // translated, with figures
  std::string act;  // translated, what to do
};
// Out of memory after `progress` (0..1) of the run, not at its start: what grows, the likeliest first.
std::vector<Suspicion> why_late(const ModelShape& shape, const Workload& work,
                                const MemoryConstants& constants, const MemoryEstimate& now, Bytes usable,
                                double progress);

}  // namespace forebay
