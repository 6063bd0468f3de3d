// What a configuration of Hugging Face Accelerate (YAML) says about memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sizing/deepspeed.h"

namespace forebay {

struct AccelerateSettings {
  DeepSpeedSettings training;
  std::optional<std::int64_t> devices;  // num_processes
};
// kInvalidInput: no YAML mapping, or none of Accelerate's keys in it.
Result<AccelerateSettings> read_accelerate(const std::string& text, const std::string& name);

}  // namespace forebay
