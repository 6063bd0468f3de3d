#include <array>

#include "base/nearest.h"
#include "spec/check_job.h"
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

// Names that people write inside a section for one of its keys.
struct SiblingName {
  std::string_view section, name, key;
};
constexpr SiblingName kSiblingNames[] = {
    {"outputs", "path", "from"},   {"outputs", "src", "from"},    {"outputs", "source", "from"},
    {"outputs", "dest", "to"},     {"outputs", "dst", "to"},      {"outputs", "destination", "to"},
    {"outputs", "target", "to"},   {"outputs", "url", "to"},      {"data", "src", "from"},
    {"data", "source", "from"},    {"data", "url", "from"},       {"data", "path", "to"},
    {"data", "mount", "to"},       {"data", "target", "to"},      {"data", "dest", "to"},
    {"data", "destination", "to"}, {"checkpoint", "dir", "path"}, {"checkpoint", "folder", "path"},
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

// "policy: {max_duration: 12h}": the key where it belongs; empty for sections and for lists.
std::string flow_example(const Field& field) {
  if (field.example.empty() || field.key.find("[]") != std::string_view::npos) return {};
  std::string out = fmt::format("{}: {}", leaf_name(field), field.example);
  for (std::string_view above = field.key; above.find('.') != std::string_view::npos;) {
    above = above.substr(0, above.rfind('.'));
    out = fmt::format("{}: {{{}}}", leaf_name(*find_field(above)), out);
  }
  return out;
}

std::string belongs_sentence(const std::string& name, const std::string& where, const Field& field) {
  const std::string example = flow_example(field);
  if (example.empty())
    return say(tr("{0} is not a key of {1}; here it is called {2}."), shown(name), where, field.key);
  return say(tr("{0} is not a key of {1}; here it is written {2}"), shown(name), where, example);
}

}  // namespace

std::string unknown_key_sentence(std::string_view section, const std::string& name) {
  const std::string where = section.empty() ? std::string(tr("a job file")) : std::string(section);
  std::vector<std::string_view> siblings;
  for (const Field* field : fields_below(section)) siblings.push_back(leaf_name(*field));
  // A dotted key, from the top or from here.
  const std::string below = section.empty() ? name : fmt::format("{}.{}", section, name);
  for (const std::string& dotted : {name, below})
    if (dotted.find('.') != std::string::npos)
      if (const Field* field = find_field(dotted)) return belongs_sentence(name, where, *field);
  for (const SiblingName& sibling : kSiblingNames)
    if (sibling.section == section && sibling.name == name)
      return say(tr("{0} is not a key of {1}. Did you mean {2}?"), shown(name), where, sibling.key);
  for (const ForeignName& foreign : kForeignNames)
    if (foreign.name == name) return belongs_sentence(name, where, *find_field(foreign.key));
  if (const auto nearest = nearest_name(name, siblings))
    return say(tr("{0} is not a key of {1}. Did you mean {2}?"), shown(name), where, *nearest);
  if (const Field* field = same_name_elsewhere(name)) return belongs_sentence(name, where, *field);
  return say(tr("{0} is not a key of {1}. Its keys are {2}."), shown(name), where, joined(siblings));
}

}  // namespace forebay
