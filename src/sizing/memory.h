// Memory of one device, term by term.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "sizing/constants.h"
#include "sizing/model_shape.h"
#include "sizing/workload.h"

namespace forebay {

enum class MemoryTerm {
  kWeights,
  kMaster,
  kGradients,
  kOptimizer,
  kActivations,
  kLogits,
  kWorking,
  kGathered,
  kCache,
  kCommunication,
  kFragmentation,
  kContext
};
std::string_view memory_term_key(MemoryTerm term);   // "weights", stable, for JSON
std::string_view memory_term_name(MemoryTerm term);  // msgid

struct TermBytes {
  MemoryTerm term;
  double bytes = 0;
};

// The busiest device at its fullest moment.
struct MemoryEstimate {
  std::vector<TermBytes> terms;  // likely bytes; add up to `likely`; only terms above 0
  double low = 0, likely = 0, high = 0;
  double allocated = 0;         // torch.cuda.max_memory_allocated(): without fragmentation and context
  double reserved = 0;          // torch.cuda.max_memory_reserved(): without context
  double kept_activations = 0;  // what the forward pass leaves, whichever moment is the fullest
  std::string_view moment;      // msgid: when it is fullest
  double total_parameters = 0, active_parameters = 0, trainable_parameters = 0;
  double of(MemoryTerm term) const;
};

// ZeRO: arXiv 1910.02054 (stage 1 optimiser, 2 gradients, 3 weights over the data-parallel devices). Mixed
// precision: arXiv 1710.03740. 8-bit optimiser states: arXiv 2110.02861. Adafactor: arXiv 1804.04235 (row and
// column sums). Pipeline: the first stage, with the embedding. The peak is the largest of: the loss
// (activations and logits), the end of the backward pass (gradients), the optimiser's step.
MemoryEstimate estimate_memory(const ModelShape& shape, const Workload& work,
                               const MemoryConstants& constants);

enum class Fit { kFits, kTight, kDoesNotFit };
// kFits: even the high end fits; kTight: the likely value fits, the high end does not.
Fit fit_of(const MemoryEstimate& estimate, Bytes usable);

// What the machine around the devices needs, all devices of the job on one machine.
struct HostNeeds {
  Bytes memory;  // offloaded and paged states, staging of weights, workers
  std::int64_t vcpus = 0;
  Bytes disk;  // weights, three checkpoints
};
HostNeeds host_needs(const ModelShape& shape, const Workload& work, const MemoryEstimate& estimate);

}  // namespace forebay
