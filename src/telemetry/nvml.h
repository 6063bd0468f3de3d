// The NVIDIA management library, found at run time. The ABI is declared here by hand, from its documentation:
// no header of it is needed to build, and what a driver does not have is a null pointer. Used only in the GPU
// reader process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace forebay {

using NvmlDevice = void*;
using NvmlReturn = int;

// Return values that matter (NVML API reference, "nvmlReturn_t").
constexpr NvmlReturn kNvmlSuccess = 0, kNvmlNotSupported = 3, kNvmlNoPermission = 4,
                     kNvmlInsufficientSize = 7, kNvmlDriverNotLoaded = 9, kNvmlGpuIsLost = 15,
                     kNvmlResetRequired = 16, kNvmlVersionMismatch = 18;
constexpr unsigned kNvmlClockSm = 1, kNvmlClockMemory = 2;

struct NvmlUtilization {
  unsigned gpu, memory;  // percent
};
struct NvmlMemory {  // the first version: used contains what is reserved
  unsigned long long total, free, used;
};
struct NvmlMemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

// Every pointer may be null.
struct NvmlFunctions {
  NvmlReturn (*init)() = nullptr;
  const char* (*error_string)(NvmlReturn) = nullptr;
  NvmlReturn (*system_driver_version)(char*, unsigned) = nullptr;
  NvmlReturn (*system_nvml_version)(char*, unsigned) = nullptr;
  NvmlReturn (*system_cuda_version)(int*) = nullptr;
  NvmlReturn (*device_count)(unsigned*) = nullptr;
  NvmlReturn (*device_by_index)(unsigned, NvmlDevice*) = nullptr;
  NvmlReturn (*name)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlReturn (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  NvmlReturn (*pci_info)(NvmlDevice, NvmlPciInfo*) = nullptr;
  NvmlReturn (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  NvmlReturn (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  NvmlReturn (*memory_v2)(NvmlDevice, NvmlMemoryV2*) = nullptr;
  NvmlReturn (*power)(NvmlDevice, unsigned*) = nullptr;                  // mW
  NvmlReturn (*energy)(NvmlDevice, unsigned long long*) = nullptr;       // mJ since the driver was loaded
  NvmlReturn (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;  // °C
  NvmlReturn (*clock)(NvmlDevice, unsigned, unsigned*) = nullptr;        // MHz
  NvmlReturn (*power_limit)(NvmlDevice, unsigned*) = nullptr;            // mW
  NvmlReturn (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlReturn (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  NvmlReturn (*processes)(NvmlDevice, unsigned*, void*) = nullptr;  // versions 2 and 3
  NvmlReturn (*processes_v1)(NvmlDevice, unsigned*, void*) = nullptr;
};

// Loads the library and finds what it has. The library is never unloaded.
Result<NvmlFunctions> load_nvml(const std::string& name);

// The versions that disagree when the library answers "version mismatch": of the loaded kernel module, and of
// the library file.
std::string kernel_module_version(const std::string& proc = "/proc");
std::string library_file_version();

}  // namespace forebay
