// Running: the job's command under the supervisor, with the recorder beside it.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "agent/periodic_saver.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "control/hook_channel.h"
#include "control/shell.h"
#include "environment/describe.h"
#include "storage/checkpoint.h"

namespace forebay {
namespace {

ChildSpec child_for(const AttemptContext& context) {
  ChildSpec spec;
  spec.argv = context.job.run.script ? shell_command(*context.job.run.script) : context.job.run.arguments;
  spec.cwd = context.folder;
  spec.environment = context.environment;
  spec.use_pty = context.launch["pty"].as_bool().value_or(false);
  if (spec.use_pty)
    spec.window_size =
        WindowSize{static_cast<std::uint16_t>(context.launch["rows"].as_integer().value_or(24)),
                   static_cast<std::uint16_t>(context.launch["columns"].as_integer().value_or(80))};
  spec.input = context.launch["forward_input"].as_bool().value_or(false) ? InputSource::kClient
                                                                         : InputSource::kNothing;
  const auto& memory = context.job.resources.memory;
  if (memory && !memory->is_floor) spec.memory_limit = memory->value;
  return spec;
}

RecorderSettings recorder_settings(const AttemptContext& context) {
  RecorderSettings settings(context.directory);
  const double hertz = std::clamp(context.launch["sample_hz"].as_double().value_or(1), 0.01, 1000.0);
  settings.interval = Duration::from_seconds(1 / hertz);
  const auto channel = context.environment.find("FOREBAY_HOOK_DIR");
  if (channel != context.environment.end()) settings.hook_channel = channel->second;
  settings.watch_gpus = context.machine["gpus"].size() > 0 || context.machine.contains("gpu_problem");
  return settings;
}

// An allocator that gave up leaves its mark in the hook's facts or in the last lines, and the process ends
// with an ordinary code.
bool allocator_gave_up(const RunDirectory& directory) {
  if (const auto hook = read_json_file(directory.hook_facts()))
    for (const Json& process : (*hook)["processes"].items())
      if (process["facts"]["out_of_memory"].is_object()) return true;
  if (const auto progress = read_json_file(directory.progress()))
    for (const Json& line : (*progress)["error_lines"].items())
      if (line["kind"].string_or_empty() == "out_of_memory") return true;
  return false;
}

void join_rank_of_failure(AttemptContext& context, Outcome& outcome) {
  if (outcome.cause != OutcomeCause::kJobFailed || !allocator_gave_up(context.directory)) return;
  outcome.cause = OutcomeCause::kOutOfMemory;
  outcome.sentence = fmt::format(fmt::runtime(tr("the job ran out of memory and ended with code {0}")),
                                 outcome.exit_code.value_or(1));
}

Outcome run_once(AttemptContext& context) {
  auto recorder = Recorder::start(recorder_settings(context));
  if (!recorder) return failed_outcome(OutcomeCause::kInfrastructure, recorder.error().sentence());
  SupervisorHooks hooks;
  hooks.on_child_started = [&](const StartedChild& started) {
    (*recorder)->watch(started.warden, started.cgroup_paths);
    const Instant now = context.clock.now();
    (void)context.runs.set_started(context.id, context.epoch, now);
    note_event(context, "command-started",
               Json::object({{"warden", static_cast<std::int64_t>(started.warden)},
                             {"child", static_cast<std::int64_t>(started.child)}}));
    fault_point("attempt:child-started");
  };
  hooks.on_log = [&](std::string_view bytes) { (*recorder)->feed_log(bytes); };
  hooks.activity = [&] { return (*recorder)->activity(); };
  hooks.on_event = [&](const std::string& name, const Json& details) { note_event(context, name, details); };
  Json described;
  std::thread describing([&] {
    described = describe_environment(context.environment_request, context.environment_plan,
                                     Duration::from_seconds(20));
  });
  PeriodicSaver saver(context);
  auto child = context.supervisor.run(child_for(context), limits_of(context), hooks);
  fault_point("attempt:child-ended");
  note_event(context, "command-ended", Json::object());
  saver.stop();
  if (auto stopped = (*recorder)->stop(); !stopped)
    log_event(LogLevel::kError, "recorder-failed", {{"cause", stopped.error().sentence()}});
  describing.join();
  if (auto written = write_json_file(context.directory.environment(), described); !written)
    log_event(LogLevel::kError, "environment-not-written", {{"cause", written.error().sentence()}});
  remove_hook_channel(context.directory);
  if (!child) return failed_outcome(OutcomeCause::kInfrastructure, child.error().sentence());
  Outcome outcome = outcome_of(*child);
  outcome.log_bytes = static_cast<std::int64_t>(context.supervisor.log_bytes());
  const auto seen = (*recorder)->activity().peak_memory_bytes;
  if (seen && (!outcome.peak_memory_bytes || *seen > *outcome.peak_memory_bytes))
    outcome.peak_memory_bytes = seen;
  join_rank_of_failure(context, outcome);
  return outcome;
}

// The run is all attempts together; the sentence says how many there were.
void count_all_attempts(Outcome& outcome, std::optional<Instant> first_start, std::int64_t attempts) {
  outcome.sentence += fmt::format(fmt::runtime(tr(" (attempt {0})")), attempts);
  if (!first_start || !outcome.ended) return;
  outcome.started = first_start;
  outcome.duration = Duration{outcome.ended->nanoseconds - first_start->nanoseconds};
}

// A retry goes on from the newest whole checkpoint.
void point_at_checkpoint(AttemptContext& context) {
  if (!context.job.checkpoint || !context.job.checkpoint->path) return;
  const auto found =
      resume_checkpoint(absolute_path(join_path(context.folder, *context.job.checkpoint->path)),
                        context.job.checkpoint->complete);
  if (found) context.environment["FOREBAY_RESUME"] = *found;
}

}  // namespace

Outcome execute(AttemptContext& context) {
  const std::int64_t retries = is_probe(context) ? 0 : context.job.policy.retries.value_or(0);
  std::optional<Instant> first_start;
  for (std::int64_t retry = 0;; ++retry) {
    if (retry == 0) context.first_start_ns = context.clock.monotonic_ns();
    Outcome outcome = run_once(context);
    if (!first_start) first_start = outcome.started;
    if (retry > 0) count_all_attempts(outcome, first_start, retry + 1);
    const bool may_retry =
        outcome.cause == OutcomeCause::kJobFailed && retry < retries && !context.supervisor.stop_requested();
    if (!may_retry) return outcome;
    tell(context, fmt::format(fmt::runtime(tr("{0}; trying again ({1} of {2})")), outcome.sentence, retry + 1,
                              retries));
    note_event(context, "retry", Json::object({{"number", retry + 1}, {"after", outcome.to_json()}}));
    point_at_checkpoint(context);
    if (const auto channel = context.environment.find("FOREBAY_HOOK_DIR");
        channel != context.environment.end())
      channel->second = make_hook_channel(context.directory, context.id).value_or(channel->second);
  }
}

}  // namespace forebay
