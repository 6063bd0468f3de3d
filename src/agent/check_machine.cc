// Planning on this machine: what the job asks for beside what is here.
#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "base/text.h"
#include "telemetry/machine.h"

namespace forebay {
namespace {

// `amount`: msgid of an amount of the thing, such as "{0} GPUs".
std::optional<std::string> missing_amount(std::string_view amount, double wanted,
                                          std::optional<double> present, const std::string& wanted_text,
                                          const std::string& present_text) {
  if (!present || *present >= wanted) return std::nullopt;
  return fmt::format(fmt::runtime(tr("the job asks for {0}, this machine has {1}")),
                     fmt::format(fmt::runtime(tr(amount)), wanted_text),
                     fmt::format(fmt::runtime(tr(amount)), present_text));
}

std::optional<std::string> what_is_missing(const JobResources& wanted, const Json& machine) {
  if (wanted.cpus) {
    const auto cores = machine["cpu"]["usable_cores"].as_double();
    if (auto text =
            missing_amount(msgid("{0} CPU cores"), wanted.cpus->value, cores,
                           fmt::format("{:g}", wanted.cpus->value), fmt::format("{:g}", cores.value_or(0))))
      return text;
  }
  if (wanted.memory) {
    const auto bytes = machine["memory"]["usable_bytes"].as_integer();
    if (auto text =
            missing_amount(msgid("{0} of memory"), static_cast<double>(wanted.memory->value.count),
                           bytes ? std::optional<double>(static_cast<double>(*bytes)) : std::nullopt,
                           format_bytes(wanted.memory->value), format_bytes(Bytes{bytes.value_or(0)})))
      return text;
  }
  if (wanted.disk) {
    const auto bytes = machine["working_folder"]["free_bytes"].as_integer();
    if (auto text =
            missing_amount(msgid("{0} of free disk space"), static_cast<double>(wanted.disk->value.count),
                           bytes ? std::optional<double>(static_cast<double>(*bytes)) : std::nullopt,
                           format_bytes(wanted.disk->value), format_bytes(Bytes{bytes.value_or(0)})))
      return text;
  }
  if (wanted.gpu) {
    const double count = static_cast<double>(wanted.gpu->count.value_or(1));
    const auto present = static_cast<double>(machine["gpus"].size());
    if (auto text = missing_amount(msgid("{0} GPUs"), count, present, fmt::format("{:g}", count),
                                   fmt::format("{:g}", present))) {
      const std::string problem = machine["gpu_problem"].string_or_empty();
      return problem.empty() ? *text : *text + " (" + problem + ")";
    }
  }
  return std::nullopt;
}

}  // namespace

StepResult check_machine(AttemptContext& context) {
  MachineSources sources;
  sources.working_folder = context.folder;
  context.machine = describe_machine(sources);
  if (auto written = write_json_file(context.directory.machine(), context.machine); !written)
    return failed_outcome(OutcomeCause::kInfrastructure, written.error().sentence());
  if (const auto missing = what_is_missing(context.job.resources, context.machine))
    return failed_outcome(OutcomeCause::kNoCapacity, *missing);
  return std::nullopt;
}

}  // namespace forebay
