// One sample of everything but GPUs, and what it says about the run being active.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/sample.h"
#include "telemetry/activity.h"
#include "telemetry/machine_collectors.h"
#include "telemetry/process_tree.h"

namespace forebay {

struct SamplerSources {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::vector<std::string> cgroup_paths;
  const Clock* clock = &system_clock();
};

// Not thread-safe.
class Sampler {
 public:
  explicit Sampler(const SamplerSources& sources);

  void set_root(std::int64_t pid) { tree_.set_root(pid); }
  void set_cgroups(const std::vector<std::string>& folders) { cgroup_ = CgroupMemory(folders); }
  // Fills `sample` anew; its room is used again.
  void take(Sample& sample, double gpu_reader_cpu_seconds);
  // Updates what the last take() says: CPU, I/O, memory, processes.
  void update(Activity& activity);

  const ProcessTree& tree() const { return tree_; }

 private:
  const Clock& clock_;
  ReadBuffer buffer_;
  ProcessTree tree_;
  CpuLoad load_;
  MemoryUsage memory_;
  DiskUsage disks_;
  NetworkUsage networks_;
  Pressure pressure_;
  CgroupMemory cgroup_;
  SharedMemory shared_memory_;
  PackageEnergy energy_;
  SamplerCost cost_;

  // The window over which activity is judged.
  std::int64_t taken_ns_ = 0, window_ns_ = 0;
  double window_cpu_ = 0, window_io_ = 0;
};

}  // namespace forebay
