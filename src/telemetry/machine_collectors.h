// What the machine as a whole does: one small class per source, each adding to a sample what it could read
// and nothing else. None of them is thread-safe; all keep their files open and share the caller's buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/sample.h"
#include "telemetry/kept_file.h"

namespace forebay {

// Per-core load and the share of time all cores waited for I/O, from /proc/stat. A share needs a while to be
// measured (the kernel counts hundredths of a second): at high rates most samples have none.
class CpuLoad {
 public:
  explicit CpuLoad(const std::string& proc) : file_(proc + "/stat") {}
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  struct Ticks {
    std::uint64_t total = 0, idle = 0, waiting = 0;
    bool known = false;
  };
  static std::optional<Ticks> parse(std::string_view line);
  static std::optional<double> share(Ticks& before, const Ticks& now, std::uint64_t Ticks::* part,
                                     bool inverted);
  KeptFile file_;
  Ticks all_;
  std::vector<Ticks> cores_;
};

// Total, available, swap (/proc/meminfo) and the load average (/proc/loadavg).
class MemoryUsage {
 public:
  explicit MemoryUsage(const std::string& proc) : memory_(proc + "/meminfo"), load_(proc + "/loadavg") {}
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  KeptFile memory_, load_;
};

// Whole disks (no partitions, loops, RAM disks or stacked devices, which would count twice). The index of a
// disk is its place in list_disks() at the start; disks that come later follow.
class DiskUsage {
 public:
  DiskUsage(const std::string& proc, const std::string& sys);
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  KeptFile file_;
  std::string sys_;
  std::vector<std::string> names_;
  std::vector<std::string> ignored_;
};

// Interfaces but loopback; the index is the place in list_networks() at the start, later ones follow.
class NetworkUsage {
 public:
  explicit NetworkUsage(const std::string& proc);
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  KeptFile file_;
  std::vector<std::string> names_;
};

// Pressure stall information, where the kernel has it.
class Pressure {
 public:
  explicit Pressure(const std::string& proc)
      : cpu_(proc + "/pressure/cpu"), memory_(proc + "/pressure/memory"), io_(proc + "/pressure/io") {}
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  KeptFile cpu_, memory_, io_;
};

// The run's own cgroup: what is charged to it and its limit, v1 or v2.
class CgroupMemory {
 public:
  explicit CgroupMemory(const std::vector<std::string>& folders);
  void append_to(Sample& sample, ReadBuffer& buffer);
  // Charged, less what the kernel can drop at once (inactive page cache).
  std::optional<double> used_bytes() const { return used_; }

 private:
  struct Files {
    KeptFile usage, limit, statistics;
    std::string inactive_key;
  };
  std::vector<Files> candidates_;
  std::optional<double> used_;
};

class SharedMemory {
 public:
  explicit SharedMemory(std::string folder = "/dev/shm") : folder_(std::move(folder)) {}
  void append_to(Sample& sample);

 private:
  std::string folder_;
};

// Energy of the processor packages (RAPL), where this user may read it. Counts from the first sample; wraps
// are undone.
class PackageEnergy {
 public:
  explicit PackageEnergy(const std::string& sys);
  void append_to(Sample& sample, ReadBuffer& buffer);

 private:
  struct Package {
    KeptFile file;
    std::uint64_t range = 0;
    std::optional<std::uint64_t> last;
    double joules = 0;
  };
  std::vector<Package> packages_;
};

// What the calling thread has used, plus `others_cpu_seconds` (the GPU reader's); resident memory of the
// whole process.
class SamplerCost {
 public:
  explicit SamplerCost(const std::string& proc) : file_(proc + "/self/statm") {}
  void append_to(Sample& sample, ReadBuffer& buffer, double others_cpu_seconds);

 private:
  KeptFile file_;
};

// Names in the order of the indices of the disk_* and network_* metrics.
std::vector<std::string> list_disks(const std::string& proc, const std::string& sys);
std::vector<std::string> list_networks(const std::string& proc);

}  // namespace forebay
