// What a DeepSpeed configuration says about memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sizing/workload.h"

namespace forebay {

// Only what the file states; "auto" (Hugging Face fills it in) is not stated.
struct DeepSpeedSettings {
  std::optional<int> zero_stage;
  std::optional<Offload> offload;
  std::optional<std::int64_t> micro_batch, accumulation;
  std::optional<TrainingPrecision> precision;
  std::optional<Optimizer> optimizer;
};
// kInvalidInput: no JSON object, no key of DeepSpeed in it, a stage that does not exist.
Result<DeepSpeedSettings> read_deepspeed(std::string_view text, const std::string& name);

}  // namespace forebay
