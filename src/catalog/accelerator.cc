#include "catalog/accelerator.h"

#include <array>

namespace forebay {
namespace {

constexpr std::array<std::pair<std::string_view, NumberType>, 9> kNumberTypes{{
    {"fp64", NumberType::kFp64},
    {"fp64-tensor", NumberType::kFp64Tensor},
    {"fp32", NumberType::kFp32},
    {"tf32", NumberType::kTf32},
    {"fp16", NumberType::kFp16},
    {"bf16", NumberType::kBf16},
    {"fp8", NumberType::kFp8},
    {"int8", NumberType::kInt8},
    {"fp4", NumberType::kFp4},
}};

}  // namespace

std::string_view number_type_name(NumberType type) {
  for (const auto& [name, value] : kNumberTypes)
    if (value == type) return name;
  return "";
}

std::optional<NumberType> number_type_named(std::string_view name) {
  for (const auto& [known, value] : kNumberTypes)
    if (known == name) return value;
  return std::nullopt;
}

}  // namespace forebay
