#include "diagnosis/allocator_message.h"

#include <algorithm>
#include <array>

#include "base/units.h"

namespace forebay {
namespace {

constexpr std::size_t kLongestLine = 4096;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "2.00 GiB" or "40000000000 bytes" at the front of `text`.
std::optional<double> size_at(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const std::size_t number = std::min(text.find_first_not_of("0123456789."), text.size());
  std::size_t unit = number;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  std::size_t end = unit;
  while (end < text.size() &&
         ((text[end] >= 'a' && text[end] <= 'z') || (text[end] >= 'A' && text[end] <= 'Z')))
    ++end;
  std::string_view name = text.substr(unit, end - unit);
  if (name == "bytes" || name == "byte") name = "B";
  const auto bytes = parse_bytes(std::string(text.substr(0, number)) + std::string(name));
  return bytes ? std::optional(static_cast<double>(bytes->count)) : std::nullopt;
}

std::optional<double> size_after(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  return at == std::string_view::npos ? std::nullopt : size_at(line.substr(at + words.size()));
}

// The size that ends right before `words`: "… 70.1 GiB is allocated by PyTorch".
std::optional<double> size_before(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos || at < 2) return std::nullopt;
  const std::size_t unit = line.rfind(' ', at - 2);  // before the unit
  if (unit == std::string_view::npos || unit == 0) return std::nullopt;
  const std::size_t number = line.rfind(' ', unit - 1);
  return size_at(line.substr(number == std::string_view::npos ? 0 : number + 1));
}

std::optional<double> first_of(std::optional<double> a, std::optional<double> b) {
  return a ? a : b;
}

}  // namespace

std::optional<AllocatorMessage> parse_allocator_message(std::string_view line) {
  line = line.substr(0, kLongestLine);
  static constexpr std::array<std::string_view, 6> kGpu{
      "CUDA out of memory",     "HIP out of memory",          "CUDA error: out of memory",
      "torch.OutOfMemoryError", "CUBLAS_STATUS_ALLOC_FAILED", "RESOURCE_EXHAUSTED: Out of memory"};
  static constexpr std::array<std::string_view, 6> kHost{
      "DefaultCPUAllocator",    "MemoryError",        "std::bad_alloc",
      "Cannot allocate memory", "Unable to allocate", "not enough memory: you tried to allocate"};
  const auto says = [&](std::string_view words) { return contains(line, words); };
  const bool gpu = std::any_of(kGpu.begin(), kGpu.end(), says) || says("torch.cuda.OutOfMemoryError");
  if (!gpu && !std::any_of(kHost.begin(), kHost.end(), says)) return std::nullopt;
  AllocatorMessage message;
  message.place = gpu ? AllocatorPlace::kGpu : AllocatorPlace::kHost;
  message.requested_bytes =
      first_of(first_of(size_after(line, "Tried to allocate "), size_after(line, "tried to allocate ")),
               first_of(size_after(line, "trying to allocate "), size_after(line, "Unable to allocate ")));
  message.allocated_bytes =
      first_of(size_before(line, " is allocated by PyTorch"), size_before(line, " already allocated"));
  message.unallocated_bytes = size_before(line, " is reserved by PyTorch but unallocated");
  message.capacity_bytes =
      first_of(size_after(line, "total capacity of "), size_before(line, " total capacity"));
  message.free_bytes = size_before(line, " is free");
  return message;
}

}  // namespace forebay
