// The parts of describe_machine(), one per question.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "telemetry/machine.h"

namespace forebay {

Json describe_processor(const MachineSources& sources);
Json describe_memory(const MachineSources& sources);
Json describe_disks(const MachineSources& sources);
Json describe_working_folder(const MachineSources& sources);
Json describe_shared_memory();
// "docker", "podman", "kubernetes", "lxc", "container"; nothing outside of one, as far as can be seen.
std::optional<std::string> container_kind(const MachineSources& sources);
// Adds gpus, gpu_driver, gpu_library, cuda_driver, gpu_problem.
void describe_gpus(Json& machine);

// The tightest limit on the way from this process's cgroup up to the root, v1 or v2.
std::optional<double> cgroup_memory_limit(const MachineSources& sources);     // bytes
std::optional<double> cgroup_processor_quota(const MachineSources& sources);  // cores

// The first word of a small file that is a number; nothing for "max", nonsense or no file.
std::optional<std::uint64_t> read_number_file(const std::string& path);

}  // namespace forebay
