// Models by name (data/models.csv) and by nothing but a parameter count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sizing/model_shape.h"

namespace forebay {

struct KnownModel {
  ModelShape shape;
  std::optional<double> published_parameters;
  std::string source, date;
};
// All rows of the table. An error only when the file itself is damaged.
Result<std::vector<KnownModel>> known_models();

// A model by name: case does not matter, an organisation ("meta-llama/") and endings such as "-Instruct",
// "-hf" or
// "-Base" are looked past. kNotFound names the nearest.
Result<ModelShape> find_model(std::string_view name);

// "7B", "350M", "1.3b", "6738415616": nothing when the text is not a count.
std::optional<double> parse_parameter_count(std::string_view text);
// The typical Llama-like shape with about that many parameters (`only_a_guess` is set): 128 wide heads, a
// width to depth ratio of models of that size, a vocabulary of 32,000. kInvalidInput outside 1 million to 100
// trillion.
Result<ModelShape> shape_of_size(double parameters, const std::string& name);

}  // namespace forebay
