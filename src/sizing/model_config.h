// A model's shape from a Hugging Face config.json.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "sizing/model_shape.h"

namespace forebay {

// `text` is the file's content, `name` its path for sentences. The text part of a model that also sees or
// hears is taken ("text_config"). kInvalidInput: no such JSON, an unknown model_type (the known ones are
// named), a missing or absurd number.
Result<ModelShape> shape_from_config(std::string_view text, const std::string& name);
Result<ModelShape> shape_of_config(const Json& config, const std::string& name);
// quantization_config (GPTQ, AWQ, bitsandbytes, fp8, mxfp4); nothing when there is none.
Result<std::optional<WeightFormat>> format_from_config(const Json& config, const std::string& name);

}  // namespace forebay
