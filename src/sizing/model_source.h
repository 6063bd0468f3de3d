// What a person gives as a model: a name, a file, a folder or a count.
#pragma once

#include <string>

#include "sizing/model_shape.h"

namespace forebay {

// A folder with config.json, a config.json, a *.safetensors file (its header), a parameter count ("7B") or a
// built-in name, in this order. A safetensors file beside a config.json takes its shape from there and its
// bytes from itself.
Result<ModelShape> resolve_model(const std::string& text);

}  // namespace forebay
