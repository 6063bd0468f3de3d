#include "sizing/model_source.h"

#include "base/file.h"
#include "base/text.h"
#include "sizing/model_config.h"
#include "sizing/model_table.h"
#include "sizing/safetensors.h"

namespace forebay {
namespace {

constexpr std::size_t kLargestConfig = 4u << 20;

Result<ModelShape> read_config(const std::string& path) {
  FOREBAY_TRY(const std::string text, read_file(path, kLargestConfig));
  return shape_from_config(text, path);
}

Result<ModelShape> read_weights(const std::string& path) {
  FOREBAY_TRY(const SafetensorsSummary summary, read_safetensors_file(path));
  const std::size_t slash = path.rfind('/');
  const std::string beside =
      slash == std::string::npos ? "config.json" : path.substr(0, slash + 1) + "config.json";
  if (!path_exists(beside)) return shape_from_safetensors(summary, path);
  FOREBAY_TRY(ModelShape shape, read_config(beside));
  // One shard of several says nothing about the whole.
  if (summary.parameters > 0.9 * count_parameters(shape).total()) shape.stored_bytes = summary.bytes;
  if (!shape.weights) shape.weights = summary.quantised;
  return shape;
}

}  // namespace

Result<ModelShape> resolve_model(const std::string& text) {
  if (text.empty())
    return make_error(ErrorCode::kInvalidInput, "size", "a model without a name",
                      std::string(tr("the name is empty")));
  if (text.ends_with(".safetensors")) return read_weights(text);
  if (text.ends_with(".json")) return read_config(text);
  if (text.ends_with(".gguf") || text.ends_with(".bin") || text.ends_with(".pt"))
    return make_error(
        ErrorCode::kUnsupported, "size", text, std::string(tr("such files are not read")),
        std::string(tr("Give the config.json beside it, and --weights for how it is quantised.")));
  if (path_exists(join_path(text, "config.json"))) return read_config(join_path(text, "config.json"));
  if (const std::optional<double> count = parse_parameter_count(text)) return shape_of_size(*count, text);
  return find_model(text);
}

}  // namespace forebay
