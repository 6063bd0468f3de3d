#include "telemetry/gpu_device.h"

#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace forebay {
namespace {

// True when the device itself is gone, not only this value.
bool is_lost(NvmlReturn code) {
  return code == kNvmlGpuIsLost || code == kNvmlResetRequired;
}

// Collects values; remembers whether any answer said that the device is lost.
class Reading {
 public:
  Reading(GpuMessage& message) : message_(message) {}
  bool works(NvmlReturn code) {
    if (is_lost(code)) message_.valid |= kGpuLostFlag;
    return code == kNvmlSuccess;
  }
  void put(GpuValue which, double value) { message_.set(which, value); }
  bool lost() const { return (message_.valid & kGpuLostFlag) != 0; }

 private:
  GpuMessage& message_;
};

void read_memory(const NvmlFunctions& nvml, NvmlDevice device, Reading& reading) {
  if (nvml.memory_v2 != nullptr) {
    NvmlMemoryV2 memory{};
    memory.version = static_cast<unsigned>(sizeof memory) | 2u << 24;
    if (reading.works(nvml.memory_v2(device, &memory))) {
      reading.put(kTotal, static_cast<double>(memory.total));
      reading.put(kUsed, static_cast<double>(memory.used));
      reading.put(kFree, static_cast<double>(memory.free));
      reading.put(kReserved, static_cast<double>(memory.reserved));
      return;
    }
    if (reading.lost()) return;
  }
  NvmlMemory memory{};
  if (nvml.memory == nullptr || !reading.works(nvml.memory(device, &memory))) return;
  reading.put(kTotal, static_cast<double>(memory.total));
  reading.put(kUsed, static_cast<double>(memory.used));
  reading.put(kFree, static_cast<double>(memory.free));
}

void read_activity(const NvmlFunctions& nvml, NvmlDevice device, Reading& reading) {
  NvmlUtilization utilization{};
  if (nvml.utilization != nullptr && reading.works(nvml.utilization(device, &utilization))) {
    reading.put(kUtilization, utilization.gpu / 100.0);
    reading.put(kMemoryUtilization, utilization.memory / 100.0);
  }
  unsigned clock = 0;
  if (nvml.clock != nullptr && reading.works(nvml.clock(device, kNvmlClockSm, &clock)))
    reading.put(kSmClock, clock * 1e6);
  if (nvml.clock != nullptr && reading.works(nvml.clock(device, kNvmlClockMemory, &clock)))
    reading.put(kMemoryClock, clock * 1e6);
  unsigned long long reasons = 0;
  if (nvml.throttle_reasons != nullptr && reading.works(nvml.throttle_reasons(device, &reasons)))
    reading.put(kThrottle, static_cast<double>(reasons));
}

void read_power(const NvmlFunctions& nvml, NvmlDevice device, Reading& reading) {
  unsigned value = 0;
  if (nvml.power != nullptr && reading.works(nvml.power(device, &value))) reading.put(kPower, value * 1e-3);
  if (nvml.power_limit != nullptr && reading.works(nvml.power_limit(device, &value)))
    reading.put(kPowerLimit, value * 1e-3);
  unsigned long long energy = 0;
  if (nvml.energy != nullptr && reading.works(nvml.energy(device, &energy)))
    reading.put(kEnergy, static_cast<double>(energy) * 1e-3);
  if (nvml.temperature != nullptr && reading.works(nvml.temperature(device, 0, &value)))
    reading.put(kTemperature, value);
}

// The entries grew from 24 to 32 bytes in one driver series without another version number. So the buffer is
// filled with a pattern first, and how far the driver wrote tells how long its entries are.
constexpr unsigned char kPattern = 0xA5;
constexpr std::size_t kLongestEntry = 32;

std::size_t entry_size(const std::vector<unsigned char>& buffer, unsigned count) {
  std::size_t written = buffer.size();
  while (written > 0 && buffer[written - 1] == kPattern) --written;
  return written > std::size_t{24} * count ? 32 : 24;
}

void read_processes(const NvmlFunctions& nvml, NvmlDevice device, Reading& reading,
                    std::vector<GpuProcess>& processes) {
  processes.clear();
  const bool first_version = nvml.processes == nullptr;
  const auto call = first_version ? nvml.processes_v1 : nvml.processes;
  if (call == nullptr) return;
  std::vector<unsigned char> buffer;
  unsigned count = 0;
  NvmlReturn code = kNvmlInsufficientSize;
  for (unsigned room = 32; code == kNvmlInsufficientSize && room <= 4096; room *= 8) {
    buffer.assign(kLongestEntry * room, kPattern);
    count = room;
    code = call(device, &count, buffer.data());
  }
  if (!reading.works(code)) return;
  const std::size_t size = first_version ? 16 : entry_size(buffer, count);
  for (unsigned i = 0; i < count && size * (i + 1) <= buffer.size(); ++i) {
    GpuProcess process;
    unsigned long long memory = 0;
    std::memcpy(&process.pid, buffer.data() + size * i, sizeof process.pid);
    std::memcpy(&memory, buffer.data() + size * i + 8, sizeof memory);
    process.memory_known = memory < (1ull << 46) ? 1 : 0;  // "not available" is all ones
    process.memory_bytes = process.memory_known != 0 ? memory : 0;
    processes.push_back(process);
  }
}

std::string text_of(NvmlReturn (*function)(NvmlDevice, char*, unsigned), NvmlDevice device) {
  std::array<char, 128> text{};
  if (function == nullptr || function(device, text.data(), text.size() - 1) != kNvmlSuccess) return {};
  return std::string(text.data());
}

}  // namespace

GpuMessage describe_gpu(const NvmlFunctions& nvml, NvmlDevice device, std::uint16_t index) {
  GpuMessage message;
  message.kind = GpuMessageKind::kDevice;
  message.device = index;
  Reading reading(message);
  read_memory(nvml, device, reading);
  unsigned value = 0, pending = 0;
  if (nvml.power_limit != nullptr && reading.works(nvml.power_limit(device, &value)))
    reading.put(kPowerLimit, value * 1e-3);
  if (nvml.mig_mode != nullptr && nvml.mig_mode(device, &value, &pending) == kNvmlSuccess && value == 1)
    message.valid |= kGpuMigFlag;
  NvmlPciInfo pci{};
  std::string bus;
  if (nvml.pci_info != nullptr && nvml.pci_info(device, &pci) == kNvmlSuccess) {
    pci.bus_id[sizeof pci.bus_id - 1] = '\0';
    bus = pci.bus_id;
  }
  message.set_text(fmt::format("{}|{}|{}", text_of(nvml.uuid, device), bus, text_of(nvml.name, device)));
  remove_implausible(message);
  return message;
}

GpuMessage read_gpu(const NvmlFunctions& nvml, NvmlDevice device, std::uint16_t index,
                    std::vector<GpuProcess>& processes) {
  GpuMessage message;
  message.kind = GpuMessageKind::kReading;
  message.device = index;
  processes.clear();
  Reading reading(message);
  read_memory(nvml, device, reading);
  if (!reading.lost()) read_activity(nvml, device, reading);
  if (!reading.lost()) read_power(nvml, device, reading);
  if (!reading.lost()) read_processes(nvml, device, reading, processes);
  if (reading.lost()) message.valid = kGpuLostFlag;  // what was read before it fell off is not to be believed
  remove_implausible(message);
  return message;
}

}  // namespace forebay
