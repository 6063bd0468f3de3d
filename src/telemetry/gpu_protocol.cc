#include "telemetry/gpu_protocol.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace forebay {
namespace {

struct Range {
  GpuValue which;
  double low, high;  // inclusive
};

// Wide on purpose: they catch sentinels and wrong units, not odd cards.
constexpr Range kPlausible[] = {
    {kUtilization, 0, 1},   {kMemoryUtilization, 0, 1}, {kUsed, 0, 0x1p46},
    {kFree, 0, 0x1p46},     {kReserved, 0, 0x1p44},     {kTotal, 64.0 * 1024 * 1024, 0x1p46},
    {kPower, 0.1, 5'000},   {kEnergy, 1e-3, 1e13},      {kTemperature, 1, 150},
    {kSmClock, 1e6, 1e10},  {kMemoryClock, 1e6, 5e10},  {kPowerLimit, 1, 5'000},
    {kThrottle, 0, 0x1p53},
};

}  // namespace

void GpuMessage::set_text(std::string_view from) {
  text_length = static_cast<std::uint32_t>(std::min(from.size(), text.size()));
  std::memcpy(text.data(), from.data(), text_length);
}

std::string_view GpuMessage::get_text() const {
  return std::string_view(text.data(), std::min<std::size_t>(text_length, text.size()));
}

void remove_implausible(GpuMessage& reading) {
  for (const Range& range : kPlausible) {
    const auto value = reading.get(range.which);
    if (value && (!std::isfinite(*value) || *value < range.low || *value > range.high))
      reading.clear(range.which);
  }
  // Without a believable total the other memory figures are of the same kind (unified-memory boards).
  const auto total = reading.get(kTotal);
  for (const GpuValue part : {kUsed, kFree, kReserved})
    if (const auto value = reading.get(part); value && (!total || *value > *total)) reading.clear(part);
}

}  // namespace forebay
