#include <array>

#include "spec/check_job.h"
#include "spec/nearest.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

// Names that other tools use for what a job file calls otherwise.
struct ForeignName {
  std::string_view name;
  std::string_view key;
};
constexpr std::array kForeignNames = {
    ForeignName{"env", "environment.variables"},
    ForeignName{"envs", "environment.variables"},
    ForeignName{"env_vars", "environment.variables"},
    ForeignName{"environment_variables", "environment.variables"},
    ForeignName{"command", "run"},
    ForeignName{"cmd", "run"},
    ForeignName{"script", "run"},
    ForeignName{"entrypoint", "run"},
    ForeignName{"args", "run"},
    ForeignName{"accelerators", "resources.gpu"},
    ForeignName{"accelerator", "resources.gpu"},
    ForeignName{"timeout", "policy.max_duration"},
    ForeignName{"time_limit", "policy.max_duration"},
    ForeignName{"walltime", "policy.max_duration"},
    ForeignName{"num_nodes", "resources.nodes"},
    ForeignName{"instance_count", "resources.nodes"},
    ForeignName{"replicas", "service.scale"},
    ForeignName{"docker_image", "environment.image"},
    ForeignName{"container", "environment.image"},
    ForeignName{"file_mounts", "data"},
    ForeignName{"inputs", "data"},
    ForeignName{"datasets", "data"},
    ForeignName{"mounts", "data"},
    ForeignName{"artifacts", "outputs"},
    ForeignName{"results", "outputs"},
    ForeignName{"ram", "resources.memory"},
    ForeignName{"mem", "resources.memory"},
    ForeignName{"cores", "resources.cpus"},
    ForeignName{"vcpus", "resources.cpus"},
    ForeignName{"disk_size", "resources.disk"},
    ForeignName{"cwd", "workdir"},
    ForeignName{"working_dir", "workdir"},
    ForeignName{"working_directory", "workdir"},
    ForeignName{"weights", "policy.objective"},
    ForeignName{"max_cost", "policy.budget"},
    ForeignName{"cost_limit", "policy.budget"},
    ForeignName{"pip", "environment.requirements"},
    ForeignName{"use_spot", "policy.capacity"},
    ForeignName{"spot", "policy.capacity"},
    ForeignName{"max_retries", "policy.retries"},
    ForeignName{"cloud", "resources.on"},
    ForeignName{"region", "resources.on"},
    ForeignName{"infra", "resources.on"},
    ForeignName{"autostop", "policy.idle_stop"},
    ForeignName{"ports", "service.port"},
};

// The field of that name in another section; the one least deep.
const Field* same_name_elsewhere(std::string_view name) {
  const Field* best = nullptr;
  for (const Field& field : job_fields()) {
    if (leaf_name(field) != name || field.key.find("[]") != std::string_view::npos) continue;
    if (best == nullptr || field.key.size() < best->key.size()) best = &field;
  }
  return best;
}

}  // namespace

std::string unknown_key_sentence(std::string_view section, const std::string& name) {
  const std::string where = section.empty() ? std::string(tr("a job file")) : std::string(section);
  std::vector<std::string_view> siblings;
  for (const Field* field : fields_below(section)) siblings.push_back(leaf_name(*field));
  for (const ForeignName& foreign : kForeignNames)
    if (foreign.name == name && find_field(foreign.key) != nullptr)
      return say(tr("{0} is not a key of {1}; here it is called {2}, for example {2}: {3}"), shown(name),
                 where, foreign.key,
                 find_field(foreign.key)->example.empty() ? std::string_view("…")
                                                          : find_field(foreign.key)->example);
  if (const auto nearest = nearest_name(name, siblings))
    return say(tr("{0} is not a key of {1}. Did you mean {2}?"), shown(name), where, *nearest);
  if (const Field* field = same_name_elsewhere(name))
    return say(tr("{0} is not a key of {1}; it belongs elsewhere: {2}."), shown(name), where, field->key);
  return say(tr("{0} is not a key of {1}. Its keys are {2}."), shown(name), where,
             listed_or(std::vector<std::string>(siblings.begin(), siblings.end())));
}

}  // namespace forebay
