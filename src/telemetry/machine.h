// What this machine is: machine.json of a run.
#pragma once

#include <string>

#include "base/json.h"

namespace forebay {

struct MachineSources {
  std::string proc = "/proc";  // mount points, for tests
  std::string sys = "/sys";
  std::string etc = "/etc";
  std::string root = "/";
  std::string working_folder = ".";
  bool with_gpus =
      true;  // asks the driver through a killable child: up to 5 s when the driver hangs, 0 without a driver
};

// One object; every key may be missing, and missing means not known:
//   hostname, boot_id, kernel, architecture, operating_system, container ("docker", "podman", "kubernetes",
//   "lxc", "container"), wsl (bool) cpu: {model, cores, physical_cores, affinity_cores, quota_cores (real),
//   usable_cores (real: the least of these)} memory: {total_bytes, swap_total_bytes, limit_bytes (cgroup),
//   usable_bytes} disks: [{name, size_bytes, rotational}]   networks: [{name}]   their order is the index of
//   the disk_* and network_* metrics working_folder: {path, file_system, device, disk, total_bytes,
//   free_bytes, on_network, in_memory} shared_memory: {total_bytes, free_bytes} gpus: [{index, name, uuid,
//   pci, memory_bytes, power_limit_watts, mig (bool)}]   index is that of the gpu_* metrics gpu_driver,
//   gpu_library, cuda_driver ("12.4"), gpu_problem (an English sentence: why GPUs that seem to be there
//   cannot be read), gpu_problem_message (the same as base/message.h keeps it)
Json describe_machine(const MachineSources& sources = {});

}  // namespace forebay
