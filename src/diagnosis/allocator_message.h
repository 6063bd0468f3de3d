// Figures out of the sentence with which an allocator gives up (PyTorch's CUDA and CPU allocators, JAX,
// TensorFlow, Python, C++).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace forebay {

enum class AllocatorPlace { kHost, kGpu };

struct AllocatorMessage {
  AllocatorPlace place = AllocatorPlace::kHost;
  std::optional<double> requested_bytes;    // what was asked for when it failed
  std::optional<double> allocated_bytes;    // in use by tensors
  std::optional<double> unallocated_bytes;  // reserved by the framework, but not in use: fragmentation
  std::optional<double> capacity_bytes;     // of the device
  std::optional<double> free_bytes;
};

// Nothing when the line is not about running out of memory. The line may hold any byte and be of any length.
std::optional<AllocatorMessage> parse_allocator_message(std::string_view line);

}  // namespace forebay
