#include "spec/skypilot.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "spec/read_value.h"
#include "spec/sentence.h"
#include "spec/skypilot_resources.h"
#include "spec/url.h"

namespace forebay {
namespace {

constexpr std::array<std::string_view, 14> kTaskKeys{
    "name",        "num_nodes", "setup",     "run",     "workdir", "envs",   "secrets",
    "file_mounts", "volumes",   "resources", "service", "pool",    "config", "execution"};
// Keys at the top that only one of the two kinds of file has.
constexpr std::array<std::string_view, 7> kOnlySkypilot{"envs",    "num_nodes", "file_mounts", "volumes",
                                                        "secrets", "pool",      "config"};
constexpr std::array<std::string_view, 7> kOnlyOurs{"environment", "workload", "data", "outputs",
                                                    "checkpoint",  "policy",   "sweep"};
constexpr std::array<std::string_view, 4> kOnlySkypilotService{"readiness_probe", "replicas",
                                                               "replica_policy", "load_balancing_policy"};

template <std::size_t N>
bool has_any(const YamlNode& node, const std::array<std::string_view, N>& keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return node.find(key) != nullptr; });
}

// $NAME and ${NAME} of declared variables that have a value; everything else stays as it is.
std::string with_variables(const std::string& text, const std::vector<JobVariable>& variables) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t start = i + 1;
    const bool is_braced = text[i] == '$' && start < text.size() && text[start] == '{';
    if (is_braced) ++start;
    std::size_t end = start;
    while (text[i] == '$' && end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    const std::string name = text.substr(start, end - start);
    const auto found = std::find_if(variables.begin(), variables.end(), [&](const JobVariable& variable) {
      return variable.name == name && variable.value;
    });
    if (text[i] == '$' && found != variables.end() &&
        (!is_braced || (end < text.size() && text[end] == '}'))) {
      out += *found->value;
      i = end + (is_braced ? 1 : 0);
    } else {
      out += text[i++];
    }
  }
  return out;
}

class Translation {
 public:
  Translation(const YamlNode& root, JobParse& parse) : root_(root), job_(parse.job), report_(parse) {}

  void run() {
    for (const YamlMember& member : root_.members) {
      if (std::find(kTaskKeys.begin(), kTaskKeys.end(), member.key) == kTaskKeys.end())
        unknown(member);
      else if (!member.value->is_null())
        task_key(member);
    }
    mounts();
    node_variables();
  }

 private:
  void unknown(const YamlMember& member) {
    const std::vector<std::string_view> keys(kTaskKeys.begin(), kTaskKeys.end());
    if (const auto nearest = nearest_name(member.key, keys))
      report_.error(
          member, member.key,
          say(tr("{0} is not a key of a SkyPilot task. Did you mean {1}?"), shown(member.key), *nearest));
    else
      report_.error(member, member.key, say(tr("{0} is not a key of a SkyPilot task."), shown(member.key)));
  }

  void task_key(const YamlMember& member) {
    const std::string& key = member.key;
    if (key == "name")
      text(member, job_.name, "name");
    else if (key == "setup")
      text(member, job_.setup, "setup");
    else if (key == "run")
      text(member, job_.run.script, "run");
    else if (key == "workdir")
      workdir(member);
    else if (key == "num_nodes")
      nodes(member);
    else if (key == "envs")
      variables(member);
    else if (key == "secrets")
      secrets(member);
    else if (key == "resources")
      translate_skypilot_resources(member, job_, report_);
    else if (key != "file_mounts")
      report_.error(
          member, key,
          say(tr("SkyPilot's {0} cannot be honoured yet. Remove it to run this task on its own."), key));
  }

  void text(const YamlMember& member, std::optional<std::string>& target, const std::string& our_key) {
    report_.note(our_key, member);
    const auto reading = read_text(member.key, *member.value);
    if (reading)
      target = *reading;
    else
      report_.error(member, member.key, reading.error());
  }

  void workdir(const YamlMember& member) {
    if (member.value->is_mapping())
      return report_.error(member, "workdir",
                           std::string(tr("workdir as a repository ({url, ref}) cannot be fetched yet. Clone "
                                          "it first and name its folder.")));
    text(member, job_.workdir, "workdir");
  }

  void nodes(const YamlMember& member) {
    report_.note("resources.nodes", member);
    const auto reading = read_integer("num_nodes", *member.value, 1, 100000);
    if (reading)
      job_.resources.nodes = *reading;
    else
      report_.error(member, "num_nodes", reading.error());
  }

  void variables(const YamlMember& member) {
    if (!member.value->is_mapping())
      return report_.error(
          member, "envs",
          say(tr("{0} takes a mapping of names to values, such as {{NCCL_DEBUG: WARN}}."), "envs"));
    for (const YamlMember& variable : member.value->members) {
      const std::string key = "envs." + variable.key;
      report_.note("environment.variables." + variable.key, variable);
      const auto name = read_environment_name("envs", variable.key);
      if (!name)
        report_.error(variable, key, name.error());
      else if (variable.value->is_sequence() || variable.value->is_mapping())
        report_.error(
            variable, key,
            say(tr("{0} takes one value, not a list or a mapping. Put it in quotes if it is text."), key));
      else if (variable.value->text.find('\0') != std::string::npos)
        report_.error(variable, key,
                      say(tr("{0} contains a NUL character, which no command can receive."), key));
      else
        job_.environment.variables.push_back(
            {variable.key, variable.value->is_null() ? std::nullopt : std::optional(variable.value->text)});
    }
  }

  // Names only: a value that stands in the file is refused and never shown.
  void secrets(const YamlMember& member) {
    report_.note("environment.secrets", member);
    const auto take = [&](const std::string& name) {
      if (is_environment_name(name))
        job_.environment.secrets.push_back(name);
      else
        report_.error(member, "secrets",
                      say(tr("{0} is not the name of an environment variable. Only names go here, never "
                             "values; what stands here is not shown."),
                          "secrets"));
    };
    for (const YamlNodePtr& item : member.value->items) take(item->is_scalar() ? item->text : std::string());
    for (const YamlMember& secret : member.value->members) {
      if (secret.value->is_null())
        take(secret.key);
      else
        report_.error(secret, "secrets",
                      std::string(tr("secrets holds a value. A secret must not be in a file: leave the name "
                                     "with nothing after the colon, and set it where you start forebay.")));
    }
    if (member.value->is_scalar())
      report_.error(member, "secrets",
                    say(tr("{0} takes a list of names, such as [WANDB_API_KEY]."), "secrets"));
  }

  void mounts() {
    const YamlNode* node = root_.find("file_mounts");
    if (node == nullptr || node->is_null()) return;
    for (const YamlMember& mount : node->members) {
      JobData data;
      data.to = with_variables(mount.key, job_.environment.variables);
      data.mode = "stage";
      if (mount.value->is_scalar()) {
        data.from = with_variables(mount.value->text, job_.environment.variables);
      } else if (const YamlNode* source = mount.value->find("source");
                 source != nullptr && source->is_scalar()) {
        data.from = with_variables(source->text, job_.environment.variables);
        const YamlNode* mode = mount.value->find("mode");
        if (mode == nullptr || mode->text != "COPY") data.mode = "mount";
      } else {
        report_.error(
            mount, "file_mounts",
            say(tr("file_mounts: {0} is not a path or a storage with one source."), shown(mount.key)));
        continue;
      }
      if (data.from.empty())
        report_.error(
            mount, "file_mounts",
            say(tr("file_mounts: {0} is not a path or a storage with one source."), shown(mount.key)));
      report_.note(fmt::format("data[{}]", job_.data.size()), mount);
      job_.data.push_back(std::move(data));
    }
    if (!node->is_mapping())
      report_.error({"file_mounts", node->position, root_.members.front().value}, "file_mounts",
                    std::string(tr("file_mounts takes a mapping of targets to sources.")));
  }

  // What SkyPilot gives every task. One node: an engine that runs more replaces them.
  void node_variables() {
    auto& variables = job_.environment.variables;
    const auto add = [&](const char* name, std::string value) {
      const bool is_given = std::any_of(variables.begin(), variables.end(),
                                        [&](const JobVariable& variable) { return variable.name == name; });
      if (!is_given) variables.push_back({name, std::move(value)});
    };
    add("SKYPILOT_NODE_RANK", "0");
    add("SKYPILOT_NODE_IPS", "127.0.0.1");
    add("SKYPILOT_NUM_NODES", fmt::format("{}", job_.resources.nodes.value_or(1)));
    add("SKYPILOT_NUM_GPUS_PER_NODE",
        fmt::format("{}", job_.resources.gpu ? job_.resources.gpu->count.value_or(1) : 0));
  }

  const YamlNode& root_;
  Job& job_;
  SkypilotReport report_;
};

}  // namespace

bool has_skypilot_keys(const YamlNode& root) {
  if (!root.is_mapping() || has_any(root, kOnlyOurs)) return false;
  if (has_any(root, kOnlySkypilot)) return true;
  const YamlNode* resources = root.find("resources");
  if (resources != nullptr && resources->is_mapping() && has_skypilot_resource_keys(*resources)) return true;
  const YamlNode* service = root.find("service");
  return service != nullptr && service->is_mapping() && has_any(*service, kOnlySkypilotService);
}

void translate_skypilot(const YamlNode& root, JobParse& parse) {
  Translation(root, parse).run();
}

}  // namespace forebay
