// What is done with a model: how it is trained or served, and how the work is spread over devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "sizing/model_shape.h"

namespace forebay {

enum class Method { kInference, kFull, kLora, kAdapter };
// kMixed: weights and gradients in 16 bits beside a 32-bit master copy (equal in bytes to autocast over
// 32-bit weights).
enum class TrainingPrecision { kFp32, kMixed, kPure16 };
enum class Optimizer {
  kAdamW,
  kAdamW8Bit,
  kPagedAdamW,
  kPagedAdamW8Bit,
  kAdafactor,
  kSgd,
  kSgdMomentum,
  kMuon,
  kLion
};
enum class Recompute { kNone, kSelective, kFull };
// kEager: PyTorch operators one by one, as Hugging Face runs them. kMegatron: the fused ones of arXiv
// 2205.05198.
enum class Kernels { kEager, kMegatron };
// kFloat32: logits copied to 32 bits for the loss; kNative: kept in 16; kFused: never whole (Liger, cut cross
// entropy).
enum class LossKind { kFloat32, kNative, kFused };
enum class Offload { kNone, kOptimizer, kAll };

struct LoraSettings {
  std::int64_t rank = 8;
  bool query = true, key = false, value = true, output = false, gate = false, up = false, down = false;
  bool adapters_32_bit = true;  // PEFT keeps adapters in 32 bits
  bool dropout = false;
  bool embeddings = false;  // embedding and output layer are trained in full beside the adapters
};

struct Workload {
  Method method = Method::kFull;
  TrainingPrecision precision = TrainingPrecision::kMixed;
  Optimizer optimizer = Optimizer::kAdamW;
  Recompute recompute = Recompute::kNone;
  Kernels kernels = Kernels::kEager;
  LossKind loss = LossKind::kFloat32;
  Offload offload = Offload::kNone;
  bool flash_attention = true;
  bool gradients_32_bit = false;  // Megatron accumulates in 32 bits
  LoraSettings lora;
  bool outside_32_bit = false;      // embeddings, output layer and norms in 32 bits beside quantised weights
                                    // (PEFT's prepare_model_for_kbit_training)
  std::optional<double> trainable;  // kAdapter: parameters trained beside the frozen model
  std::optional<WeightFormat> weights;  // of the (frozen or served) weights, when not the training precision
  std::int64_t micro_batch = 1, sequence = 2048, accumulation = 1;
  std::int64_t devices = 1, tensor_parallel = 1, pipeline_parallel = 1, expert_parallel = 1;
  std::int64_t interleaving = 1;  // model chunks per pipeline stage
  int zero_stage = 0;
  bool sequence_parallel = false;
  double cache_bits = 16;          // of a value in the KV cache
  bool cache_preallocated = true;  // false: the cache grows by copying, as in Hugging Face's generate

  std::int64_t data_parallel() const { return devices / (tensor_parallel * pipeline_parallel); }
};

Result<Optimizer> parse_optimizer(std::string_view name);
std::string_view optimizer_name(Optimizer optimizer);

// Numbers a person may give, one against the other. One sentence for the first thing that cannot be.
Result<void> check_workload(const Workload& work, const ModelShape& shape);

}  // namespace forebay
