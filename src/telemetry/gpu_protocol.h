// What the GPU reader process sends: messages of one fixed size over a pipe, so that a reader that dies in
// the middle of one, or goes mad, costs nothing but a restart. Both ends are this program on this machine: no
// byte order, no versions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "record/metric.h"

namespace forebay {

enum class GpuMessageKind : std::uint16_t {
  kDriver = 1,  // text = "driver|library|cuda"; device = number of devices
  kDevice = 2,  // what a device is: text = "uuid|pci|name", values kTotal and kPowerLimit, flag kMig
  kBegin = 3,   // the device is about to be asked: if nothing follows, it is the one that hangs
  kReading = 4,
  kProcesses = 5,  // more processes of the device of the last kReading
  kDone = 6,       // end of one answer; values[0] = CPU seconds the reader has used
  kProblem =
      7,  // nothing can be read; text = a sentence; device = NVML's error number. The reader ends after it.
};

// Places in GpuMessage::values; a bit of `valid` says which are known.
enum GpuValue : unsigned {
  kUtilization,
  kMemoryUtilization,
  kUsed,
  kFree,
  kReserved,
  kTotal,
  kPower,
  kEnergy,
  kTemperature,
  kSmClock,
  kMemoryClock,
  kPowerLimit,
  kThrottle,
  kGpuValueCount
};

constexpr std::uint64_t kGpuLostFlag = 1ull << 63;
constexpr std::uint64_t kGpuMigFlag = 1ull << 62;

struct GpuProcess {
  std::uint32_t pid = 0;
  std::uint32_t memory_known = 0;
  std::uint64_t memory_bytes = 0;
};

struct GpuMessage {
  static constexpr std::uint32_t kMagic = 0x31554746;  // "FGU1"
  std::uint32_t magic = kMagic;
  GpuMessageKind kind = GpuMessageKind::kDone;
  std::uint16_t device = 0;
  std::uint64_t valid = 0;
  std::array<double, 16> values{};
  std::uint32_t process_count = 0;
  std::uint32_t text_length = 0;
  std::array<GpuProcess, 12> processes{};
  std::array<char, 168> text{};

  void set(GpuValue which, double value) {
    values[which] = value;
    valid |= 1ull << which;
  }
  std::optional<double> get(GpuValue which) const {
    if ((valid >> which & 1) == 0) return std::nullopt;
    return values[which];
  }
  void clear(GpuValue which) { valid &= ~(1ull << which); }
  void set_text(std::string_view from);  // cut to what fits
  std::string_view get_text() const;     // never longer than there is room
};
static_assert(sizeof(GpuMessage) == 512 && std::is_trivially_copyable_v<GpuMessage>);

// Which metric each value becomes.
constexpr std::array<Metric, kGpuValueCount> kGpuMetrics{
    Metric::kGpuUtilizationFraction, Metric::kGpuMemoryUtilizationFraction,
    Metric::kGpuMemoryUsedBytes,     Metric::kGpuMemoryFreeBytes,
    Metric::kGpuMemoryReservedBytes, Metric::kGpuMemoryTotalBytes,
    Metric::kGpuPowerWatts,          Metric::kGpuEnergyJoules,
    Metric::kGpuTemperatureCelsius,  Metric::kGpuSmClockHertz,
    Metric::kGpuMemoryClockHertz,    Metric::kGpuPowerLimitWatts,
    Metric::kGpuThrottleReasons};

// Drivers answer "success" with nonsense on some boards. Takes away what cannot be true, for instance
// 18446744073709551615 bytes, 300 % or 0 W; the rest stays.
void remove_implausible(GpuMessage& reading);

}  // namespace forebay
