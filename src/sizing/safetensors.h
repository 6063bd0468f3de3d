// What a safetensors file says about its weights: only its header is read.
// Format: 8 bytes little-endian length, then that many bytes of JSON {"name": {"dtype", "shape",
// "data_offsets"}}.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sizing/model_shape.h"

namespace forebay {

struct SafetensorsSummary {
  std::int64_t tensors = 0;
  double bytes = 0;       // of all tensors, exact
  double parameters = 0;  // values; packed 4-bit integers (GPTQ, AWQ, bitsandbytes) count as what they hold
  std::map<std::string, double> bytes_by_type;  // "BF16" → bytes
  std::optional<WeightFormat> quantised;        // recognised by its tensors' names and types
  ModelShape shape;  // as far as names and shapes tell it; layers 0 when they do not
};

// From the file's first bytes (`head`: at least the header) and its whole size. kCorrupt with one sentence:
// truncated, absurd header length, offsets outside the file or that contradict the shape.
Result<SafetensorsSummary> read_safetensors_header(std::string_view head, std::uint64_t file_size,
                                                   const std::string& name);
// Reads at most the header (100 MB, the format's own limit).
Result<SafetensorsSummary> read_safetensors_file(const std::string& path);
// The model's shape with its exact bytes. kUnsupported when the names are not those of a language model.
Result<ModelShape> shape_from_safetensors(const SafetensorsSummary& summary, const std::string& name);

}  // namespace forebay
