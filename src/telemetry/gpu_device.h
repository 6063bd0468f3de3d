// One GPU asked through NVML. Runs in the GPU reader process only.
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/gpu_protocol.h"
#include "telemetry/nvml.h"

namespace forebay {

// What a device is: uuid, bus address, name, total memory, power limit.
GpuMessage describe_gpu(const NvmlFunctions& nvml, NvmlDevice device, std::uint16_t index);
// What a device does now. A value the driver does not give, or gives as nonsense, is not in it. `processes`
// gets its compute processes.
GpuMessage read_gpu(const NvmlFunctions& nvml, NvmlDevice device, std::uint16_t index,
                    std::vector<GpuProcess>& processes);

}  // namespace forebay
