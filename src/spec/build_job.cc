#include "spec/build_job.h"

#include "spec/read_value.h"
#include "spec/schema.h"

namespace forebay {
namespace {

constexpr double kAnything = 9e18;

const YamlNode& child(const YamlNode& node, std::string_view name) {
  static const YamlNode absent;
  const YamlNode* found = node.find(name);
  return found == nullptr ? absent : *found;
}

template <typename T>
void keep(std::optional<T>& target, const Reading<T>& reading) {
  if (reading) target = *reading;
}

void text(std::optional<std::string>& target, const YamlNode& section, std::string_view name) {
  const YamlNode& node = child(section, name);
  if (node.is_scalar()) keep(target, read_text({}, node));
}

void integer(std::optional<std::int64_t>& target, const YamlNode& section, std::string_view name) {
  keep(target, read_integer({}, child(section, name), -kAnything, kAnything));
}

JobWorkload workload(const YamlNode& node) {
  JobWorkload workload;
  text(workload.kind, node, "kind");
  text(workload.model, node, "model");
  keep(workload.parameters, read_parameter_count({}, child(node, "parameters")));
  integer(workload.batch_size, node, "batch_size");
  integer(workload.sequence_length, node, "sequence_length");
  text(workload.precision, node, "precision");
  return workload;
}

std::optional<JobGpu> gpu(const YamlNode& node) {
  if (node.is_scalar()) {
    std::optional<JobGpu> gpu;
    keep(gpu, read_gpu_text({}, node));
    return gpu;
  }
  if (!node.is_mapping()) return std::nullopt;
  JobGpu gpu;
  text(gpu.name, node, "name");
  integer(gpu.count, node, "count");
  keep(gpu.memory, read_bytes_or_floor({}, child(node, "memory")));
  keep(gpu.architecture, read_architecture({}, child(node, "architecture"),
                                           choices_of(*find_field("resources.gpu.architecture"))));
  return gpu;
}

JobResources resources(const YamlNode& node) {
  JobResources resources;
  resources.gpu = gpu(child(node, "gpu"));
  keep(resources.cpus, read_number_or_floor({}, child(node, "cpus"), 0, kAnything));
  keep(resources.memory, read_bytes_or_floor({}, child(node, "memory")));
  keep(resources.disk, read_bytes_or_floor({}, child(node, "disk")));
  integer(resources.nodes, node, "nodes");
  const YamlNode& on = child(node, "on");
  if (on.is_scalar())
    if (const auto place = read_place({}, on)) resources.on.push_back(*place);
  for (const YamlNodePtr& item : on.items)
    if (const auto place = read_place({}, *item)) resources.on.push_back(*place);
  return resources;
}

JobEnvironment environment(const YamlNode& node) {
  JobEnvironment environment;
  keep(environment.python, read_python_version({}, child(node, "python")));
  text(environment.requirements, node, "requirements");
  text(environment.conda, node, "conda");
  text(environment.image, node, "image");
  text(environment.dockerfile, node, "dockerfile");
  for (const YamlMember& member : child(node, "variables").members) {
    JobVariable variable{member.key, std::nullopt};
    if (member.value->is_scalar()) variable.value = member.value->text;
    environment.variables.push_back(std::move(variable));
  }
  for (const YamlNodePtr& item : child(node, "secrets").items)
    if (item->is_scalar() && is_environment_name(item->text)) environment.secrets.push_back(item->text);
  return environment;
}

JobCommand command(const YamlNode& node) {
  JobCommand command;
  if (node.is_scalar()) keep(command.script, read_text({}, node));
  for (const YamlNodePtr& item : node.items) command.arguments.push_back(item->text);
  return command;
}

JobPolicy policy(const YamlNode& node) {
  JobPolicy policy;
  text(policy.objective, node, "objective");
  for (const YamlMember& member : child(node, "objective").members)
    if (const auto weight = read_number({}, *member.value, 0, kAnything))
      policy.objective_weights.emplace_back(member.key, *weight);
  keep(policy.deadline, read_instant({}, child(node, "deadline")));
  keep(policy.budget, read_money({}, child(node, "budget")));
  text(policy.capacity, node, "capacity");
  keep(policy.interruptible, read_yes_no_auto({}, child(node, "interruptible")));
  integer(policy.retries, node, "retries");
  keep(policy.max_duration, read_duration({}, child(node, "max_duration")));
  keep(policy.idle_stop, read_duration({}, child(node, "idle_stop")));
  keep(policy.hang_stop, read_duration({}, child(node, "hang_stop")));
  return policy;
}

std::optional<JobService> service(const YamlNode& node) {
  if (!node.is_mapping()) return std::nullopt;
  JobService service;
  service.port = read_integer({}, child(node, "port"), 0, 65535).value_or(0);
  text(service.health, node, "health");
  const YamlNode& scale = child(node, "scale");
  keep(service.requests_per_second, read_number({}, child(scale, "requests_per_second"), 0, kAnything));
  integer(service.min, scale, "min");
  integer(service.max, scale, "max");
  return service;
}

std::optional<JobSweep> sweep(const YamlNode& node) {
  if (!node.is_mapping()) return std::nullopt;
  JobSweep sweep;
  for (const YamlMember& member : child(node, "parameters").members)
    if (auto parameter = read_sweep_parameter({}, member.key, *member.value))
      sweep.parameters.push_back(std::move(*parameter));
  text(sweep.strategy, node, "strategy");
  integer(sweep.parallel, node, "parallel");
  text(sweep.metric, child(node, "metric"), "name");
  text(sweep.goal, child(node, "metric"), "goal");
  return sweep;
}

}  // namespace

Job build_job(const YamlNode& root) {
  Job job;
  text(job.name, root, "name");
  text(job.workdir, root, "workdir");
  job.workload = workload(child(root, "workload"));
  job.resources = resources(child(root, "resources"));
  job.environment = environment(child(root, "environment"));
  for (const YamlNodePtr& item : child(root, "data").items) {
    std::optional<std::string> from;
    JobData data;
    text(from, *item, "from");
    data.from = from.value_or("");
    text(data.to, *item, "to");
    text(data.mode, *item, "mode");
    job.data.push_back(std::move(data));
  }
  if (const YamlNode& checkpoint = child(root, "checkpoint"); checkpoint.is_mapping()) {
    job.checkpoint.emplace();
    text(job.checkpoint->path, checkpoint, "path");
    text(job.checkpoint->complete, checkpoint, "complete");
    integer(job.checkpoint->keep, checkpoint, "keep");
  }
  for (const YamlNodePtr& item : child(root, "outputs").items) {
    std::optional<std::string> from, to;
    text(from, *item, "from");
    text(to, *item, "to");
    JobOutput output{from.value_or(""), to.value_or(""), std::nullopt};
    keep(output.every, read_duration({}, child(*item, "every")));
    job.outputs.push_back(std::move(output));
  }
  text(job.setup, root, "setup");
  job.run = command(child(root, "run"));
  job.policy = policy(child(root, "policy"));
  job.service = service(child(root, "service"));
  job.sweep = sweep(child(root, "sweep"));
  return job;
}

}  // namespace forebay
