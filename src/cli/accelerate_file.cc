#include "cli/accelerate_file.h"

#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "spec/yaml_tree.h"

namespace forebay {
namespace {

std::string_view text_at(const YamlNode& node, std::string_view key) {
  const YamlNode* found = node.find(key);
  return found != nullptr && found->is_scalar() ? std::string_view(found->text) : std::string_view();
}

std::optional<Offload> offload_of(std::string_view optimizer, std::string_view weights) {
  if (weights == "cpu" || weights == "nvme" || weights == "true") return Offload::kAll;
  if (optimizer == "cpu" || optimizer == "nvme") return Offload::kOptimizer;
  return std::nullopt;
}

void read_deepspeed_part(const YamlNode& part, DeepSpeedSettings& settings) {
  const std::optional<std::int64_t> stage = whole_integer(text_at(part, "zero_stage"));
  if (stage && *stage >= 0 && *stage <= 3) settings.zero_stage = static_cast<int>(*stage);
  settings.accumulation = whole_integer(text_at(part, "gradient_accumulation_steps"));
  settings.offload =
      offload_of(text_at(part, "offload_optimizer_device"), text_at(part, "offload_param_device"));
}

// FULL_SHARD shares everything (ZeRO-3), SHARD_GRAD_OP gradients and states (ZeRO-2), NO_SHARD nothing.
void read_fsdp_part(const YamlNode& part, DeepSpeedSettings& settings) {
  const std::string_view strategy = text_at(part, "fsdp_sharding_strategy");
  settings.zero_stage = strategy == "SHARD_GRAD_OP" || strategy == "2" ? 2
                        : strategy == "NO_SHARD" || strategy == "3"    ? 0
                                                                       : 3;
  settings.offload = offload_of({}, text_at(part, "fsdp_offload_params"));
}

}  // namespace

Result<AccelerateSettings> read_accelerate(const std::string& text, const std::string& name) {
  const YamlDocument document = read_yaml(text);
  const auto refuse = [&](std::string cause) {
    return make_error(ErrorCode::kInvalidInput, "read the Accelerate configuration", name, std::move(cause));
  };
  if (document.root == nullptr || !document.root->is_mapping())
    return refuse(std::string(tr("it is not a YAML mapping")));
  const YamlNode& root = *document.root;
  if (root.find("distributed_type") == nullptr && root.find("mixed_precision") == nullptr)
    return refuse(std::string(tr("it has neither \"distributed_type\" nor \"mixed_precision\"")));
  AccelerateSettings settings;
  settings.devices = whole_integer(text_at(root, "num_processes"));
  const std::string_view precision = text_at(root, "mixed_precision");
  if (precision == "bf16" || precision == "fp16") settings.training.precision = TrainingPrecision::kMixed;
  if (precision == "no") settings.training.precision = TrainingPrecision::kFp32;
  if (const YamlNode* part = root.find("deepspeed_config"); part != nullptr && part->is_mapping())
    read_deepspeed_part(*part, settings.training);
  if (const YamlNode* part = root.find("fsdp_config");
      part != nullptr && part->is_mapping() && text_at(root, "distributed_type") == "FSDP")
    read_fsdp_part(*part, settings.training);
  return settings;
}

}  // namespace forebay
