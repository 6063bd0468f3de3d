// The memory model's fitted constants (data/sizing/memory.json).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

struct MemoryConstants {
  double norm_bytes = 0;          // kept per hidden value by a norm computed in 32 bits
  double layer_overhead = 0;      // × what the operators of a layer must keep, for the eager kernels
  double logit_bytes = 0;         // per logit, all copies at once, for a loss in 32 bits
  double native_logit_bytes = 0;  // the same for a loss in the model's 16 bits
  double packed_overhead = 0;     // × a layer's activations on quantised weights (bitsandbytes, GPTQ kernels)
  double state_slack = 0;         // of gradients and states of what is trained: reserved beside them
  double working_layers =
      0;  // gradients and temporaries of the backward pass, in layers' worth of activations
  double fragmentation = 0;              // of activations, logits and temporaries: reserved but not used
  double context_gib = 0;                // CUDA context, library handles and workspaces
  double communication_gib = 0;          // NCCL, when there is more than one device
  double step_copy = 0;                  // of one optimiser state: the temporary of torch's multi-tensor step
  double cache_growth = 0;               // × the KV cache, when it grows by copying
  double low_share = 0, high_share = 0;  // the interval, in shares of the likely value
};

Result<MemoryConstants> parse_memory_constants(std::string_view text, const std::string& name);
// The constants built into the program.
Result<MemoryConstants> built_in_memory_constants();

}  // namespace forebay
