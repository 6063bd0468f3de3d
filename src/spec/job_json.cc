// A job as JSON in the job file's own notation, and back through the very reader of job files.
#include "spec/build_job.h"
#include "spec/check_job.h"
#include "spec/job.h"
#include "spec/job_text.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

template <typename T>
void put(Json& object, std::string_view key, const std::optional<T>& value) {
  if (value) object.set(key, Json(*value));
}

template <typename T, typename Write>
void put(Json& object, std::string_view key, const std::optional<T>& value, Write write) {
  if (value) object.set(key, Json(write(*value)));
}

void put_section(Json& object, std::string_view key, Json section) {
  if (section.size() > 0) object.set(key, std::move(section));
}

Json number(double value) {
  if (const Json json(value); json.as_integer()) return Json(*json.as_integer());
  return Json(value);
}

std::string amount(const Amount<Bytes>& bytes) {
  return bytes_text(bytes.value) + (bytes.is_floor ? "+" : "");
}

Json workload_json(const JobWorkload& workload) {
  Json json = Json::object();
  put(json, "kind", workload.kind);
  put(json, "model", workload.model);
  put(json, "parameters", workload.parameters, parameter_count_text);
  put(json, "batch_size", workload.batch_size);
  put(json, "sequence_length", workload.sequence_length);
  put(json, "precision", workload.precision);
  return json;
}

Json gpu_json(const JobGpu& gpu) {
  Json json = Json::object();
  put(json, "name", gpu.name);
  put(json, "count", gpu.count);
  put(json, "memory", gpu.memory, amount);
  put(json, "architecture", gpu.architecture,
      [](const auto& architecture) { return architecture.value + (architecture.is_floor ? "+" : ""); });
  return json;
}

Json resources_json(const JobResources& resources) {
  Json json = Json::object();
  if (resources.gpu) json.set("gpu", gpu_json(*resources.gpu));
  if (resources.cpus)
    json.set("cpus", resources.cpus->is_floor ? Json(number_text(resources.cpus->value) + "+")
                                              : number(resources.cpus->value));
  put(json, "memory", resources.memory, amount);
  put(json, "disk", resources.disk, amount);
  put(json, "nodes", resources.nodes);
  Json on = Json::array();
  for (const Place& place : resources.on) on.push(place.text());
  put_section(json, "on", std::move(on));
  return json;
}

Json environment_json(const JobEnvironment& environment) {
  Json json = Json::object();
  put(json, "python", environment.python);
  put(json, "requirements", environment.requirements);
  put(json, "conda", environment.conda);
  put(json, "image", environment.image);
  put(json, "dockerfile", environment.dockerfile);
  Json variables = Json::object();
  for (const JobVariable& variable : environment.variables)
    variables.set(variable.name, Json(variable.value));
  put_section(json, "variables", std::move(variables));
  put_section(json, "secrets", Json(environment.secrets));
  return json;
}

Json policy_json(const JobPolicy& policy) {
  Json json = Json::object();
  put(json, "objective", policy.objective);
  if (!policy.objective_weights.empty()) {
    Json weights = Json::object();
    for (const auto& [name, weight] : policy.objective_weights) weights.set(name, number(weight));
    json.set("objective", std::move(weights));
  }
  put(json, "deadline", policy.deadline, format_instant);
  put(json, "budget", policy.budget, money_text);
  put(json, "capacity", policy.capacity);
  put(json, "interruptible", policy.interruptible);
  put(json, "retries", policy.retries);
  put(json, "max_duration", policy.max_duration, duration_text);
  put(json, "idle_stop", policy.idle_stop, duration_text);
  put(json, "hang_stop", policy.hang_stop, duration_text);
  return json;
}

Json service_json(const JobService& service) {
  Json json = Json::object({{"port", service.port}});
  put(json, "health", service.health);
  Json scale = Json::object();
  put(scale, "requests_per_second", service.requests_per_second, number);
  put(scale, "min", service.min);
  put(scale, "max", service.max);
  put_section(json, "scale", std::move(scale));
  return json;
}

Json sweep_json(const JobSweep& sweep) {
  Json json = Json::object();
  Json parameters = Json::object();
  for (const SweepParameter& parameter : sweep.parameters)
    parameters.set(parameter.name, parameter.range ? Json(fmt::format("{}..{}", parameter.range->first,
                                                                      parameter.range->second))
                                                   : Json(parameter.values));
  json.set("parameters", std::move(parameters));
  put(json, "strategy", sweep.strategy);
  put(json, "parallel", sweep.parallel);
  Json metric = Json::object();
  put(metric, "name", sweep.metric);
  put(metric, "goal", sweep.goal);
  put_section(json, "metric", std::move(metric));
  return json;
}

Json lists_json(const Job& job, std::string_view key) {
  Json list = Json::array();
  if (key == "data")
    for (const JobData& data : job.data) {
      Json json = Json::object({{"from", data.from}});
      put(json, "to", data.to);
      put(json, "mode", data.mode);
      list.push(std::move(json));
    }
  if (key == "outputs")
    for (const JobOutput& output : job.outputs) {
      Json json = Json::object({{"from", output.from}, {"to", output.to}});
      put(json, "every", output.every, duration_text);
      list.push(std::move(json));
    }
  return list;
}

YamlNodePtr node_from_json(const Json& json, std::size_t depth) {
  auto node = std::make_shared<YamlNode>();
  if (json.is_object() && depth < kMaximumYamlDepth) {
    node->kind = YamlNode::Kind::kMapping;
    for (const auto& [key, value] : json.members())
      node->members.push_back({key, {}, node_from_json(value, depth + 1)});
  } else if (json.is_array() && depth < kMaximumYamlDepth) {
    node->kind = YamlNode::Kind::kSequence;
    for (const Json& item : json.items()) node->items.push_back(node_from_json(item, depth + 1));
  } else if (json.is_string()) {
    node->kind = YamlNode::Kind::kScalar;
    node->text = json.string_or_empty();
  } else if (!json.is_null()) {
    node->kind = YamlNode::Kind::kScalar;
    node->is_plain = true;
    node->text = json.dump();
  }
  return node;
}

}  // namespace

Json Job::to_json() const {
  Json json = Json::object();
  put(json, "name", name);
  put(json, "workdir", workdir);
  put_section(json, "workload", workload_json(workload));
  put_section(json, "resources", resources_json(resources));
  put_section(json, "environment", environment_json(environment));
  put_section(json, "data", lists_json(*this, "data"));
  if (checkpoint) {
    Json section = Json::object();
    put(section, "path", checkpoint->path);
    put(section, "complete", checkpoint->complete);
    put(section, "keep", checkpoint->keep);
    json.set("checkpoint", std::move(section));
  }
  put_section(json, "outputs", lists_json(*this, "outputs"));
  put(json, "setup", setup);
  if (run.script) json.set("run", *run.script);
  if (!run.arguments.empty()) json.set("run", Json(run.arguments));
  put_section(json, "policy", policy_json(policy));
  if (service) json.set("service", service_json(*service));
  if (sweep) json.set("sweep", sweep_json(*sweep));
  return json;
}

Result<Job> job_from_json(const Json& json) {
  JobParse parse;
  const YamlNodePtr root = node_from_json(json, 0);
  JobCheck(parse).check(*root);
  parse.job = build_job(*root);
  if (parse.ok()) check_consistency(parse.job, parse);
  for (const JobProblem& problem : parse.problems)
    if (problem.is_error)
      return make_error(ErrorCode::kInvalidInput, std::string(tr("read the job")), problem.key,
                        problem.sentence);
  return parse.job;
}

}  // namespace forebay
