// Any bytes as a config.json: no crash; what is accepted can be counted and sized with finite figures.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sizing/deepspeed.h"
#include "sizing/memory.h"
#include "sizing/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace forebay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)read_deepspeed(text, "ds_config.json");
  const Result<ModelShape> shape = shape_from_config(text, "config.json");
  if (!shape) return shape.error().sentence().empty() ? std::abort(), 0 : 0;
  static const MemoryConstants constants = *built_in_memory_constants();
  for (const Method method : {Method::kInference, Method::kFull, Method::kLora}) {
    const MemoryEstimate estimate = estimate_memory(*shape, Workload{.method = method}, constants);
    if (!std::isfinite(estimate.high) || !(estimate.likely > 0)) std::abort();
  }
  return 0;
}
