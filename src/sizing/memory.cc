#include "sizing/memory.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sizing/activations.h"

namespace forebay {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

double wide(std::int64_t value) {
  return static_cast<double>(value);
}

// Parameters that the busiest device of a model-parallel group holds, and the largest layer of them.
struct Share {
  double matrices = 0, outside = 0, layer = 0;
  double total() const { return matrices + outside; }
};

Share share_of(const ModelShape& shape, const Workload& work) {
  const ParameterCount count = count_parameters(shape);
  const double tensor = wide(work.tensor_parallel), stages = wide(work.pipeline_parallel);
  Share share;
  const double experts = count.experts / wide(work.expert_parallel);
  share.matrices = (count.attention + count.feed_forward + experts) / (tensor * stages);
  const double ends = stages > 1 ? std::max(count.embedding, shape.tied ? count.embedding : count.head)
                                 : count.embedding + count.head;
  share.outside = (ends + count.positions) / tensor + (count.norms + count.router) / stages;
  share.layer = share.matrices * stages / wide(shape.layers);
  return share;
}

// Bytes of optimiser state per trained parameter, on the device.
double state_bytes(Optimizer optimizer, double state, double hidden) {
  const double eight = 1 + 4.0 / 256;  // one byte and a 32-bit scale per 256
  switch (optimizer) {
    case Optimizer::kAdamW:
      return 2 * state;
    case Optimizer::kAdamW8Bit:
      return 2 * eight;
    case Optimizer::kAdafactor:
      return 2 * state / hidden;
    case Optimizer::kSgdMomentum:
    case Optimizer::kLion:
    case Optimizer::kMuon:
      return state;
    case Optimizer::kPagedAdamW:
    case Optimizer::kPagedAdamW8Bit:
    case Optimizer::kSgd:
      return 0;
  }
  return 0;
}

struct Training {
  double weights = 0, master = 0, gradients = 0, states = 0, gathered = 0, step = 0, trainable = 0;
};

double frozen_bytes(const Share& share, const Workload& work, double bytes) {
  if (!work.weights) return share.total() * bytes;
  if (work.weights->embeddings_too) return share.total() * work.weights->bits / 8;
  return share.matrices * work.weights->bits / 8 + share.outside * (work.outside_32_bit ? 4 : 2);
}

// Weights, gradients and optimiser before they are spread by ZeRO.
Training whole_training(const ModelShape& shape, const Workload& work, const MemoryConstants& constants,
                        const Share& share) {
  Training training;
  const double bytes = work.precision == TrainingPrecision::kFp32 ? 4 : 2;
  const bool full = work.method == Method::kFull;
  double trained_bytes = bytes, state = bytes;
  if (full) {
    training.trainable = share.total();
    training.weights = share.total() * bytes;
    if (work.precision == TrainingPrecision::kMixed) {
      training.master = 4 * share.total();
      state = 4;
    }
  } else {
    const double parts = wide(work.tensor_parallel * work.pipeline_parallel);
    training.trainable = work.method == Method::kAdapter ? work.trainable.value_or(0) / parts
                                                         : lora_parameters(shape, work.lora) / parts;
    trained_bytes = work.lora.adapters_32_bit ? 4 : bytes;
    state = trained_bytes;
    training.weights = frozen_bytes(share, work, bytes) + training.trainable * trained_bytes;
  }
  training.gradients = training.trainable * (work.gradients_32_bit ? 4 : trained_bytes);
  training.states = training.trainable * state_bytes(work.optimizer, state, wide(shape.hidden));
  // Muon is for matrices; embeddings and norms stay with AdamW.
  if (work.optimizer == Optimizer::kMuon && full) training.states += share.outside * state;
  if (!full && work.lora.embeddings) {
    // A copy of embedding and output layer in the model's precision, its gradient, and 32-bit states.
    const double extra = share.outside;
    training.trainable += extra;
    training.weights += extra * bytes;
    training.gradients += extra * bytes;
    training.states += extra * state_bytes(work.optimizer, 4, wide(shape.hidden));
  }
  if (work.optimizer == Optimizer::kAdamW) training.step = constants.step_copy * training.trainable * state;
  return training;
}

// ZeRO and offload.
void spread(Training& training, const Workload& work, const Share& share) {
  const double devices = wide(work.data_parallel());
  const double bytes = work.precision == TrainingPrecision::kFp32 ? 4 : 2;
  if (work.zero_stage >= 1) {
    // The step works on a 32-bit copy of the gradients of this device's part.
    if (work.precision == TrainingPrecision::kMixed)
      training.step = std::max(training.step, 4 * training.trainable);
    training.master /= devices;
    training.states /= devices;
    training.step /= devices;
  }
  if (work.zero_stage >= 2) {
    training.gradients /= devices;
    training.gathered += std::min(5e8, training.trainable) * bytes;  // DeepSpeed's reduce bucket
  }
  if (work.zero_stage >= 3) {
    training.weights /= devices;
    // Two layers gathered at a time (one in use, one ahead), and the embedding or the output layer.
    training.gathered += std::max(2 * share.layer, share.outside) * bytes;
  }
  if (work.offload != Offload::kNone) training.master = training.states = training.step = 0;
  if (work.offload == Offload::kAll) training.weights = 0;
}

struct Peak {
  std::string_view moment;
  double gradients = 0, activations = 0, logits = 0, working = 0;
  double sum() const { return gradients + activations + logits + working; }
};

Peak peak_of(const Training& training, const Activations& activations, const Workload& work,
             const MemoryConstants& constants, double head_gradient) {
  const bool accumulates = work.accumulation > 1 || work.zero_stage > 0 || work.kernels == Kernels::kMegatron;
  const double backward = constants.working_layers * activations.one_layer;
  const double recomputed = work.recompute == Recompute::kFull ? activations.one_layer : 0;
  const std::array peaks = {
      Peak{msgid("at the loss"),
           accumulates ? training.gradients : std::min(training.gradients, head_gradient), activations.layers,
           activations.logits, 0},
      Peak{msgid("early in the backward pass"),
           accumulates ? training.gradients : std::min(training.gradients, head_gradient), activations.layers,
           activations.logits / 2, backward + recomputed},
      Peak{msgid("at the end of the backward pass"), training.gradients, activations.layers / 16, 0,
           backward + recomputed},
      Peak{msgid("in the optimizer's step"), training.gradients, 0, 0, training.step},
  };
  return *std::max_element(peaks.begin(), peaks.end(),
                           [](const Peak& a, const Peak& b) { return a.sum() < b.sum(); });
}

double cache_bytes(const ModelShape& shape, const Workload& work) {
  const double sequence = wide(work.sequence);
  const double window = shape.sliding_window ? std::min(sequence, wide(*shape.sliding_window)) : sequence;
  const double tokens = shape.sliding_share * window + (1 - shape.sliding_share) * sequence;
  const double split = std::min(wide(work.tensor_parallel), shape.latent ? 1 : wide(shape.kv_heads));
  return wide(work.micro_batch) * tokens * wide(shape.layers) * wide(shape.cache_width()) * work.cache_bits /
         8 / (split * wide(work.pipeline_parallel));
}

void add(MemoryEstimate& estimate, MemoryTerm term, double bytes) {
  if (bytes > 0) estimate.terms.push_back({term, bytes});
}

void estimate_inference(const ModelShape& shape, const Workload& work, const MemoryConstants& constants,
                        const Share& share, MemoryEstimate& estimate) {
  const double bytes = work.precision == TrainingPrecision::kFp32 ? 4 : 2;
  estimate.moment = msgid("with the KV cache full");
  double weights = frozen_bytes(share, work, bytes);
  if (shape.stored_bytes && work.devices == 1) weights = *shape.stored_bytes;
  add(estimate, MemoryTerm::kWeights, weights);
  add(estimate, MemoryTerm::kCache,
      cache_bytes(shape, work) * (work.cache_preallocated ? 1 : constants.cache_growth));
  // One layer's intermediate results and 32-bit logits of the last position, for a prompt in chunks of 2,048
  // tokens.
  const double tokens = std::min(2048.0, wide(work.micro_batch * work.sequence));
  const double width = 4 * wide(shape.hidden) + 3 * wide(shape.intermediate);
  add(estimate, MemoryTerm::kWorking,
      tokens * width * bytes / wide(work.tensor_parallel) +
          wide(work.micro_batch) * wide(shape.vocabulary) * 6);
}

void finish(const Workload& work, const MemoryConstants& constants, MemoryEstimate& estimate) {
  for (const TermBytes& term : estimate.terms) estimate.allocated += term.bytes;
  const double loose = estimate.of(MemoryTerm::kActivations) + estimate.of(MemoryTerm::kLogits) +
                       estimate.of(MemoryTerm::kWorking) + estimate.of(MemoryTerm::kGathered);
  const double states = estimate.of(MemoryTerm::kGradients) + estimate.of(MemoryTerm::kOptimizer);
  add(estimate, MemoryTerm::kFragmentation, constants.fragmentation * loose + constants.state_slack * states);
  estimate.reserved = estimate.allocated + estimate.of(MemoryTerm::kFragmentation);
  add(estimate, MemoryTerm::kContext, constants.context_gib * kGiB);
  if (work.devices > 1) add(estimate, MemoryTerm::kCommunication, constants.communication_gib * kGiB);
  for (const TermBytes& term : estimate.terms) estimate.likely += term.bytes;
  estimate.low = estimate.likely * constants.low_share;
  estimate.high = estimate.likely * constants.high_share;
}

}  // namespace

std::string_view memory_term_key(MemoryTerm term) {
  constexpr std::array kKeys = {"weights",     "master_weights", "gradients",     "optimizer",
                                "activations", "logits",         "working",       "gathered",
                                "kv_cache",    "communication",  "fragmentation", "context"};
  return kKeys[static_cast<std::size_t>(term)];
}

std::string_view memory_term_name(MemoryTerm term) {
  constexpr std::array kNames = {msgid("weights"),       msgid("32-bit master weights"),
                                 msgid("gradients"),     msgid("optimizer states"),
                                 msgid("activations"),   msgid("logits and loss"),
                                 msgid("temporaries"),   msgid("gathered layers and buckets"),
                                 msgid("KV cache"),      msgid("communication (NCCL)"),
                                 msgid("fragmentation"), msgid("CUDA context, libraries")};
  return kNames[static_cast<std::size_t>(term)];
}

double MemoryEstimate::of(MemoryTerm wanted) const {
  double sum = 0;
  for (const TermBytes& term : terms)
    if (term.term == wanted) sum += term.bytes;
  return sum;
}

MemoryEstimate estimate_memory(const ModelShape& shape, const Workload& work,
                               const MemoryConstants& constants) {
  MemoryEstimate estimate;
  const ParameterCount count = count_parameters(shape);
  estimate.total_parameters = count.total();
  estimate.active_parameters = count.active();
  const Share share = share_of(shape, work);
  if (work.method == Method::kInference) {
    estimate_inference(shape, work, constants, share, estimate);
    finish(work, constants, estimate);
    return estimate;
  }
  Training training = whole_training(shape, work, constants, share);
  estimate.trainable_parameters = training.trainable * wide(work.tensor_parallel * work.pipeline_parallel);
  spread(training, work, share);
  const Activations activations = count_activations(shape, work, constants);
  const double head =
      (shape.tied ? count.embedding : count.head) * (work.precision == TrainingPrecision::kFp32 ? 4 : 2);
  const Peak peak = peak_of(training, activations, work, constants, head);
  estimate.moment = peak.moment;
  estimate.kept_activations = activations.layers;
  add(estimate, MemoryTerm::kWeights, training.weights);
  add(estimate, MemoryTerm::kMaster, training.master);
  add(estimate, MemoryTerm::kGradients, peak.gradients);
  add(estimate, MemoryTerm::kOptimizer, training.states);
  add(estimate, MemoryTerm::kActivations, peak.activations);
  add(estimate, MemoryTerm::kLogits, peak.logits);
  add(estimate, MemoryTerm::kWorking, peak.working);
  add(estimate, MemoryTerm::kGathered, training.gathered);
  finish(work, constants, estimate);
  return estimate;
}

Fit fit_of(const MemoryEstimate& estimate, Bytes usable) {
  const double bytes = wide(usable.count);
  if (estimate.high <= bytes) return Fit::kFits;
  return estimate.likely <= bytes ? Fit::kTight : Fit::kDoesNotFit;
}

HostNeeds host_needs(const ModelShape& shape, const Workload& work, const MemoryEstimate& estimate) {
  HostNeeds needs;
  const double stored = shape.stored_bytes.value_or(
      work.weights ? weight_bytes(count_parameters(shape), *work.weights) : estimate.total_parameters * 2);
  const double trainable = estimate.trainable_parameters;
  double memory =
      4 * kGiB + 3 * kGiB * wide(work.devices);  // system; Python, CUDA and data workers of each process
  memory +=
      work.method == Method::kInference ? stored / 4 : stored;  // weights pass through while they are loaded
  if (work.offload != Offload::kNone)
    memory += trainable * (work.precision == TrainingPrecision::kPure16 ? 8 : 16);
  if (work.offload == Offload::kAll) memory += stored;
  if (work.optimizer == Optimizer::kPagedAdamW) memory += trainable * 8;
  if (work.optimizer == Optimizer::kPagedAdamW8Bit) memory += trainable * 2;
  needs.memory = Bytes{static_cast<std::int64_t>(memory)};
  needs.vcpus = std::max<std::int64_t>(4, (work.offload == Offload::kNone ? 4 : 8) * work.devices);
  // A checkpoint of full training: 16-bit weights, master copy and two states.
  const double checkpoint = work.method == Method::kFull
                                ? trainable * (work.precision == TrainingPrecision::kPure16 ? 6 : 14)
                                : trainable * 16;
  needs.disk = Bytes{static_cast<std::int64_t>(
      stored + (work.method == Method::kInference ? 0 : 3 * checkpoint) + 20 * kGiB)};
  return needs;
}

}  // namespace forebay
