#include "sizing/deepspeed.h"

#include <cctype>

#include "base/json.h"
#include "base/text.h"

namespace forebay {
namespace {

bool says_cpu(const Json& offload) {
  const std::string& device = offload["device"].string_or_empty();
  return device == "cpu" || device == "nvme";
}

std::optional<std::int64_t> positive(const Json& value) {
  const std::optional<std::int64_t> number = value.is_bool() ? std::nullopt : value.as_integer();
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace

Result<DeepSpeedSettings> read_deepspeed(std::string_view text, const std::string& name) {
  FOREBAY_TRY(const Json json, Json::parse(text, name));
  const Json& zero = json["zero_optimization"];
  const bool known = zero.is_object() || json.contains("train_micro_batch_size_per_gpu") ||
                     json.contains("train_batch_size");
  if (!json.is_object() || !known)
    return make_error(ErrorCode::kInvalidInput, "read the DeepSpeed configuration", name,
                      std::string(tr("it has neither \"zero_optimization\" nor a batch size of DeepSpeed")));
  DeepSpeedSettings settings;
  if (zero.is_object()) {
    const std::optional<std::int64_t> stage = zero["stage"].as_integer();
    if (!stage || *stage < 0 || *stage > 3)
      return make_error(ErrorCode::kInvalidInput, "read the DeepSpeed configuration", name,
                        std::string(tr("ZeRO has the stages 0 to 3")));
    settings.zero_stage = static_cast<int>(*stage);
    if (says_cpu(zero["offload_optimizer"])) settings.offload = Offload::kOptimizer;
    if (says_cpu(zero["offload_param"])) settings.offload = Offload::kAll;
  }
  settings.micro_batch = positive(json["train_micro_batch_size_per_gpu"]);
  settings.accumulation = positive(json["gradient_accumulation_steps"]);
  if (json["bf16"]["enabled"].as_bool().value_or(false) || json["fp16"]["enabled"].as_bool().value_or(false))
    settings.precision = TrainingPrecision::kMixed;
  std::string optimizer = json["optimizer"]["type"].string_or_empty();
  for (char& c : optimizer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (const Result<Optimizer> found = parse_optimizer(optimizer)) settings.optimizer = *found;
  return settings;
}

}  // namespace forebay
