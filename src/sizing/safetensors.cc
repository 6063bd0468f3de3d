#include "sizing/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "sizing/model_table.h"

namespace forebay {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaximumHeader = 100'000'000;  // the format's own limit

Error damaged(const std::string& name, std::string cause) {
  return make_error(ErrorCode::kCorrupt, "read the safetensors file", name, std::move(cause),
                    std::string(tr("Download it again.")));
}

// Bits of one value; nothing for a type that is not known.
std::optional<double> bits_of(std::string_view type) {
  if (type == "F64" || type == "I64" || type == "U64") return 64;
  if (type == "F32" || type == "I32" || type == "U32") return 32;
  if (type == "F16" || type == "BF16" || type == "I16" || type == "U16") return 16;
  if (type == "I8" || type == "U8" || type == "BOOL" || type.starts_with("F8")) return 8;
  if (type == "F6_E2M3" || type == "F6_E3M2") return 6;
  if (type == "F4") return 4;
  return std::nullopt;
}

struct Tensor {
  std::string name, type;
  std::vector<std::int64_t> shape;
  double values = 1, bytes = 0;
};

Result<Tensor> read_tensor(const Json::Member& member, std::uint64_t data_size, const std::string& file) {
  Tensor tensor;
  tensor.name = member.first.substr(0, 300);
  const Json& entry = member.second;
  tensor.type = entry["dtype"].string_or_empty();
  const std::optional<double> bits = bits_of(tensor.type);
  if (!bits)
    return damaged(file, fmt::format(fmt::runtime(tr("the tensor {0} has the unknown type \"{1}\"")),
                                     tensor.name, tensor.type));
  for (const Json& size : entry["shape"].items()) {
    const std::optional<std::int64_t> number = size.as_integer();
    if (!number || *number < 0)
      return damaged(file,
                     fmt::format(fmt::runtime(tr("the shape of {0} is no list of sizes")), tensor.name));
    tensor.shape.push_back(*number);
    tensor.values *= static_cast<double>(*number);
  }
  const std::optional<std::int64_t> begin = entry["data_offsets"].at(0).as_integer();
  const std::optional<std::int64_t> end = entry["data_offsets"].at(1).as_integer();
  if (!begin || !end || *begin < 0 || *end < *begin)
    return damaged(file,
                   fmt::format(fmt::runtime(tr("the place of {0} in the file is absurd")), tensor.name));
  if (static_cast<std::uint64_t>(*end) > data_size)
    return damaged(
        file,
        fmt::format(
            fmt::runtime(tr("it is truncated: {0} would end at byte {1} of the data, and there are {2}")),
            tensor.name, *end, data_size));
  tensor.bytes = static_cast<double>(*end - *begin);
  if (std::abs(tensor.values * *bits / 8 - tensor.bytes) >= 1)
    return damaged(file,
                   fmt::format(fmt::runtime(tr("{0} has {1} bytes, which its shape and type contradict")),
                               tensor.name, *end - *begin));
  return tensor;
}

bool is_packed(const Tensor& tensor) {
  return tensor.name.ends_with(".qweight") || (tensor.type == "U8" && tensor.name.ends_with(".weight"));
}

// How the weights are packed, by the tensors that stand beside them.
std::optional<WeightFormat> format_of(const std::vector<Tensor>& tensors) {
  bool groups = false, packed = false, awq = false, absmax = false, nested = false, eight = false,
       fp8 = false;
  for (const Tensor& tensor : tensors) {
    groups |= tensor.name.ends_with(".g_idx");
    packed |= tensor.name.ends_with(".qweight");
    awq |= tensor.name.ends_with(".qzeros");
    absmax |= tensor.name.ends_with(".absmax");
    nested |= tensor.name.ends_with(".nested_absmax");
    eight |= tensor.name.ends_with(".SCB") || (tensor.type == "I8" && tensor.name.ends_with(".weight"));
    fp8 |= tensor.type.starts_with("F8");
  }
  if (groups && packed) return find_weight_format("gptq4");
  if (awq && packed) return find_weight_format("awq4");
  if (absmax) return find_weight_format(nested ? "nf4-dq" : "nf4");
  if (fp8) return find_weight_format("fp8");
  if (eight) return find_weight_format("int8");
  return std::nullopt;
}

double parameters_in(const Tensor& tensor, const std::optional<WeightFormat>& format) {
  if (!format || !is_packed(tensor)) {
    const std::string_view name = tensor.name;
    for (const std::string_view side :
         {".qzeros", ".scales", ".g_idx", ".absmax", ".quant_map", ".SCB", ".weight_scale_inv",
          ".weight_scale", ".nested_absmax", ".nested_quant_map"})
      if (name.ends_with(side)) return 0;
    return name.find(".quant_state.") != std::string_view::npos ? 0 : tensor.values;
  }
  return tensor.bytes * 8 / std::floor(format->bits);
}

// What tensors of the usual names tell about the layers.
ModelShape guess_shape(const std::vector<Tensor>& tensors) {
  ModelShape shape;
  bool head = false;
  std::set<std::int64_t> experts;
  for (const Tensor& tensor : tensors) {
    const std::string_view name = tensor.name;
    for (const std::string_view mark : {"layers.", ".h.", "blocks.", "experts."}) {
      const std::size_t at = name.find(mark);
      if (at == std::string_view::npos) continue;
      const std::optional<std::int64_t> number = leading_integer(name.substr(at + mark.size()));
      if (!number || *number < 0 || *number >= 10'000) continue;
      if (mark == "experts.")
        experts.insert(*number);
      else
        shape.layers = std::max(shape.layers, *number + 1);
    }
    head |= name.ends_with("lm_head.weight") || name.ends_with("embed_out.weight");
    if (tensor.shape.size() != 2) continue;
    if (name.ends_with("embed_tokens.weight") || name.ends_with("wte.weight") ||
        name.ends_with("embed_in.weight")) {
      shape.vocabulary = tensor.shape[0];
      shape.hidden = tensor.shape[1];
    }
    if (name.ends_with("k_proj.weight") && !is_packed(tensor))
      shape.kv_heads = tensor.shape[0];  // a width yet
    if (name.ends_with("gate_proj.weight") && !is_packed(tensor)) shape.intermediate = tensor.shape[0];
  }
  shape.tied = !head;
  if (!experts.empty()) shape.experts = ExpertShape{.count = static_cast<std::int64_t>(experts.size())};
  return shape;
}

}  // namespace

Result<SafetensorsSummary> read_safetensors_header(std::string_view head, std::uint64_t file_size,
                                                   const std::string& name) {
  if (file_size < kLengthBytes || head.size() < kLengthBytes)
    return damaged(name, std::string(tr("it is truncated: not even the length of its header is there")));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(head[i])) << (8 * i);
  if (length > kMaximumHeader || length < 2)
    return damaged(
        name,
        fmt::format(fmt::runtime(tr("its header would be {0} bytes long, so it is no safetensors file")),
                    length));
  if (kLengthBytes + length > file_size || kLengthBytes + length > head.size())
    return damaged(
        name,
        fmt::format(fmt::runtime(tr("it is truncated: the header needs {0} bytes, and the file has {1}")),
                    kLengthBytes + length, file_size));
  Result<Json> json = Json::parse(head.substr(kLengthBytes, length), name);
  if (!json || !json->is_object()) return damaged(name, std::string(tr("its header is not JSON")));
  SafetensorsSummary summary;
  std::vector<Tensor> tensors;
  for (const Json::Member& member : json->members()) {
    if (member.first == "__metadata__") continue;
    FOREBAY_TRY(Tensor tensor, read_tensor(member, file_size - kLengthBytes - length, name));
    tensors.push_back(std::move(tensor));
  }
  if (tensors.empty()) return damaged(name, std::string(tr("there is no tensor in it")));
  summary.quantised = format_of(tensors);
  for (const Tensor& tensor : tensors) {
    ++summary.tensors;
    summary.bytes += tensor.bytes;
    summary.bytes_by_type[tensor.type] += tensor.bytes;
    summary.parameters += parameters_in(tensor, summary.quantised);
  }
  summary.shape = guess_shape(tensors);
  return summary;
}

Result<SafetensorsSummary> read_safetensors_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return system_error("read", path, errno);
  if (!S_ISREG(status.st_mode))
    return make_error(ErrorCode::kInvalidInput, "read the safetensors file", path,
                      std::string(tr("it is not a file")));
  std::string head(kLengthBytes, '\0');
  const auto fill = [&](std::size_t from) {
    while (from < head.size()) {
      const ssize_t got =
          ::pread(file.get(), head.data() + from, head.size() - from, static_cast<off_t>(from));
      if (got <= 0) break;
      from += static_cast<std::size_t>(got);
    }
    head.resize(from);
  };
  fill(0);
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < head.size(); ++i)
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(head[i])) << (8 * i);
  const std::uint64_t size = static_cast<std::uint64_t>(status.st_size);
  if (length <= kMaximumHeader && head.size() == kLengthBytes) {
    head.resize(static_cast<std::size_t>(std::min(size, kLengthBytes + length)));
    fill(kLengthBytes);
  }
  return read_safetensors_header(head, size, path);
}

Result<ModelShape> shape_from_safetensors(const SafetensorsSummary& summary, const std::string& name) {
  ModelShape guess = summary.shape;
  FOREBAY_TRY(ModelShape shape, shape_of_size(std::max(summary.parameters, 1e6), name));
  if (guess.layers > 0 && guess.hidden > 0 && guess.vocabulary > 0 && !guess.experts) {
    ModelShape told = shape;
    told.layers = guess.layers;
    told.hidden = guess.hidden;
    told.vocabulary = guess.vocabulary;
    told.tied = guess.tied;
    told.head_size = std::min<std::int64_t>(guess.hidden % 128 == 0 ? 128 : 64, guess.hidden);
    told.heads = std::max<std::int64_t>(1, guess.hidden / told.head_size);
    const std::int64_t kv = guess.kv_heads / told.head_size;
    told.kv_heads = kv > 0 && told.heads % kv == 0 ? kv : told.heads;
    told.intermediate = guess.intermediate > 0 ? guess.intermediate : 4 * guess.hidden;
    if (check_shape(told, name)) shape = told;
  }
  shape.only_a_guess = true;
  shape.stored_bytes = summary.bytes;
  shape.weights = summary.quantised;
  return shape;
}

}  // namespace forebay
