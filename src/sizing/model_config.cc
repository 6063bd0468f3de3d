#include "sizing/model_config.h"

#include <initializer_list>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

Error refuse(const std::string& name, std::string cause, std::string advice = {}) {
  return make_error(ErrorCode::kInvalidInput, "read the model configuration", name, std::move(cause),
                    std::move(advice));
}

// The first of these keys that is there and not null.
const Json& first_of(const Json& config, std::initializer_list<std::string_view> keys) {
  static const Json kNothing;
  for (const std::string_view key : keys)
    if (!config[key].is_null()) return config[key];
  return kNothing;
}

class Numbers {
 public:
  Numbers(const Json& config, const std::string& name) : config_(config), name_(name) {}

  // The number under the first key that is there; `fallback` when none is (then it must be above 0 or
  // `may_lack`).
  Result<std::int64_t> read(std::initializer_list<std::string_view> keys,
                            std::optional<std::int64_t> fallback) const {
    const Json& value = first_of(config_, keys);
    if (value.is_null()) {
      if (fallback) return *fallback;
      return refuse(
          name_, fmt::format(fmt::runtime(tr("it has no \"{0}\"")), *keys.begin()),
          std::string(tr("Give the config.json of a language model, or a parameter count such as 7B.")));
    }
    const std::optional<std::int64_t> number = value.is_bool() ? std::nullopt : value.as_integer();
    if (!number)
      return refuse(name_, fmt::format(fmt::runtime(tr("\"{0}\" is {1}, not a whole number")), *keys.begin(),
                                       value.dump()));
    return *number;
  }

 private:
  const Json& config_;
  const std::string& name_;
};

Result<const ModelFamily*> family_of(const Json& config, const std::string& name) {
  std::string type = config["model_type"].string_or_empty();
  if (type.empty())
    return refuse(name,
                  std::string(tr("it has no \"model_type\", so it is no Hugging Face model configuration")));
  if (type == "RefinedWeb" || type == "RefinedWebModel") type = "falcon";
  if (type == "falcon" && config["new_decoder_architecture"].as_bool().value_or(false))
    type = "falcon_two_norms";
  if (type == "gemma3") type = "gemma3_text";
  if (type.starts_with("qwen2") && type.ends_with("_vl_text")) type = "qwen2";
  if (type == "qwen3_vl_text") type = "qwen3";
  if (type == "qwen2_vl" || type == "qwen2_5_vl") type = "qwen2";
  if (const ModelFamily* family = find_model_family(type)) return family;
  return refuse(
      name, fmt::format(fmt::runtime(tr("the architecture \"{0}\" is not known here")), type),
      fmt::format(
          fmt::runtime(tr("Known: {0}. A parameter count (\"7B\") or the safetensors file works for any.")),
          known_model_families()));
}

Result<std::int64_t> kv_heads_of(const Json& config, const Numbers& numbers, std::string_view family,
                                 std::int64_t heads) {
  if (family == "falcon") return config["multi_query"].as_bool().value_or(true) ? 1 : heads;
  if (family == "falcon_two_norms") return numbers.read({"num_kv_heads", "n_head_kv"}, heads);
  return numbers.read({"num_key_value_heads", "num_kv_heads", "n_head_kv"}, heads);
}

Result<void> read_experts(const Json& config, const Numbers& numbers, ModelShape& shape) {
  FOREBAY_TRY(const std::int64_t count,
              numbers.read({"num_local_experts", "num_experts", "n_routed_experts"}, 0));
  if (count <= 1) return {};
  ExpertShape experts;
  experts.count = count;
  FOREBAY_TRY(experts.per_token,
              numbers.read({"num_experts_per_tok", "num_experts_per_token", "moe_top_k"}, std::nullopt));
  FOREBAY_TRY(experts.intermediate,
              numbers.read({"moe_intermediate_size", "intermediate_size"}, std::nullopt));
  FOREBAY_TRY(experts.dense_layers, numbers.read({"first_k_dense_replace"}, 0));
  FOREBAY_TRY(const std::int64_t shared, numbers.read({"n_shared_experts"}, 0));
  if (shared < 0 || shared > 1024 || experts.intermediate < 0 || experts.intermediate > (1 << 22))
    return refuse(shape.name, std::string(tr("its numbers of experts contradict each other")));
  FOREBAY_TRY(experts.shared_intermediate,
              numbers.read({"shared_expert_intermediate_size"}, shared * experts.intermediate));
  experts.shared_gate = shape.family.name == "qwen2_moe";
  if (config["mlp_only_layers"].size() > 0)
    experts.dense_layers = static_cast<std::int64_t>(config["mlp_only_layers"].size());
  shape.experts = experts;
  return {};
}

Result<void> read_latent(const Numbers& numbers, ModelShape& shape) {
  FOREBAY_TRY(const std::int64_t rank, numbers.read({"kv_lora_rank"}, 0));
  if (rank == 0) return {};
  LatentAttention latent;
  latent.kv_rank = rank;
  FOREBAY_TRY(latent.query_rank, numbers.read({"q_lora_rank"}, 0));
  FOREBAY_TRY(latent.rope_head, numbers.read({"qk_rope_head_dim"}, std::nullopt));
  FOREBAY_TRY(latent.plain_head, numbers.read({"qk_nope_head_dim"}, std::nullopt));
  FOREBAY_TRY(latent.value_head, numbers.read({"v_head_dim"}, std::nullopt));
  shape.latent = latent;
  return {};
}

Result<void> read_window(const Json& config, const Numbers& numbers, ModelShape& shape) {
  FOREBAY_TRY(const std::int64_t window, numbers.read({"sliding_window", "sliding_window_size"}, 0));
  if (window == 0 || !config["use_sliding_window"].as_bool().value_or(true)) return {};
  shape.sliding_window = window;
  FOREBAY_TRY(const std::int64_t pattern,
              numbers.read({"sliding_window_pattern"}, shape.family.name == "gemma2"        ? 2
                                                       : shape.family.name == "gemma3_text" ? 6
                                                                                            : 0));
  if (pattern > 1) shape.sliding_share = static_cast<double>(pattern - 1) / static_cast<double>(pattern);
  return {};
}

Result<void> read_positions(const Numbers& numbers, ModelShape& shape) {
  if (!shape.family.learned_positions) return {};
  FOREBAY_TRY(shape.positions, numbers.read({"n_positions", "max_position_embeddings", "n_ctx"}, 1024));
  if (shape.family.name == "opt") shape.positions += 2;  // OPT keeps two rows more than it has positions
  return {};
}

}  // namespace

Result<std::optional<WeightFormat>> format_from_config(const Json& config, const std::string& name) {
  const Json& quantisation = config["quantization_config"];
  if (!quantisation.is_object()) return std::optional<WeightFormat>();
  const std::string& method = quantisation["quant_method"].string_or_empty();
  const std::int64_t bits = first_of(quantisation, {"bits", "w_bit"}).as_integer().value_or(4);
  std::string wanted = method;
  if (method == "gptq" || method == "awq") wanted = fmt::format("{}{}", method, bits);
  if (quantisation["load_in_8bit"].as_bool().value_or(false)) wanted = "int8";
  if (quantisation["load_in_4bit"].as_bool().value_or(false))
    wanted = quantisation["bnb_4bit_use_double_quant"].as_bool().value_or(false) ? "nf4-dq" : "nf4";
  if (method == "fbgemm_fp8") wanted = "fp8";
  if (const std::optional<WeightFormat> format = find_weight_format(wanted)) return format;
  return refuse(name, fmt::format(fmt::runtime(tr("its quantisation \"{0}\" is not known here")), wanted),
                fmt::format(fmt::runtime(tr("Known: {0}.")), known_weight_formats()));
}

Result<ModelShape> shape_of_config(const Json& whole, const std::string& name) {
  if (!whole.is_object()) return refuse(name, std::string(tr("it is not a JSON object")));
  const bool nested = whole["text_config"].is_object() && whole["hidden_size"].is_null();
  Json inner;
  if (nested) {
    inner = whole["text_config"];
    if (inner["model_type"].is_null()) inner.set("model_type", whole["model_type"]);
  }
  const Json& config = nested ? inner : whole;
  const Numbers numbers(config, name);
  ModelShape shape;
  shape.name =
      whole["_name_or_path"].string_or_empty().empty() ? name : whole["_name_or_path"].string_or_empty();
  FOREBAY_TRY(const ModelFamily* family, family_of(config, name));
  shape.family = *family;
  FOREBAY_TRY(shape.layers,
              numbers.read({"num_hidden_layers", "n_layer", "num_layers", "n_layers"}, std::nullopt));
  FOREBAY_TRY(shape.hidden, numbers.read({"hidden_size", "n_embd", "d_model", "hidden_dim"}, std::nullopt));
  FOREBAY_TRY(shape.heads,
              numbers.read({"num_attention_heads", "n_head", "num_heads", "n_heads"}, std::nullopt));
  if (shape.heads < 1) return refuse(name, std::string(tr("it has no attention heads")));
  FOREBAY_TRY(shape.kv_heads, kv_heads_of(config, numbers, family->name, shape.heads));
  FOREBAY_TRY(shape.head_size, numbers.read({"head_dim", "kv_channels"}, shape.hidden / shape.heads));
  if (shape.hidden > (1 << 20)) return refuse(name, std::string(tr("its hidden size is absurd")));
  FOREBAY_TRY(shape.intermediate,
              numbers.read({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_embed_dim"},
                           family->four_times_hidden ? std::optional(4 * shape.hidden) : std::nullopt));
  if (family->name == "qwen") shape.intermediate /= 2;  // it states both halves of the gated network together
  FOREBAY_TRY(shape.vocabulary, numbers.read({"vocab_size", "padded_vocab_size"}, std::nullopt));
  shape.tied = first_of(config, {"tie_word_embeddings"}).as_bool().value_or(family->tied);
  if (config["attention_bias"].as_bool()) {
    shape.family.query_bias = *config["attention_bias"].as_bool();
    shape.family.output_bias = shape.family.query_bias && family->name != "qwen2";
  }
  FOREBAY_CHECK(read_experts(config, numbers, shape));
  FOREBAY_CHECK(read_latent(numbers, shape));
  FOREBAY_CHECK(read_window(config, numbers, shape));
  FOREBAY_CHECK(read_positions(numbers, shape));
  FOREBAY_TRY(shape.weights, format_from_config(whole, name));
  FOREBAY_CHECK(check_shape(shape, name));
  return shape;
}

Result<ModelShape> shape_from_config(std::string_view text, const std::string& name) {
  FOREBAY_TRY(const Json config, Json::parse(text, name));
  return shape_of_config(config, name);
}

}  // namespace forebay
