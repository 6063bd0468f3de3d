#include "record/metric.h"

#include <array>

namespace forebay {
namespace {

using enum Metric;

constexpr std::array kTable = std::to_array<MetricInfo>({
    {kTreeCpuSeconds, "tree_cpu_seconds", "s", true, false},
    {kTreeResidentBytes, "tree_resident_bytes", "B", false, false},
    {kTreeProportionalBytes, "tree_proportional_bytes", "B", false, false},
    {kTreeReadBytes, "tree_read_bytes", "B", true, false},
    {kTreeWriteBytes, "tree_write_bytes", "B", true, false},
    {kTreeProcesses, "tree_processes", "1", false, false},
    {kTreeThreads, "tree_threads", "1", false, false},
    {kTreeReadCharacters, "tree_read_characters", "B", true, false},
    {kTreeWriteCharacters, "tree_write_characters", "B", true, false},
    {kCoreBusyFraction, "core_busy_fraction", "1", false, true},
    {kMemoryTotalBytes, "memory_total_bytes", "B", false, false},
    {kMemoryAvailableBytes, "memory_available_bytes", "B", false, false},
    {kSwapUsedBytes, "swap_used_bytes", "B", false, false},
    {kLoadAverage1, "load_average_1", "1", false, false},
    {kIoWaitFraction, "io_wait_fraction", "1", false, false},
    {kDiskReadBytes, "disk_read_bytes", "B", true, true},
    {kDiskWriteBytes, "disk_write_bytes", "B", true, true},
    {kDiskBusySeconds, "disk_busy_seconds", "s", true, true},
    {kNetworkReceivedBytes, "network_received_bytes", "B", true, true},
    {kNetworkSentBytes, "network_sent_bytes", "B", true, true},
    {kPressureCpuSome, "pressure_cpu_some_seconds", "s", true, false},
    {kPressureMemorySome, "pressure_memory_some_seconds", "s", true, false},
    {kPressureMemoryFull, "pressure_memory_full_seconds", "s", true, false},
    {kPressureIoSome, "pressure_io_some_seconds", "s", true, false},
    {kPressureIoFull, "pressure_io_full_seconds", "s", true, false},
    {kCgroupMemoryBytes, "cgroup_memory_bytes", "B", false, false},
    {kCgroupMemoryLimitBytes, "cgroup_memory_limit_bytes", "B", false, false},
    {kShmFreeBytes, "shm_free_bytes", "B", false, false},
    {kGpuUtilizationFraction, "gpu_utilization_fraction", "1", false, true},
    {kGpuMemoryUsedBytes, "gpu_memory_used_bytes", "B", false, true},
    {kGpuMemoryFreeBytes, "gpu_memory_free_bytes", "B", false, true},
    {kGpuMemoryReservedBytes, "gpu_memory_reserved_bytes", "B", false, true},
    {kGpuMemoryTotalBytes, "gpu_memory_total_bytes", "B", false, true},
    {kGpuPowerWatts, "gpu_power_watts", "W", false, true},
    {kGpuEnergyJoules, "gpu_energy_joules", "J", true, true},
    {kGpuTemperatureCelsius, "gpu_temperature_celsius", "°C", false, true},
    {kGpuSmClockHertz, "gpu_sm_clock_hertz", "Hz", false, true},
    {kGpuMemoryClockHertz, "gpu_memory_clock_hertz", "Hz", false, true},
    {kGpuPowerLimitWatts, "gpu_power_limit_watts", "W", false, true},
    {kGpuMemoryUtilizationFraction, "gpu_memory_utilization_fraction", "1", false, true},
    {kGpuProcessMemoryBytes, "gpu_process_memory_bytes", "B", false, true},
    {kGpuThrottleReasons, "gpu_throttle_reasons", "1", false, true},
    {kGpuLost, "gpu_lost", "1", false, true},
    {kCpuPackageEnergyJoules, "cpu_package_energy_joules", "J", true, true},
    {kSamplerCpuSeconds, "sampler_cpu_seconds", "s", true, false},
    {kSamplerResidentBytes, "sampler_resident_bytes", "B", false, false},
});

}  // namespace

std::span<const MetricInfo> metric_table() {
  return kTable;
}

const MetricInfo* find_metric(Metric metric) {
  for (const MetricInfo& info : kTable)
    if (info.metric == metric) return &info;
  return nullptr;
}

const MetricInfo* find_metric(std::string_view name) {
  for (const MetricInfo& info : kTable)
    if (info.name == name) return &info;
  return nullptr;
}

}  // namespace forebay
