#include "telemetry/sampler.h"

#include <algorithm>

namespace forebay {
namespace {

constexpr std::int64_t kWindow = 1'000'000'000;
constexpr double kBusyCpu = 0.02;         // of one core
constexpr double kBusyBytes = 16 * 1024;  // a second

}  // namespace

Sampler::Sampler(const SamplerSources& sources)
    : clock_(*sources.clock),
      tree_(sources.proc, *sources.clock),
      load_(sources.proc),
      memory_(sources.proc),
      disks_(sources.proc, sources.sys),
      networks_(sources.proc),
      pressure_(sources.proc),
      cgroup_(sources.cgroup_paths),
      energy_(sources.sys),
      cost_(sources.proc) {}

void Sampler::take(Sample& sample, double gpu_reader_cpu_seconds) {
  sample.values.clear();
  sample.monotonic_ns = taken_ns_ = clock_.monotonic_ns();
  sample.wall = clock_.now();
  tree_.scan(sample.monotonic_ns, buffer_);
  tree_.append_to(sample);
  load_.append_to(sample, buffer_);
  memory_.append_to(sample, buffer_);
  disks_.append_to(sample, buffer_);
  networks_.append_to(sample, buffer_);
  pressure_.append_to(sample, buffer_);
  cgroup_.append_to(sample, buffer_);
  shared_memory_.append_to(sample);
  energy_.append_to(sample, buffer_);
  cost_.append_to(sample, buffer_, gpu_reader_cpu_seconds);
}

void Sampler::update(Activity& activity) {
  const TreeUsage& usage = tree_.usage();
  activity.sampled_ns = taken_ns_;
  activity.processes = usage.processes;
  activity.cpu_seconds = usage.cpu_seconds;
  activity.cpu_known = usage.cpu_seconds.has_value();
  activity.io_known = usage.read_characters.has_value();
  const std::optional<double> memory = cgroup_.used_bytes() ? cgroup_.used_bytes() : usage.memory_estimate;
  activity.memory_bytes.reset();
  if (memory) {
    activity.memory_bytes = static_cast<std::int64_t>(*memory);
    activity.peak_memory_bytes = std::max(activity.peak_memory_bytes.value_or(0), *activity.memory_bytes);
  }
  const double cpu = usage.cpu_seconds.value_or(0);
  const double io = usage.read_characters.value_or(0) + usage.write_characters.value_or(0) +
                    usage.read_bytes.value_or(0) + usage.write_bytes.value_or(0);
  if (window_ns_ == 0) {
    // Whatever was used before the first look was used just now.
    if (cpu > 0) activity.last_cpu_ns = taken_ns_;
    if (io > 0) activity.last_io_ns = taken_ns_;
  } else {
    const double seconds = static_cast<double>(std::max(taken_ns_ - window_ns_, kWindow)) * 1e-9;
    if (cpu - window_cpu_ >= kBusyCpu * seconds) activity.last_cpu_ns = taken_ns_;
    if (io - window_io_ >= kBusyBytes * seconds) activity.last_io_ns = taken_ns_;
    if (taken_ns_ - window_ns_ < kWindow) return;
  }
  window_ns_ = taken_ns_;
  window_cpu_ = cpu;
  window_io_ = io;
}

}  // namespace forebay
