// What the forward pass keeps for the backward pass, per device.
#pragma once

#include "sizing/constants.h"
#include "sizing/model_shape.h"
#include "sizing/workload.h"

namespace forebay {

struct Activations {
  double layers = 0;     // bytes kept by the layers of this device, all microbatches in flight
  double one_layer = 0;  // bytes of one layer without recomputation (what a recomputed layer needs again)
  double logits = 0;     // bytes of the output layer's results and the loss's copies (last stage)
};
// kMegatron follows arXiv 2205.05198, equations 1 to 6: without parallelism s·b·h·(34 + 5·a·s/h) bytes a
// layer in 16 bits, split by tensor (and sequence) parallelism, selective and full recomputation, 1F1B
// microbatches in flight (× 1 + (p−1)/(p·m) interleaved). kEager counts what PyTorch's autograd keeps of each
// operator: 32-bit copies in RMS norms, queries and repeated keys and values, gate, up and their activation;
// inputs of linear layers only where their weights are trained (or quantised: bitsandbytes keeps them).
Activations count_activations(const ModelShape& shape, const Workload& work,
                              const MemoryConstants& constants);

// Parameters of the adapters of rank r: r·(in + out) per adapted matrix (arXiv 2106.09685).
double lora_parameters(const ModelShape& shape, const LoraSettings& lora);

}  // namespace forebay
