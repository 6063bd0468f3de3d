// A scripted libnvidia-ml.so.1 for tests: what a driver documents, and how drivers misbehave.
// FOREBAY_FAKE_NVML holds words separated by commas:
//   gpus=N            how many devices (default 8)
//   sparse            devices without utilisation, power, temperature, clocks ("not supported")
//   lost=D@N          device D is lost from its Nth reading on (Xid 79)
//   hang=D@N          device D never answers from its Nth reading on
//   hang_init         loading never ends
//   mismatch          the library and the kernel driver differ
//   no_driver         the kernel driver is not loaded
//   nonsense          success with values that cannot be
//   mig               MIG is on: no utilisation
//   long_processes    process entries of 32 bytes, as one driver series has them
//   pid=P             one process with 1 GiB on device 0 (default: none)
//   busy=PERCENT      utilisation (default 50)
// Built with FAKE_NVML_OLD it lacks the second version of memory and everything newer.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kSuccess = 0, kUninitialized = 1, kInvalid = 2, kNotSupported = 3, kInsufficientSize = 7,
              kDriverNotLoaded = 9, kLost = 15, kMismatch = 18;

struct Script {
  unsigned gpus = 8;
  bool sparse = false, hang_init = false, mismatch = false, no_driver = false, nonsense = false, mig = false,
       long_processes = false;
  long lost_device = -1, lost_after = 0, hang_device = -1, hang_after = 0;
  unsigned pid = 0, busy = 50;
};

long number_after(const std::string& word, char mark) {
  const std::size_t at = word.find(mark);
  return at == std::string::npos ? 0 : std::atol(word.c_str() + at + 1);
}

void take_word(Script& script, const std::string& word) {
  if (word.rfind("gpus=", 0) == 0) script.gpus = static_cast<unsigned>(number_after(word, '='));
  if (word == "sparse") script.sparse = true;
  if (word == "hang_init") script.hang_init = true;
  if (word == "mismatch") script.mismatch = true;
  if (word == "no_driver") script.no_driver = true;
  if (word == "nonsense") script.nonsense = true;
  if (word == "mig") script.mig = true;
  if (word == "long_processes") script.long_processes = true;
  if (word.rfind("lost=", 0) == 0)
    script.lost_device = number_after(word, '='), script.lost_after = number_after(word, '@');
  if (word.rfind("hang=", 0) == 0)
    script.hang_device = number_after(word, '='), script.hang_after = number_after(word, '@');
  if (word.rfind("pid=", 0) == 0) script.pid = static_cast<unsigned>(number_after(word, '='));
  if (word.rfind("busy=", 0) == 0) script.busy = static_cast<unsigned>(number_after(word, '='));
}

const Script& script() {
  static const Script parsed = [] {
    Script found;
    const char* text = std::getenv("FOREBAY_FAKE_NVML");
    std::string rest = text != nullptr ? text : "";
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      take_word(found, rest.substr(0, comma));
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return found;
  }();
  return parsed;
}

bool started = false;
long readings[64] = {};  // by device, counted by the memory call

struct Device {
  unsigned index;
} devices[64];

// Answers for a device: uninitialised, lost, or (never) hung.
int state_of(void* handle, unsigned& index, bool counts) {
  if (!started) return kUninitialized;
  if (handle == nullptr) return kInvalid;
  index = static_cast<Device*>(handle)->index;
  if (counts) ++readings[index];
  const Script& s = script();
  // The first reading describes the device.
  if (static_cast<long>(index) == s.hang_device && readings[index] > s.hang_after + 1) ::sleep(1'000'000);
  if (static_cast<long>(index) == s.lost_device && readings[index] > s.lost_after + 1) return kLost;
  return kSuccess;
}

int put_text(char* into, unsigned length, const std::string& text) {
  if (length <= text.size()) return kInsufficientSize;
  std::memcpy(into, text.c_str(), text.size() + 1);
  return kSuccess;
}

constexpr unsigned long long kGiB = 1ull << 30;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (script().hang_init) ::sleep(1'000'000);
  if (script().mismatch) return kMismatch;
  if (script().no_driver) return kDriverNotLoaded;
  for (unsigned i = 0; i < 64; ++i) devices[i].index = i;
  started = true;
  return kSuccess;
}

const char* nvmlErrorString(int code) {
  switch (code) {
    case kNotSupported:
      return "Not Supported";
    case kDriverNotLoaded:
      return "Driver Not Loaded";
    case kLost:
      return "GPU is lost";
    case kMismatch:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return put_text(text, length, script().mismatch ? "535.104.05" : "550.54.15");
}
int nvmlSystemGetNVMLVersion(char* text, unsigned length) {
  return put_text(text, length, "12.550.54.15");
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12040;
  return kSuccess;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (!started) return kUninitialized;
  *count = script().gpus;
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (!started) return kUninitialized;
  if (index >= script().gpus || index >= 64) return kInvalid;
  *device = &devices[index];
  return kSuccess;
}

int nvmlDeviceGetName(void* handle, char* text, unsigned length) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  return state != kSuccess ? state : put_text(text, length, "Fake H100 80GB HBM3");
}

int nvmlDeviceGetUUID(void* handle, char* text, unsigned length) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  return state != kSuccess
             ? state
             : put_text(text, length, "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(index % 10));
}

int nvmlDeviceGetMemoryInfo(void* handle, void* into) {
  struct Memory {
    unsigned long long total, free, used;
  };
  unsigned index = 0;
  const int state = state_of(handle, index, true);
  if (state != kSuccess) return state;
  auto* memory = static_cast<Memory*>(into);
  *memory = script().nonsense ? Memory{80, 70, 10} : Memory{80 * kGiB, 69 * kGiB, 11 * kGiB};
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void* handle, void* into) {
  struct Rates {
    unsigned gpu, memory;
  };
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse || script().mig) return kNotSupported;
  *static_cast<Rates*>(into) =
      script().nonsense ? Rates{4294967295u, 300} : Rates{script().busy, script().busy / 2};
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *milliwatts = script().nonsense ? 0 : 300'000 + index * 1000;
  return kSuccess;
}

int nvmlDeviceGetEnforcedPowerLimit(void* handle, unsigned* milliwatts) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *milliwatts = script().nonsense ? 4294967295u : 700'000;
  return kSuccess;
}

int nvmlDeviceGetTemperature(void* handle, unsigned, unsigned* celsius) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *celsius = script().nonsense ? 0 : 55;
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void* handle, unsigned type, unsigned* megahertz) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *megahertz = script().nonsense ? 4294967295u : type == 1 ? 1980 : 2619;
  return kSuccess;
}

#ifndef FAKE_NVML_OLD

int nvmlDeviceGetMemoryInfo_v2(void* handle, void* into) {
  struct Memory {
    unsigned version;
    unsigned long long total, reserved, free, used;
  };
  unsigned index = 0;
  auto* memory = static_cast<Memory*>(into);
  if (memory->version != (sizeof(Memory) | 2u << 24)) return 25;  // argument version mismatch
  const int state = state_of(handle, index, true);
  if (state != kSuccess) return state;
  const unsigned version = memory->version;
  *memory = script().nonsense ? Memory{version, 80, 1, 69, 10}
                              : Memory{version, 80 * kGiB, kGiB, 69 * kGiB, 10 * kGiB};
  return kSuccess;
}

int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* millijoules) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *millijoules = script().nonsense
                     ? ~0ull
                     : 1'000'000ull + 300'000ull * static_cast<unsigned long long>(readings[index]);
  return kSuccess;
}

int nvmlDeviceGetCurrentClocksEventReasons(void* handle, unsigned long long* reasons) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  if (script().sparse) return kNotSupported;
  *reasons = script().nonsense ? ~0ull : 4;
  return kSuccess;
}

int nvmlDeviceGetPciInfo_v3(void* handle, void* into) {
  struct Pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
  };
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  auto* pci = static_cast<Pci*>(into);
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", index + 1);
  return kSuccess;
}

int nvmlDeviceGetMigMode(void* handle, unsigned* current, unsigned* pending) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  *current = *pending = script().mig ? 1 : 0;
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* handle, unsigned* count, void* into) {
  unsigned index = 0;
  const int state = state_of(handle, index, false);
  if (state != kSuccess) return state;
  const unsigned found = script().pid != 0 && index == 0 ? 2 : 0;
  const unsigned room = *count;
  *count = found;
  if (found > room) return kInsufficientSize;
  const std::size_t size = script().long_processes ? 32 : 24;
  for (unsigned i = 0; i < found; ++i) {
    auto* entry = static_cast<unsigned char*>(into) + size * i;
    const unsigned pid = i == 0 ? script().pid : 999'999;
    const unsigned long long used = i == 0 ? kGiB : ~0ull;  // the second one's memory is not available
    const unsigned instances[2] = {0xFFFFFFFF, 0xFFFFFFFF};
    const unsigned long long protected_memory = 0;
    std::memcpy(entry, &pid, 4);
    std::memcpy(entry + 8, &used, 8);
    std::memcpy(entry + 16, instances, 8);
    if (size == 32) std::memcpy(entry + 24, &protected_memory, 8);
  }
  return kSuccess;
}

#endif

}  // extern "C"
