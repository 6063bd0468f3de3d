// The shape of a transformer language model and how many parameters it has, component by component.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

// How the layers of a family of models are built, as far as a configuration file does not say it.
struct ModelFamily {
  std::string_view name;     // Hugging Face's model_type
  bool gated = true;         // gate and up projections instead of one
  bool tied = false;         // the output layer is the embedding, where the file is silent
  bool query_bias = false;   // biases of the projections to queries, keys and values
  bool output_bias = false;  // … of attention's output
  bool feed_forward_bias = false;
  int norms = 2;           // per layer
  int norm_vectors = 1;    // 0: without weights, 1: weight, 2: weight and bias
  int head_norm = 0;       // norms of queries and keys: 0 none, 1 per head, 2 over the whole width
  bool head_bias = false;  // of the output layer
  bool learned_positions = false;
  bool embedding_norm = false;
  bool four_times_hidden = false;  // the feed-forward width where the file is silent
};
// Nothing when the family is not known.
const ModelFamily* find_model_family(std::string_view name);
std::string known_model_families();  // "bloom, deepseek_v2, …"

// Mixture of experts: `count` feed-forward networks in a layer, each token takes `per_token` of them.
struct ExpertShape {
  std::int64_t count = 0, per_token = 0, intermediate = 0;
  std::int64_t shared_intermediate = 0;  // of the experts every token takes, together
  bool shared_gate = false;
  std::int64_t dense_layers = 0;  // the first layers that have one wide network instead
};

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values come from a vector of kv_rank.
struct LatentAttention {
  std::int64_t query_rank = 0;  // 0: queries straight from the hidden vector
  std::int64_t kv_rank = 0, rope_head = 0, plain_head = 0, value_head = 0;
};

// How weights are stored. `bits` per weight, scales and zero points included.
struct WeightFormat {
  std::string name = "16-bit";
  double bits = 16;
  bool embeddings_too = true;  // false: embeddings, output layer and norms stay in 16 bits
};
// "nf4", "nf4-dq", "int8", "fp8", "gptq4", "awq", "Q4_K_M" …; nothing when unknown.
std::optional<WeightFormat> find_weight_format(std::string_view name);
std::string known_weight_formats();

struct ModelShape {
  std::string name;
  ModelFamily family;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_size = 0;
  std::int64_t intermediate = 0;  // width of the feed-forward network
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;  // learned positions; 0 for rotary and the like
  bool tied = false;
  std::optional<ExpertShape> experts;
  std::optional<LatentAttention> latent;
  std::optional<std::int64_t> sliding_window;  // tokens
  double sliding_share = 1;                    // of the layers that have the window
  std::optional<WeightFormat> weights;         // when the model comes quantised
  std::optional<double> stored_bytes;          // exact, when read from the weights themselves
  bool only_a_guess = false;  // made from a parameter count: layers and widths are typical ones

  std::int64_t query_width() const {
    return heads * (latent ? latent->plain_head + latent->rope_head : head_size);
  }
  std::int64_t kv_width() const { return kv_heads * head_size; }
  // What one token leaves in the cache of one layer, in values.
  std::int64_t cache_width() const { return latent ? latent->kv_rank + latent->rope_head : 2 * kv_width(); }
  std::int64_t expert_layers() const { return experts ? layers - experts->dense_layers : 0; }
};

// Parameters by component, whole model.
struct ParameterCount {
  double embedding = 0, positions = 0, attention = 0, feed_forward = 0, experts = 0, router = 0, norms = 0,
         head = 0;
  double active_experts = 0;  // of `experts`: what one token goes through (shared ones included)
  double total() const {
    return embedding + positions + attention + feed_forward + experts + router + norms + head;
  }
  double active() const { return total() - experts + active_experts; }
  // The layers' matrices: what quantisation shrinks.
  double matrices() const { return attention + feed_forward + experts; }
};
ParameterCount count_parameters(const ModelShape& shape);
// Bytes of the weights as stored in `format`.
double weight_bytes(const ParameterCount& count, const WeightFormat& format);

// Refuses shapes that cannot be: zero or absurd sizes, heads that are not a multiple of KV heads.
Result<void> check_shape(const ModelShape& shape, const std::string& where);

}  // namespace forebay
