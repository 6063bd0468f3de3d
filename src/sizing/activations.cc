#include "sizing/activations.h"

#include <algorithm>
#include <cmath>

namespace forebay {
namespace {

double wide(std::int64_t value) {
  return static_cast<double>(value);
}

// Widths in values per token.
struct Widths {
  double hidden, query, kv, value_out, feed_forward, routed;
};

Widths widths_of(const ModelShape& shape) {
  Widths widths{wide(shape.hidden),        wide(shape.query_width()), wide(shape.kv_width()),
                wide(shape.query_width()), wide(shape.intermediate),  0};
  if (shape.latent) {
    widths.kv = widths.query;  // keys are expanded again for every head
    widths.value_out = wide(shape.heads * shape.latent->value_head);
  }
  if (shape.experts) {
    const double dense = wide(shape.experts->dense_layers) / wide(shape.layers);
    const double expert =
        wide(shape.experts->per_token * shape.experts->intermediate + shape.experts->shared_intermediate);
    widths.feed_forward = dense * widths.feed_forward + (1 - dense) * expert;
    widths.routed = (1 - dense) * 2 * wide(shape.experts->per_token) *
                    widths.hidden;  // tokens copied to experts and back
  }
  return widths;
}

// Scores of attention that is not fused, in bytes per token.
double score_bytes(const ModelShape& shape, const Workload& work, double per_score) {
  return work.flash_attention ? 4 * wide(shape.heads) : per_score * wide(shape.heads) * wide(work.sequence);
}

double megatron_layer(const ModelShape& shape, const Workload& work, Recompute recompute) {
  const Widths widths = widths_of(shape);
  const double split = wide(work.tensor_parallel);
  if (recompute == Recompute::kFull) return 2 * widths.hidden;
  const double masks = shape.family.gated ? 0 : 2 * widths.hidden;  // dropout, one byte each
  const double whole = 8 * widths.hidden + masks + 2 * widths.routed;
  const double parts = 2 * (widths.query + 2 * widths.kv + widths.value_out) +
                       2 * widths.feed_forward * (shape.family.gated ? 3 : 2);
  const double scores = recompute == Recompute::kSelective ? 0 : score_bytes(shape, work, 5);
  return whole / (work.sequence_parallel ? split : 1) + (parts + scores) / split;
}

struct Kept {
  bool linear_inputs;  // of all linear layers
  double bytes;        // of a value
};

double lora_inputs(const LoraSettings& lora, const Widths& widths) {
  const double each = (lora.adapters_32_bit ? 4 : 2) + (lora.dropout ? 1 : 0);
  double values = 0;
  for (const bool adapted : {lora.query, lora.key, lora.value, lora.gate, lora.up})
    if (adapted) values += widths.hidden;
  if (lora.output) values += widths.value_out;
  if (lora.down) values += widths.feed_forward;
  return values * each;
}

double eager_layer(const ModelShape& shape, const Workload& work, const MemoryConstants& constants) {
  const Widths widths = widths_of(shape);
  const bool frozen = work.method == Method::kLora || work.method == Method::kAdapter;
  const bool packed = frozen && work.weights && work.weights->bits < 16;
  const Kept kept{!frozen || packed, work.precision == TrainingPrecision::kFp32 ? 4.0 : 2.0};
  const double norms = std::min(shape.family.norms, 2) + (shape.family.norms > 2 ? 2 : 0);
  const bool centred = shape.family.norm_vectors == 2;  // a layer norm keeps its input, a 16-bit one
  double bytes = norms * widths.hidden * (centred ? kept.bytes : constants.norm_bytes);
  if (!frozen) bytes += norms * widths.hidden * kept.bytes * (centred ? 0 : 1);
  if (kept.linear_inputs) bytes += 2 * widths.hidden * kept.bytes;
  bytes += kept.bytes * (3 * widths.query + widths.value_out);  // keys and values repeated for every head
  bytes += score_bytes(shape, work, 2 * kept.bytes + 4);
  if (shape.family.head_norm > 0) bytes += (widths.query + widths.kv) * constants.norm_bytes;
  bytes += kept.bytes * widths.feed_forward * (shape.family.gated ? 3 : 1);
  if (kept.linear_inputs) bytes += kept.bytes * widths.feed_forward;
  bytes += kept.bytes * widths.routed;
  // What adapters of other kinds keep is not known and not counted.
  if (work.method == Method::kLora) bytes += lora_inputs(work.lora, widths);
  return bytes * constants.layer_overhead * (packed ? constants.packed_overhead : 1) /
         wide(work.tensor_parallel);
}

double logit_bytes(const ModelShape& shape, const Workload& work, const MemoryConstants& constants,
                   double tokens) {
  const double logits = tokens * wide(shape.vocabulary) / wide(work.tensor_parallel);
  switch (work.loss) {
    case LossKind::kFloat32:
      return logits * constants.logit_bytes;
    case LossKind::kNative:
      return logits * constants.native_logit_bytes;
    case LossKind::kFused:
      return std::min(tokens, 1024.0) * wide(shape.vocabulary) * 4;
  }
  return 0;
}

}  // namespace

double lora_parameters(const ModelShape& shape, const LoraSettings& lora) {
  const double hidden = wide(shape.hidden), rank = wide(lora.rank);
  const double query = wide(shape.query_width()), kv = wide(shape.kv_width());
  double layer = 0;
  if (lora.query) layer += hidden + query;
  if (lora.key) layer += hidden + kv;
  if (lora.value) layer += hidden + kv;
  if (lora.output) layer += query + hidden;
  const double networks = shape.experts ? wide(shape.experts->count) : 1;
  const double width = shape.experts ? wide(shape.experts->intermediate) : wide(shape.intermediate);
  const double projections =
      (lora.gate && shape.family.gated ? 1 : 0) + (lora.up ? 1 : 0) + (lora.down ? 1 : 0);
  layer += networks * projections * (hidden + width);
  return layer * rank * wide(shape.layers);
}

Activations count_activations(const ModelShape& shape, const Workload& work,
                              const MemoryConstants& constants) {
  Activations result;
  const double tokens = wide(work.micro_batch) * wide(work.sequence);
  const double stages = wide(work.pipeline_parallel);
  const double layers = std::ceil(wide(shape.layers) / stages);
  double in_flight = std::min(stages, wide(work.accumulation));  // 1F1B: the first stage
  if (work.interleaving > 1) in_flight *= 1 + (stages - 1) / (stages * wide(work.interleaving));
  const bool megatron = work.kernels == Kernels::kMegatron;
  Workload recomputed = work;
  if (!megatron && work.recompute == Recompute::kSelective) recomputed.flash_attention = true;
  result.one_layer = tokens * (megatron ? megatron_layer(shape, work, Recompute::kNone)
                                        : eager_layer(shape, work, constants));
  double per_token =
      megatron ? megatron_layer(shape, work, work.recompute) : eager_layer(shape, recomputed, constants);
  if (!megatron && work.recompute == Recompute::kFull)
    per_token = wide(shape.hidden) * (work.precision == TrainingPrecision::kFp32 ? 4 : 2);
  result.layers = tokens * per_token * layers * in_flight;
  // With a pipeline the first stage is the fullest, and it has no output layer.
  result.logits = work.pipeline_parallel > 1 ? 0 : logit_bytes(shape, work, constants, tokens);
  return result;
}

}  // namespace forebay
