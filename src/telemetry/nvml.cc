#include "telemetry/nvml.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/file.h"

namespace forebay {
namespace {

template <typename Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function != nullptr) return;
  }
}

bool is_version_character(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

}  // namespace

Result<NvmlFunctions> load_nvml(const std::string& name) {
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return make_error(ErrorCode::kNotFound, "load the GPU library", name, why != nullptr ? why : "not found");
  }
  NvmlFunctions found;
  find(library, found.init, {"nvmlInit_v2", "nvmlInit"});
  find(library, found.error_string, {"nvmlErrorString"});
  find(library, found.system_driver_version, {"nvmlSystemGetDriverVersion"});
  find(library, found.system_nvml_version, {"nvmlSystemGetNVMLVersion"});
  find(library, found.system_cuda_version,
       {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  find(library, found.device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library, found.device_by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library, found.name, {"nvmlDeviceGetName"});
  find(library, found.uuid, {"nvmlDeviceGetUUID"});
  find(library, found.pci_info, {"nvmlDeviceGetPciInfo_v3"});
  find(library, found.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(library, found.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, found.memory_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  find(library, found.power, {"nvmlDeviceGetPowerUsage"});
  find(library, found.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  find(library, found.temperature, {"nvmlDeviceGetTemperature"});
  find(library, found.clock, {"nvmlDeviceGetClockInfo"});
  find(library, found.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, found.throttle_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, found.mig_mode, {"nvmlDeviceGetMigMode"});
  find(library, found.processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library, found.processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
  if (found.init == nullptr || found.device_count == nullptr || found.device_by_index == nullptr)
    return make_error(ErrorCode::kUnsupported, "use the GPU library", name,
                      "it lacks the functions to list devices");
  return found;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …"
std::string kernel_module_version(const std::string& proc) {
  const std::string text = read_file(proc + "/driver/nvidia/version", 8192).value_or("");
  for (std::size_t at = text.find("  "); at != std::string::npos && at + 2 < text.size();
       at = text.find("  ", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_version_character(text[end])) ++end;
    const std::string found = text.substr(at + 2, end - at - 2);
    if (found.size() >= 3 && found.find('.') != std::string::npos) return found;
  }
  return {};
}

// The file behind the link carries the version: libnvidia-ml.so.535.104.05.
std::string library_file_version() {
  Dl_info info{};
  void* symbol = nullptr;
  if (void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
    symbol = ::dlsym(library, "nvmlErrorString");
  if (symbol == nullptr || ::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code failed;
  const std::string file = std::filesystem::canonical(info.dli_fname, failed).filename().string();
  const std::size_t at = file.find(".so.");
  if (failed || at == std::string::npos) return {};
  const std::string version = file.substr(at + 4);
  return version.find('.') != std::string::npos ? version : std::string();
}

}  // namespace forebay
