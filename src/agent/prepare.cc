// Preparing: the code is kept, the environment decided (and built where asked), the job's setup command run.
#include <sched.h>

#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "base/environment_variable.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/text.h"
#include "control/hook_channel.h"
#include "control/shell.h"
#include "environment/code.h"
#include "storage/checkpoint.h"

namespace forebay {
namespace {

EnvironmentRequest request_for(const AttemptContext& context) {
  EnvironmentRequest request;
  const JobEnvironment& wanted = context.job.environment;
  request.workdir = context.folder;
  request.shell = context.job.run.script.has_value();
  if (context.job.run.script)
    request.command = {*context.job.run.script};
  else
    request.command = context.job.run.arguments;
  request.setup = context.job.setup;
  request.python_version = wanted.python;
  request.requirements = wanted.requirements;
  request.conda = wanted.conda;
  request.isolate = context.launch["isolate"].as_bool().value_or(false);
  for (const JobVariable& variable : wanted.variables)
    if (variable.value) request.variables[variable.name] = *variable.value;
  request.secrets = wanted.secrets;
  request.base_environment = current_environment();
  for (const std::string& name : private_variables()) request.base_environment.erase(name);
  const JobResources& resources = context.job.resources;
  if (resources.cpus && !resources.cpus->is_floor) request.cpus = static_cast<int>(resources.cpus->value);
  if (resources.gpu) request.gpus = static_cast<int>(resources.gpu->count.value_or(1));
  if (context.machine["gpus"].is_array())
    request.machine_gpus = static_cast<int>(context.machine["gpus"].size());
  request.run_id = context.id;
  request.record_folder = context.directory.path();
  request.cache_folder = cache_folder();
  return request;
}

void prepend_path(std::map<std::string, std::string>& environment, const std::string& name,
                  const std::string& folder) {
  std::string& value = environment[name];
  value = value.empty() ? folder : folder + ":" + value;
}

// What every process of the run finds in its environment.
void add_own_variables(AttemptContext& context) {
  auto& environment = context.environment;
  environment["FOREBAY_RUN"] = context.id;
  // So that a script can leave out what a slice does not need (a long evaluation before the first step).
  if (is_probe(context)) environment["FOREBAY_PROBE"] = "1";
  if (context.launch["resume"].as_bool().value_or(false) && context.job.checkpoint &&
      context.job.checkpoint->path) {
    const std::string path = absolute_path(join_path(context.folder, *context.job.checkpoint->path));
    if (const auto resume = resume_checkpoint(path, context.job.checkpoint->complete))
      environment["FOREBAY_RESUME"] = *resume;
  }
  const std::string hook = hook_folder();
  if (!context.launch["hook"].as_bool().value_or(true) || hook.empty()) return;
  const auto channel = make_hook_channel(context.directory, context.id);
  if (!channel) return;
  environment["FOREBAY_HOOK_DIR"] = *channel;
  prepend_path(environment, "PYTHONPATH", hook);
}

// A fixed number of cores: the whole tree is bound to so many. Different runs begin at different cores.
void bind_cores(const AttemptContext& context) {
  const auto& cpus = context.job.resources.cpus;
  if (!cpus || cpus->is_floor || cpus->value < 1) return;
  cpu_set_t present;
  CPU_ZERO(&present);
  if (::sched_getaffinity(0, sizeof present, &present) != 0) return;
  const int count = CPU_COUNT(&present);
  const int wanted = static_cast<int>(cpus->value);
  if (wanted >= count) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  const int first = static_cast<int>(own_identity().pid * wanted % count);
  int position = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &present)) continue;
    if ((position - first + count) % count < wanted) CPU_SET(core, &chosen);
    ++position;
  }
  ::sched_setaffinity(0, sizeof chosen, &chosen);
}

Json keep_code(AttemptContext& context) {
  SnapshotSettings settings;
  settings.state_folder = context.state_folder;
  auto summary = snapshot_code(context.folder, context.directory, settings);
  if (summary) return std::move(*summary);
  tell(context, summary.error().sentence());
  return Json::object({{"kind", "none"}, {"problem", summary.error().sentence()}});
}

StepResult run_setup_child(AttemptContext& context, ChildSpec spec, const std::string& what) {
  spec.stream = LogStream::kSetup;
  spec.separate_error = false;
  spec.use_pty = context.launch["pty"].as_bool().value_or(false);
  const auto child = context.supervisor.run(spec, limits_of(context), SupervisorHooks{});
  if (!child) return failed_outcome(OutcomeCause::kInfrastructure, child.error().sentence());
  if (child->succeeded()) return std::nullopt;
  Outcome outcome = outcome_of(*child);
  if (outcome.cause == OutcomeCause::kJobFailed || outcome.cause == OutcomeCause::kCannotStart) {
    outcome.cause = OutcomeCause::kSetupFailed;
    outcome.sentence = fmt::format(fmt::runtime(tr("{0} failed: {1}")), what, outcome.sentence);
  }
  outcome.started.reset();  // the job's own command never ran
  outcome.duration.reset();
  return outcome;
}

StepResult build_environment_children(AttemptContext& context) {
  for (const PreparationCommand& command : context.environment_plan.commands) {
    tell(context, command.purpose);
    ChildSpec spec;
    spec.argv = command.argv;
    spec.cwd = command.cwd;
    spec.environment = context.environment_request.base_environment;
    for (const auto& [name, value] : command.variables) spec.environment[name] = value;
    if (auto end = run_setup_child(context, std::move(spec), command.purpose)) return end;
  }
  return std::nullopt;
}

}  // namespace

StepResult prepare(AttemptContext& context) {
  const Json code = keep_code(context);
  note_event(context, "code", code);
  context.environment_request = request_for(context);
  auto plan = plan_environment(context.environment_request);
  if (!plan) return failed_outcome(OutcomeCause::kSetupFailed, plan.error().sentence());
  context.environment_plan = std::move(*plan);
  for (const Remark& remark : context.environment_plan.remarks) tell(context, remark.sentence);
  if (auto end = build_environment_children(context)) return end;
  if (auto finished = finish_plan(context.environment_request, context.environment_plan); !finished)
    return failed_outcome(OutcomeCause::kSetupFailed, finished.error().sentence());
  context.environment = apply_plan(context.environment_request.base_environment, context.environment_plan);
  if (auto written = write_json_file(context.directory.environment(), context.environment_plan.description);
      !written)
    return failed_outcome(OutcomeCause::kInfrastructure, written.error().sentence());
  add_own_variables(context);
  bind_cores(context);
  if (!context.job.setup) return std::nullopt;
  ChildSpec spec;
  spec.argv = shell_command(*context.job.setup);
  spec.cwd = context.folder;
  spec.environment = context.environment;
  spec.environment.erase("FOREBAY_HOOK_DIR");  // the hook watches the job, not its setup
  return run_setup_child(context, std::move(spec), std::string(tr("the setup command")));
}

}  // namespace forebay
