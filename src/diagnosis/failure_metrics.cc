// How the run ended, and the figures of an out-of-memory end.
#include <fmt/format.h>

#include "diagnosis/allocator_message.h"
#include "diagnosis/summary.h"

namespace forebay {
namespace {

const Json& facts_of(const Json& process) {
  return process["facts"].is_object() ? process["facts"] : process;
}

void add_message_figures(const AllocatorMessage& message, const char* origin, MetricSet& set) {
  const auto add = [&](const char* name, std::optional<double> value) {
    if (value && !set.find(name)) set.add(name, *value, "B", origin);
  };
  add("oom_requested_bytes", message.requested_bytes);
  add("oom_allocated_bytes", message.allocated_bytes);
  add("oom_unallocated_bytes", message.unallocated_bytes);
  add("oom_capacity_bytes", message.capacity_bytes);
}

struct OutOfMemory {
  bool seen = false;
  std::optional<AllocatorPlace> place;  // absent: only the kernel or a limit said so
};

// A process of the hook that ran out of memory, with the allocator's own figures.
void look_at_hook(const RunRecord& record, OutOfMemory& found, MetricSet& set) {
  for (const Json& process : record.hook["processes"].items()) {
    const Json& facts = facts_of(process)["out_of_memory"];
    if (!facts.is_object()) continue;
    found.seen = true;
    const auto message = parse_allocator_message(facts["message"].string_or_empty());
    const bool on_cpu = facts_of(process)["device"].string_or_empty().starts_with("cpu");
    if (!found.place)
      found.place = message ? message->place : on_cpu ? AllocatorPlace::kHost : AllocatorPlace::kGpu;
    const auto add = [&](const char* name, const Json& value) {
      if (const auto bytes = value.as_double(); bytes && *bytes >= 0)
        set.add(name, *bytes, "B", "hook.json: out_of_memory");
    };
    add("oom_requested_bytes", facts["requested_bytes"]);
    add("oom_allocated_bytes", facts["allocated_bytes"]);
    add("oom_reserved_bytes", facts["reserved_bytes"]);
    const auto allocated = facts["allocated_bytes"].as_double(),
               reserved = facts["reserved_bytes"].as_double();
    if (allocated && reserved && *reserved >= *allocated)
      set.add("oom_unallocated_bytes", *reserved - *allocated, "B", "hook.json: out_of_memory");
    if (message) add_message_figures(*message, "hook.json: the allocator's message", set);
    set.add_fact("oom_message", facts["message"].string_or_empty().substr(0, 300), "hook.json");
    if (const auto rank = process["rank"].as_integer(); rank && *rank >= 0)
      set.add("oom_rank", static_cast<double>(*rank), "1", "hook.json");
    return;
  }
}

void look_at_log(const RunRecord& record, OutOfMemory& found, MetricSet& set) {
  for (const Json& line : record.progress["error_lines"].items()) {
    const std::string& text = line["line"].string_or_empty();
    const auto message = parse_allocator_message(text);
    if (line["kind"].string_or_empty() == "shared_memory")
      set.add("shared_memory_error", 1, "1", "progress.json: the log's error line");
    if (!message) continue;
    found.seen = true;
    if (!found.place) found.place = message->place;
    add_message_figures(*message, "progress.json: the log's error line", set);
    if (!set.fact("oom_message")) set.add_fact("oom_message", text.substr(0, 300), "progress.json");
  }
}

void add_last_step(const Timeline& timeline, MetricSet& set) {
  if (timeline.processes.empty()) return;
  std::int64_t last = 0;
  for (const ProcessSteps& process : timeline.processes)
    for (const StepRow& row : process.rows) last = std::max(last, row.first_step + row.steps);
  // Steps are counted from 0: as many were completed as the index of the one that was under way.
  set.add("last_step", static_cast<double>(last), "1", "steps.seg");
}

}  // namespace

void add_failure_metrics(const RunRecord& record, const Timeline& timeline, MetricSet& set) {
  add_last_step(timeline, set);
  set.add("ended", record.outcome ? 1 : 0, "1", "outcome.json");
  if (!record.outcome) return;
  const Outcome& outcome = *record.outcome;
  const char* origin = "outcome.json";
  set.add_fact("outcome", std::string(outcome_cause_name(outcome.cause)), origin);
  if (outcome.exit_code) set.add("exit_code", *outcome.exit_code, "1", origin);
  if (outcome.signal) set.add("exit_signal", *outcome.signal, "1", origin);
  OutOfMemory found;
  look_at_hook(record, found, set);
  look_at_log(record, found, set);
  const bool kernel = outcome.cause == OutcomeCause::kOutOfMemory;
  // A script may catch the error and go on with a smaller batch: then nothing failed.
  const bool failed = kernel || (found.seen && outcome.cause == OutcomeCause::kJobFailed);
  set.add("out_of_memory", failed ? 1 : 0, "1", origin);
  if (!failed) return;
  const bool gpu = found.place == AllocatorPlace::kGpu;
  set.add("out_of_gpu_memory", gpu ? 1 : 0, "1", found.place ? "hook.json, progress.json" : origin);
  set.add("out_of_host_memory", gpu ? 0 : 1, "1", found.place ? "hook.json, progress.json" : origin);
  // Killed without a word from an allocator: the kernel or a limit ended it.
  set.add("killed_for_memory", !found.place && kernel ? 1 : 0, "1", origin);
}

}  // namespace forebay
