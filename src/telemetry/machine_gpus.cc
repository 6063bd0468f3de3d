#include <poll.h>

#include "telemetry/gpu_watch.h"
#include "telemetry/machine_parts.h"

namespace forebay {
namespace {
constexpr std::int64_t kPatience = 5'000'000'000;
}  // namespace

void describe_gpus(Json& machine) {
  if (!GpuWatch::is_driver_present()) {
    machine.set("gpus", Json::array());
    return;
  }
  GpuWatch watch({});
  const std::int64_t until = system_clock().monotonic_ns() + kPatience;
  watch.request();
  while (!watch.is_described() && watch.descriptor() >= 0 && system_clock().monotonic_ns() < until) {
    pollfd answer{watch.descriptor(), POLLIN, 0};
    ::poll(&answer, 1, 100);
    watch.receive();
  }
  std::optional<Text> problem = watch.problem();
  if (!problem && !watch.is_described())
    problem = Text{"The GPU driver does not answer: the GPUs are left alone.", {}};
  if (problem) {
    machine.set("gpu_problem", render_in("en", *problem));
    machine.set("gpu_problem_message", problem->to_json());
  }
  Json gpus = Json::array();
  for (const GpuDescription& each : watch.descriptions()) {
    Json gpu = Json::object({{"index", static_cast<int>(each.index)},
                             {"name", each.name},
                             {"uuid", each.uuid},
                             {"pci", each.pci},
                             {"mig", each.mig}});
    if (each.memory_bytes) gpu.set("memory_bytes", static_cast<std::int64_t>(*each.memory_bytes));
    if (each.power_limit_watts) gpu.set("power_limit_watts", *each.power_limit_watts);
    gpus.push(std::move(gpu));
  }
  machine.set("gpus", std::move(gpus));
  const auto put = [&machine](std::string_view key, const std::string& value) {
    if (!value.empty()) machine.set(key, value);
  };
  put("gpu_driver", watch.driver_version());
  put("gpu_library", watch.library_version());
  put("cuda_driver", watch.cuda_version());
}

}  // namespace forebay
