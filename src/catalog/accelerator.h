// What is known of an accelerator (data/accelerators.csv). Every figure that is not known is absent, never 0.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace forebay {

// In what numbers work is done. kFp64 and kFp32 are the plain pipelines; kFp64Tensor the matrix units'.
enum class NumberType { kFp64, kFp64Tensor, kFp32, kTf32, kFp16, kBf16, kFp8, kInt8, kFp4 };

struct Accelerator {
  std::string id;  // "H100-SXM-80GB": unique, what `--gpu` and the job file take
  std::vector<std::string>
      aliases;               // other names people, clouds and drivers use ("H100", "NVIDIA H100 80GB HBM3")
  std::string vendor;        // "nvidia", "amd", "google", "aws", "intel"
  std::string architecture;  // "Hopper", "CDNA3", "TPU v5e"
  std::string compute_capability;       // "9.0", "gfx942"; empty where there is no such thing
  std::optional<Bytes> memory;          // what the driver reports as usable in all (see memory_source)
  std::string memory_source;            // "measured", "reported", "as L40S" (the same memory); empty: unknown
  std::optional<Bytes> nominal_memory;  // the number on the box
  std::optional<ByteRate> bandwidth;    // of that memory
  std::map<NumberType, FlopRate> dense_rate;  // peak without sparsity, matrix units where there are any
  std::optional<bool> has_matrix_units;       // tensor cores, matrix cores, MXU
  std::optional<ByteRate> link;               // NVLink, xGMI, ICI: one device, both directions summed
  std::string pcie;                           // "5.0 x16"; empty: none or unknown
  std::optional<Watts> power;                 // board limit as sold
  std::string minimum_software;               // oldest CUDA (ROCm, Neuron …) with native kernels: "CUDA 11.8"
  std::string minimum_framework;              // oldest PyTorch with official wheels for it: "PyTorch 2.0"
  std::string source, date;

  std::optional<FlopRate> rate(NumberType type) const {
    const auto found = dense_rate.find(type);
    return found == dense_rate.end() ? std::nullopt : std::optional(found->second);
  }
  // The usable memory, or the number on the box where it was not measured (drivers report up to 8 % less).
  std::optional<Bytes> memory_or_nominal() const { return memory ? memory : nominal_memory; }
};

// "fp64-tensor", "bf16" …: the names of options and JSON.
std::string_view number_type_name(NumberType type);
std::optional<NumberType> number_type_named(std::string_view name);

}  // namespace forebay
