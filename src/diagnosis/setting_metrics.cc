// Settings: what the hook, the machine and the job say without being measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "diagnosis/summary.h"

namespace forebay {
namespace {

constexpr const char* kHook = "hook.json";

// The facts of a process lie under "facts" or in the process object itself.
const Json& facts_of(const Json& process) {
  return process["facts"].is_object() ? process["facts"] : process;
}

// The process whose facts speak for the training: the one that stepped most, else the first with a loader or
// a model.
const Json* training_process(const RunRecord& record) {
  std::map<std::int64_t, std::int64_t> steps;
  for (const StepRow& row : record.steps)
    steps[row.process] += std::clamp<std::int64_t>(row.steps, 0, 1 << 30);
  const Json* best = nullptr;
  std::int64_t most = 0;
  for (const Json& process : record.hook["processes"].items()) {
    const std::int64_t count = steps[process["pid"].as_integer().value_or(-1)];
    const bool speaks =
        facts_of(process)["dataloaders"].size() > 0 || facts_of(process)["optimizer"].is_string();
    if (count > most || (!best && speaks)) {
      best = &process;
      most = count;
    }
  }
  return best;
}

void add_number(MetricSet& set, const char* name, const Json& value, const char* unit, const char* origin) {
  if (const auto number = value.as_double())
    set.add(name, *number, unit, origin);
  else if (const auto flag = value.as_bool())
    set.add(name, *flag ? 1 : 0, unit, origin);
}

void add_loader(const Json& facts, MetricSet& set) {
  // Loaders come in the order of first use: training uses its own first, and validation comes after the first
  // epoch.
  const Json& loader = facts["dataloaders"].at(0);
  if (!loader.is_object()) return;
  add_number(set, "num_workers", loader["num_workers"], "1", kHook);
  add_number(set, "batch_size", loader["batch_size"], "1", kHook);
  add_number(set, "pin_memory", loader["pin_memory"], "1", kHook);
  add_number(set, "persistent_workers", loader["persistent_workers"], "1", kHook);
  add_number(set, "prefetch_factor", loader["prefetch_factor"], "1", kHook);
  add_number(set, "dataset_length", loader["length"], "1", kHook);
  set.add_fact("dataset", loader["dataset"].string_or_empty(), kHook);
}

void add_facts(const Json& facts, MetricSet& set) {
  add_number(set, "torch_threads", facts["threads"], "1", kHook);
  add_number(set, "parameters", facts["parameters"], "1", kHook);
  add_number(set, "trainable_parameters", facts["trainable_parameters"], "1", kHook);
  add_number(set, "parameter_bytes", facts["parameter_bytes"], "B", kHook);
  add_number(set, "compiled", facts["compiled"], "1", kHook);
  add_number(set, "autocast", facts["autocast"], "1", kHook);
  for (const char* name : {"python", "torch", "script", "device", "cuda", "gpu", "optimizer",
                           "distributed_backend", "exception"})
    set.add_fact(name, facts[name].string_or_empty(), kHook);
  std::string precisions;
  for (const Json& precision : facts["precisions"].items())
    precisions += (precisions.empty() ? "" : ", ") + precision.string_or_empty();
  set.add_fact("precisions", precisions, kHook);
  const std::string& device = facts["device"].string_or_empty();
  if (!device.empty()) set.add("on_gpu", device.starts_with("cpu") ? 0 : 1, "1", kHook);
}

void add_machine(const RunRecord& record, MetricSet& set) {
  const Json& cpu = record.machine["cpu"];
  std::optional<double> usable = cpu["usable_cores"].as_double();
  for (const char* name : {"quota_cores", "affinity_cores", "cores"})
    if (const auto cores = cpu[name].as_double(); cores && !cpu["usable_cores"].is_number())
      usable = std::min(usable.value_or(*cores), *cores);
  if (usable && *usable > 0 && *usable < 1e6) {
    set.add("cores_usable", *usable, "cores", "machine.json");
  } else if (!record.samples.empty()) {
    double cores = 0;
    for (const SampleValue& value : record.samples.back().values)
      if (value.metric == Metric::kCoreBusyFraction) ++cores;
    if (cores > 0) set.add("cores_usable", cores, "cores", "samples.seg: cores seen");
  }
  if (record.machine["gpus"].is_array())
    set.add("gpu_count", static_cast<double>(record.machine["gpus"].size()), "1", "machine.json");
  set.add_fact("gpu_problem", record.machine["gpu_problem"].string_or_empty(), "machine.json");
  const Json& folder = record.machine["working_folder"];
  add_number(set, "data_on_network", folder["on_network"], "1", "machine.json");
  set.add_fact("file_system", folder["file_system"].string_or_empty(), "machine.json");
  for (const Json& disk : record.machine["disks"].items())
    if (disk["name"].is_string() && disk["name"] == folder["disk"])
      add_number(set, "data_on_rotating_disk", disk["rotational"], "1", "machine.json");
}

}  // namespace

void add_setting_metrics(const RunRecord& record, MetricSet& set) {
  add_machine(record, set);
  if (record.hook["processes"].is_array())
    set.add("hooked_processes", static_cast<double>(record.hook["processes"].size()), "1", kHook);
  if (const auto lost = record.hook["lost_records"].as_double())
    set.add("hook_records_lost", *lost, "1", kHook);
  if (const Json* process = training_process(record)) {
    add_facts(facts_of(*process), set);
    add_loader(facts_of(*process), set);
    const Json& last = (*process)["last_span"];
    set.add_fact("last_span", last["kind"].string_or_empty(), kHook);
  }
}

}  // namespace forebay
