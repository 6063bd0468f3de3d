// What can be sampled: one table of metrics with name, unit and kind. The numbers are part of the on-disk
// format: never reuse.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace forebay {

enum class Metric : std::uint16_t {
  // The run's whole process tree.
  kTreeCpuSeconds = 1,         // counter, user+system, including processes that have ended since
  kTreeResidentBytes = 2,      // gauge, sum of RSS
  kTreeProportionalBytes = 3,  // gauge, sum of PSS (smaps_rollup); absent where not readable
  kTreeReadBytes = 4,          // counter, storage reads (/proc/pid/io read_bytes)
  kTreeWriteBytes = 5,         // counter
  kTreeProcesses = 6,          // gauge
  kTreeThreads = 7,            // gauge
  kTreeReadCharacters = 8,     // counter, rchar: includes page cache, pipes and sockets
  kTreeWriteCharacters = 9,
  // The machine.
  kCoreBusyFraction = 20,  // gauge 0..1, index = core
  kMemoryTotalBytes = 21,
  kMemoryAvailableBytes = 22,
  kSwapUsedBytes = 23,
  kLoadAverage1 = 24,
  kIoWaitFraction = 25,  // gauge 0..1, all cores
  kDiskReadBytes = 26,   // counter, index = disk
  kDiskWriteBytes = 27,
  kDiskBusySeconds = 28,       // counter, time doing I/O
  kNetworkReceivedBytes = 29,  // counter, index = interface (loopback left out)
  kNetworkSentBytes = 30,
  kPressureCpuSome = 31,  // counter, seconds stalled (PSI "some" total)
  kPressureMemorySome = 32,
  kPressureMemoryFull = 33,
  kPressureIoSome = 34,
  kPressureIoFull = 35,
  kCgroupMemoryBytes = 36,  // gauge, memory charged to the run's own cgroup, where it has one
  kCgroupMemoryLimitBytes = 37,
  kShmFreeBytes = 38,  // gauge, /dev/shm
  // GPUs (index = device).
  kGpuUtilizationFraction = 60,  // share of time in which at least one kernel ran
  kGpuMemoryUsedBytes = 61,
  kGpuMemoryFreeBytes = 62,
  kGpuMemoryReservedBytes = 63,
  kGpuMemoryTotalBytes = 64,
  kGpuPowerWatts = 65,
  kGpuEnergyJoules = 66,  // counter since driver load
  kGpuTemperatureCelsius = 67,
  kGpuSmClockHertz = 68,
  kGpuMemoryClockHertz = 69,
  kGpuPowerLimitWatts = 70,
  kGpuMemoryUtilizationFraction = 71,  // share of time in which device memory was read or written
  kGpuProcessMemoryBytes = 72,         // gauge, memory of the run's own processes on that device
  kGpuThrottleReasons = 73,            // bit mask as NVML reports it
  kGpuLost = 74,                       // 1 while the device does not answer or fell off the bus
  kCpuPackageEnergyJoules = 80,        // counter (RAPL), index = package; absent where not readable
  // Forebay itself.
  kSamplerCpuSeconds = 90,  // counter
  kSamplerResidentBytes = 91,
};

struct MetricInfo {
  Metric metric;
  std::string_view name;  // "tree_cpu_seconds": used in --json and exports
  std::string_view unit;  // "s", "B", "1", "W", "J", "°C", "Hz"
  bool is_counter;        // grows; a rate is the difference of two samples
  bool is_indexed;        // one value per core, disk, interface or device
};

std::span<const MetricInfo> metric_table();
const MetricInfo* find_metric(Metric metric);
const MetricInfo* find_metric(std::string_view name);

}  // namespace forebay
