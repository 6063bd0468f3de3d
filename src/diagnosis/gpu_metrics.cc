#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/summary.h"

namespace forebay {
namespace {

// The devices that the run used: those that hold memory of its processes; where that is not known (in a
// container the process ids are the host's), those whose memory or utilisation moved; else all.
std::vector<std::uint16_t> used_devices(const SampleTable& samples) {
  std::vector<std::uint16_t> used, moved, all;
  for (const Metric metric : {Metric::kGpuUtilizationFraction, Metric::kGpuMemoryUsedBytes,
                              Metric::kGpuPowerWatts, Metric::kGpuLost})
    for (const std::uint16_t device : samples.indexes(metric))
      if (std::find(all.begin(), all.end(), device) == all.end()) all.push_back(device);
  std::sort(all.begin(), all.end());
  for (const std::uint16_t device : all) {
    const SampleSeries* own = samples.find(Metric::kGpuProcessMemoryBytes, device);
    if (own && quantile(own->values, 1).value_or(0) > 0) used.push_back(device);
    const SampleSeries* busy = samples.find(Metric::kGpuUtilizationFraction, device);
    if (busy && quantile(busy->values, 1).value_or(0) > 0.02) moved.push_back(device);
  }
  if (!used.empty()) return used;
  return moved.empty() ? all : moved;
}

class GpuSummary {
 public:
  GpuSummary(const Timeline& timeline, std::vector<std::uint16_t> devices, MetricSet& set)
      : samples_(timeline.samples), devices_(std::move(devices)), set_(set) {
    window_ = timeline.steady && timeline.steady->length() > 0 ? *timeline.steady : *timeline.run;
    origin_ = fmt::format("samples.seg: {} samples, {} GPUs", samples_.count(), devices_.size());
  }

  // Quantiles over all samples of all used devices in the window of training.
  void add_quantiles(Metric metric, const char* name, const char* unit) {
    std::vector<double> values;
    for (const std::uint16_t device : devices_)
      if (const SampleSeries* series = samples_.find(metric, device))
        for (const double value : series->inside(window_)) values.push_back(value);
    if (values.empty()) return;
    const auto n = static_cast<std::int64_t>(values.size());
    for (const auto& [suffix, q] : {std::pair{"p5", 0.05}, {"p50", 0.5}, {"p95", 0.95}})
      set_.add(fmt::format("{}_{}", name, suffix), *quantile(values, q), unit, origin_, n);
    set_.add(fmt::format("{}_mean", name), *mean(values), unit, origin_, n);
  }

  // Memory of the fullest device.
  void add_memory() {
    for (const std::uint16_t device : devices_) {
      const SampleSeries* used = samples_.find(Metric::kGpuMemoryUsedBytes, device);
      const SampleSeries* total = samples_.find(Metric::kGpuMemoryTotalBytes, device);
      const auto peak = used ? quantile(used->values, 1) : std::nullopt,
                 all = total ? quantile(total->values, 1) : std::nullopt;
      if (!peak) continue;
      const auto n = static_cast<std::int64_t>(used->values.size());
      if (*peak > set_.get("gpu_memory_peak_bytes").value_or(-1))
        set_.add("gpu_memory_peak_bytes", *peak, "B", origin_, n);
      if (!all || *all <= 0 || *peak / *all <= set_.get("gpu_memory_peak_share").value_or(-1)) continue;
      set_.add("gpu_memory_peak_share", *peak / *all, "1", origin_, n);
      set_.add("gpu_memory_total_bytes", *all, "B", origin_, n);
    }
  }

  void add_power() {
    add_quantiles(Metric::kGpuPowerWatts, "gpu_power", "W");
    std::vector<double> limits;
    for (const std::uint16_t device : devices_)
      if (const SampleSeries* limit = samples_.find(Metric::kGpuPowerLimitWatts, device))
        if (const auto value = quantile(limit->values, 0.5)) limits.push_back(*value);
    const auto limit = mean(limits), power = set_.get("gpu_power_p50");
    if (!limit || *limit <= 0) return;
    set_.add("gpu_power_limit", *limit, "W", origin_);
    if (power) set_.add("gpu_power_share", *power / *limit, "1", origin_, set_.find("gpu_power_p50")->n);
  }

  // Bits of NVML's clocksThrottleReasons that mean "slower than it could be": hardware slowdown 0x8, software
  // thermal 0x20, hardware thermal 0x40, hardware power brake 0x80. (Idle 0x1, application clocks 0x2 and the
  // ordinary power cap 0x4 are no fault.)
  void add_throttling() {
    constexpr std::uint64_t kSlowed = 0x8 | 0x20 | 0x40 | 0x80;
    double slowed = 0, seen = 0;
    for (const std::uint16_t device : devices_)
      if (const SampleSeries* reasons = samples_.find(Metric::kGpuThrottleReasons, device))
        for (const double value : reasons->inside(window_)) {
          ++seen;
          if (value >= 0 && value < 1e18 && (static_cast<std::uint64_t>(value) & kSlowed) != 0) ++slowed;
        }
    if (seen > 0)
      set_.add("gpu_throttled_share", slowed / seen, "1", origin_, static_cast<std::int64_t>(seen));
  }

 private:
  const SampleTable& samples_;
  std::vector<std::uint16_t> devices_;
  MetricSet& set_;
  Span window_;
  std::string origin_;
};

}  // namespace

void add_gpu_metrics(const Timeline& timeline, MetricSet& set) {
  if (!timeline.run) return;
  const auto devices = used_devices(timeline.samples);
  if (devices.empty()) return;
  set.add("gpu_used_count", static_cast<double>(devices.size()), "1", "samples.seg");
  GpuSummary summary(timeline, devices, set);
  summary.add_quantiles(Metric::kGpuUtilizationFraction, "gpu_utilization", "1");
  summary.add_quantiles(Metric::kGpuMemoryUtilizationFraction, "gpu_memory_utilization", "1");
  summary.add_quantiles(Metric::kGpuTemperatureCelsius, "gpu_temperature", "°C");
  summary.add_memory();
  summary.add_power();
  summary.add_throttling();
  double lost = 0, lost_index = -1;
  for (const std::uint16_t device : timeline.samples.indexes(Metric::kGpuLost))
    if (quantile(timeline.samples.find(Metric::kGpuLost, device)->values, 1).value_or(0) > 0.5) {
      if (lost == 0) lost_index = device;
      ++lost;
    }
  if (timeline.samples.indexes(Metric::kGpuLost).empty()) {
    // The sampler writes this one only when a device is gone; devices that go on answering are not lost.
    set.add("gpu_lost_count", 0, "1", "samples.seg");
    return;
  }
  set.add("gpu_lost_count", lost, "1", "samples.seg");
  if (lost_index >= 0) set.add("gpu_lost_index", lost_index, "1", "samples.seg");
}

}  // namespace forebay
