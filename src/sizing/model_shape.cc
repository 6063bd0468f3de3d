#include "sizing/model_shape.h"

#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

// name, gated, tied, query, output, feed-forward bias, norms, norm vectors, head norm, head bias, positions,
// embedding norm, 4 × hidden. From the models' published code.
constexpr ModelFamily kFamilies[] = {
    {"llama"},
    {"mistral"},
    {"mixtral"},
    {"internlm2"},
    {"granite"},
    {"phi3"},
    {"minicpm"},
    {"qwen", true, false, true},
    {"qwen2", true, false, true},
    {"qwen2_moe", true, false, true},
    {"qwen3", true, false, false, false, false, 2, 1, 1},
    {"qwen3_moe", true, false, false, false, false, 2, 1, 1},
    {"gemma", true, true},
    {"gemma2", true, true, false, false, false, 4},
    {"gemma3_text", true, true, false, false, false, 4, 1, 1},
    {"deepseek_v2"},
    {"deepseek_v3"},
    {"olmo", true, false, false, false, false, 2, 0},
    {"olmo2", true, false, false, false, false, 2, 1, 2},
    {"stablelm", true, false, false, false, false, 2, 2},
    {"starcoder2", false, true, true, true, true, 2, 2, 0, false, false, false, true},
    {"phi", false, false, true, true, true, 1, 2, 0, true, false, false, true},
    {"gpt2", false, true, true, true, true, 2, 2, 0, false, true, false, true},
    {"gpt_neo", false, true, false, true, true, 2, 2, 0, false, true, false, true},
    {"gptj", false, false, false, false, true, 1, 2, 0, true, false, false, true},
    {"gpt_neox", false, false, true, true, true, 2, 2, 0, false, false, false, true},
    {"falcon", false, true, false, false, false, 1, 2, 0, false, false, false, true},
    {"falcon_two_norms", false, true, false, false, false, 2, 2, 0, false, false, false, true},
    {"bloom", false, true, true, true, true, 2, 2, 0, false, false, true, true},
    {"opt", false, true, true, true, true, 2, 2, 0, false, true, false, true},
    {"megatron", false, true, true, true, true, 2, 2, 0, false, true, false, true},
};

struct NamedFormat {
  std::string_view name;
  double bits;
  bool embeddings_too;
};
// Bits with scales: GPTQ and AWQ have a 16-bit scale and a zero point of the weight's width per 128 weights;
// nf4 a 32-bit scale per 64 (arXiv 2305.14314, section 3), double quantisation an 8-bit one and 32 bits per
// 64 × 256; fp8 a 32-bit one per 128 × 128. GGUF: block sizes of llama.cpp's ggml-common.h; the _S/_M mixes
// and IQ formats are the mean of a whole 70B file, embeddings and output layer included.
constexpr NamedFormat kFormats[] = {
    {"nf4", 4 + 32.0 / 64, false},
    {"fp4", 4 + 32.0 / 64, false},
    {"nf4-dq", 4 + 8.0 / 64 + 32.0 / (64 * 256), false},
    {"int8", 8, false},
    {"fp8", 8 + 32.0 / (128 * 128), false},
    {"gptq2", 2 + 18.0 / 128, false},
    {"gptq3", 3 + 19.0 / 128, false},
    {"gptq4", 4 + 20.0 / 128, false},
    {"gptq8", 8 + 24.0 / 128, false},
    {"awq4", 4 + 20.0 / 128, false},
    {"mxfp4", 4 + 8.0 / 32, false},
    {"Q8_0", 8.5, true},
    {"Q6_K", 6.5625, true},
    {"Q5_0", 5.5, true},
    {"Q5_K_S", 5.52, true},
    {"Q5_K_M", 5.69, true},
    {"Q4_0", 4.5, true},
    {"Q4_K_S", 4.58, true},
    {"Q4_K_M", 4.83, true},
    {"IQ4_XS", 4.3, true},
    {"IQ4_NL", 4.54, true},
    {"Q3_K_M", 3.91, true},
    {"Q2_K", 2.99, true},
};

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

// Attention of one layer.
double attention_parameters(const ModelShape& shape) {
  const ModelFamily& family = shape.family;
  const double hidden = static_cast<double>(shape.hidden), heads = static_cast<double>(shape.heads);
  if (shape.latent) {
    const LatentAttention& latent = *shape.latent;
    const double query = static_cast<double>(shape.query_width()),
                 query_rank = static_cast<double>(latent.query_rank);
    const double kv_rank = static_cast<double>(latent.kv_rank);
    const double queries = query_rank > 0 ? hidden * query_rank + query_rank * query : hidden * query;
    const double down = hidden * (kv_rank + static_cast<double>(latent.rope_head));
    const double up = kv_rank * heads * static_cast<double>(latent.plain_head + latent.value_head);
    return queries + down + up + heads * static_cast<double>(latent.value_head) * hidden;
  }
  const double query = static_cast<double>(shape.query_width()), kv = static_cast<double>(shape.kv_width());
  double count = hidden * query * 2 + hidden * kv * 2;
  if (family.query_bias) count += query + 2 * kv;
  if (family.output_bias) count += hidden;
  return count;
}

double feed_forward_parameters(const ModelShape& shape, double width) {
  const double hidden = static_cast<double>(shape.hidden);
  const double matrices = shape.family.gated ? 3 : 2;
  return matrices * hidden * width + (shape.family.feed_forward_bias ? width * (matrices - 1) + hidden : 0);
}

double norm_parameters(const ModelShape& shape) {
  const ModelFamily& family = shape.family;
  const double vectors = family.norm_vectors, hidden = static_cast<double>(shape.hidden);
  double layer = family.norms * vectors * hidden;
  if (family.head_norm == 1) layer += 2 * static_cast<double>(shape.head_size);
  if (family.head_norm == 2) layer += static_cast<double>(shape.query_width() + shape.kv_width());
  if (shape.latent) layer += static_cast<double>(shape.latent->kv_rank + shape.latent->query_rank);
  return layer * static_cast<double>(shape.layers) + vectors * hidden * (family.embedding_norm ? 2 : 1);
}

void count_experts(const ModelShape& shape, ParameterCount& count) {
  const ExpertShape& experts = *shape.experts;
  const double layers = static_cast<double>(shape.expert_layers()),
               hidden = static_cast<double>(shape.hidden);
  const double one = feed_forward_parameters(shape, static_cast<double>(experts.intermediate));
  const double shared = experts.shared_intermediate > 0
                            ? feed_forward_parameters(shape, static_cast<double>(experts.shared_intermediate))
                            : 0;
  count.experts = layers * (one * static_cast<double>(experts.count) + shared);
  count.active_experts = layers * (one * static_cast<double>(experts.per_token) + shared);
  count.router = layers * hidden * (static_cast<double>(experts.count) + (experts.shared_gate ? 1 : 0));
  count.feed_forward = static_cast<double>(experts.dense_layers) *
                       feed_forward_parameters(shape, static_cast<double>(shape.intermediate));
}

}  // namespace

const ModelFamily* find_model_family(std::string_view name) {
  for (const ModelFamily& family : kFamilies)
    if (family.name == name) return &family;
  return nullptr;
}

std::string known_model_families() {
  std::string names;
  for (const ModelFamily& family : kFamilies) {
    if (!names.empty()) names += ", ";
    names += family.name;
  }
  return names;
}

std::optional<WeightFormat> find_weight_format(std::string_view name) {
  std::string wanted = lower(name);
  if (wanted.starts_with("bnb.")) wanted.erase(0, 4);
  if (wanted == "gptq" || wanted == "int4") wanted = "gptq4";
  if (wanted == "awq") wanted = "awq4";
  for (const NamedFormat& format : kFormats)
    if (lower(format.name) == wanted)
      return WeightFormat{std::string(format.name), format.bits, format.embeddings_too};
  return std::nullopt;
}

std::string known_weight_formats() {
  std::string names;
  for (const NamedFormat& format : kFormats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

ParameterCount count_parameters(const ModelShape& shape) {
  ParameterCount count;
  const double layers = static_cast<double>(shape.layers), hidden = static_cast<double>(shape.hidden);
  const double vocabulary = static_cast<double>(shape.vocabulary);
  count.embedding = vocabulary * hidden;
  count.positions = static_cast<double>(shape.positions) * hidden;
  count.attention = layers * attention_parameters(shape);
  if (shape.experts)
    count_experts(shape, count);
  else
    count.feed_forward = layers * feed_forward_parameters(shape, static_cast<double>(shape.intermediate));
  count.norms = norm_parameters(shape);
  count.head = (shape.tied ? 0 : vocabulary * hidden) + (shape.family.head_bias ? vocabulary : 0);
  return count;
}

double weight_bytes(const ParameterCount& count, const WeightFormat& format) {
  if (format.embeddings_too) return count.total() * format.bits / 8;
  return count.matrices() * format.bits / 8 + (count.total() - count.matrices()) * 2;
}

Result<void> check_shape(const ModelShape& shape, const std::string& where) {
  const auto refuse = [&](std::string cause) {
    return make_error(ErrorCode::kInvalidInput, "size the model of", where, std::move(cause));
  };
  struct Limit {
    std::string_view name;
    std::int64_t value, low, high;
  };
  const std::array limits = {Limit{"layers", shape.layers, 1, 10'000},
                             Limit{"hidden size", shape.hidden, 1, 1 << 20},
                             Limit{"attention heads", shape.heads, 1, 1 << 16},
                             Limit{"KV heads", shape.kv_heads, 1, 1 << 16},
                             Limit{"head size", shape.head_size, 1, 1 << 16},
                             Limit{"feed-forward width", shape.intermediate, 1, 1 << 22},
                             Limit{"vocabulary", shape.vocabulary, 1, 1 << 26},
                             Limit{"experts", shape.experts ? shape.experts->count : 1, 1, 1 << 14}};
  for (const Limit& limit : limits)
    if (limit.value < limit.low || limit.value > limit.high)
      return refuse(fmt::format(fmt::runtime(tr("its number of {0} is {1}, which no model has ({2} to {3})")),
                                limit.name, limit.value, limit.low, limit.high));
  if (shape.heads % shape.kv_heads != 0)
    return refuse(fmt::format(fmt::runtime(tr("{0} attention heads cannot share {1} KV heads evenly")),
                              shape.heads, shape.kv_heads));
  if (shape.experts &&
      (shape.experts->per_token < 1 || shape.experts->per_token > shape.experts->count ||
       shape.experts->dense_layers < 0 || shape.experts->dense_layers > shape.layers ||
       shape.experts->intermediate < 1 || shape.experts->intermediate > (1 << 22) ||
       shape.experts->shared_intermediate < 0 || shape.experts->shared_intermediate > (1 << 22)))
    return refuse(std::string(tr("its numbers of experts contradict each other")));
  if (shape.positions < 0 || shape.positions > (1 << 26) ||
      (shape.sliding_window && *shape.sliding_window < 1))
    return refuse(std::string(tr("its number of positions is absurd")));
  if (shape.latent) {
    const LatentAttention& latent = *shape.latent;
    for (const std::int64_t value : {latent.kv_rank, latent.plain_head, latent.value_head})
      if (value < 1 || value > (1 << 20))
        return refuse(std::string(tr("the ranks of its latent attention are absurd")));
    if (latent.query_rank < 0 || latent.query_rank > (1 << 20) || latent.rope_head < 0 ||
        latent.rope_head > (1 << 16))
      return refuse(std::string(tr("the ranks of its latent attention are absurd")));
  }
  return {};
}

}  // namespace forebay
