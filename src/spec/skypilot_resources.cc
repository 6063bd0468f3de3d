#include "spec/skypilot_resources.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/nearest.h"
#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

// What a key of SkyPilot's resources means to a run on a machine that is already there.
enum class Meaning { kTranslated, kNoEffect, kRefused };
struct ResourceKey {
  std::string_view name;
  Meaning meaning;
};
constexpr std::array kKeys = {
    ResourceKey{"accelerators", Meaning::kTranslated}, ResourceKey{"cpus", Meaning::kTranslated},
    ResourceKey{"memory", Meaning::kTranslated},       ResourceKey{"disk_size", Meaning::kTranslated},
    ResourceKey{"infra", Meaning::kTranslated},        ResourceKey{"cloud", Meaning::kTranslated},
    ResourceKey{"use_spot", Meaning::kTranslated},     ResourceKey{"image_id", Meaning::kTranslated},
    ResourceKey{"job_recovery", Meaning::kTranslated}, ResourceKey{"region", Meaning::kNoEffect},
    ResourceKey{"zone", Meaning::kNoEffect},           ResourceKey{"disk_tier", Meaning::kNoEffect},
    ResourceKey{"network_tier", Meaning::kNoEffect},   ResourceKey{"local_disk", Meaning::kNoEffect},
    ResourceKey{"labels", Meaning::kNoEffect},         ResourceKey{"autostop", Meaning::kNoEffect},
    ResourceKey{"priority", Meaning::kNoEffect},       ResourceKey{"max_hourly_cost", Meaning::kNoEffect},
    ResourceKey{"ports", Meaning::kNoEffect},          ResourceKey{"accelerator_args", Meaning::kRefused},
    ResourceKey{"instance_type", Meaning::kRefused},   ResourceKey{"any_of", Meaning::kRefused},
    ResourceKey{"ordered", Meaning::kRefused},         ResourceKey{"spot_recovery", Meaning::kNoEffect},
};

const ResourceKey* find_key(std::string_view name) {
  for (const ResourceKey& key : kKeys)
    if (key.name == name) return &key;
  return nullptr;
}

// "4", "4+", "64GB", 64: SkyPilot counts memory and disks in GB when there is no unit.
std::optional<std::int64_t> skypilot_bytes(std::string text) {
  while (text.ends_with('+')) text.pop_back();
  const bool has_unit = text.find_first_not_of("0123456789. ") != std::string::npos;
  const auto bytes = parse_bytes(has_unit ? text : text + "GB");
  if (!bytes || bytes->count <= 0) return std::nullopt;
  return bytes->count;
}

class Resources {
 public:
  Resources(Job& job, SkypilotReport& report) : job_(job), report_(report) {}

  void translate(const YamlNode& node) {
    for (const YamlMember& member : node.members) {
      const std::string path = "resources." + member.key;
      const ResourceKey* key = find_key(member.key);
      if (key == nullptr)
        unknown(member, path);
      else if (member.value->is_null())
        continue;
      else if (key->meaning == Meaning::kRefused)
        report_.error(
            member, path,
            say(tr("SkyPilot's {0} cannot be honoured yet. Remove it to run this task on its own."), path));
      else if (key->meaning == Meaning::kNoEffect)
        report_.remark(member, path, say(tr("SkyPilot's {0} has no effect on this machine."), path));
      else
        translated(member, path);
    }
  }

 private:
  void unknown(const YamlMember& member, const std::string& path) {
    std::vector<std::string_view> names;
    for (const ResourceKey& key : kKeys) names.push_back(key.name);
    if (const auto nearest = nearest_name(member.key, names))
      report_.error(member, path,
                    say(tr("{0} is not a key of a SkyPilot task. Did you mean {1}?"), shown(path), *nearest));
    else
      report_.error(member, path, say(tr("{0} is not a key of a SkyPilot task."), shown(path)));
  }

  void translated(const YamlMember& member, const std::string& path) {
    const std::string& key = member.key;
    if (key == "accelerators") return accelerators(member, path);
    if (key == "job_recovery") return recovery(member, path);
    if (!member.value->is_scalar())
      return report_.error(
          member, path,
          say(tr("SkyPilot's {0} in this form cannot be honoured yet; write one value."), path));
    const std::string& text = member.value->text;
    if (key == "cpus")
      cpus(member, path);
    else if (key == "memory")
      amount(member, path, job_.resources.memory, "resources.memory");
    else if (key == "disk_size")
      amount(member, path, job_.resources.disk, "resources.disk");
    else if (key == "infra" || key == "cloud")
      infra(member, path, text);
    else if (key == "use_spot")
      spot(member, text);
    else
      image(member, text);
  }

  // SkyPilot chooses a machine by these numbers and never limits a task to them, so they are floors.
  void cpus(const YamlMember& member, const std::string& path) {
    report_.note("resources.cpus", member);
    const auto reading = read_number_or_floor(path, *member.value, 0.01, 100000);
    if (reading)
      job_.resources.cpus = Amount<double>{reading->value, true};
    else
      report_.error(member, path, reading.error());
  }

  void amount(const YamlMember& member, const std::string& path, std::optional<Amount<Bytes>>& target,
              const std::string& our_key) {
    report_.note(our_key, member);
    const auto bytes = skypilot_bytes(member.value->text);
    if (bytes)
      target = Amount<Bytes>{Bytes{*bytes}, true};
    else
      report_.error(member, path,
                    say(tr("{0}: {1} is not a size SkyPilot knows. Write for example 64, 64+ or 64GB."), path,
                        shown(member.value->text)));
  }

  void infra(const YamlMember& member, const std::string& path, const std::string& text) {
    report_.note("resources.on", member);
    std::string place = text;
    while (place.ends_with("/*")) place.resize(place.size() - 2);
    if (place == "*") return;
    if (place == "k8s" || place.starts_with("k8s/")) place = "kubernetes" + place.substr(3);
    std::transform(place.begin(), place.end(), place.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (const auto found = parse_place(place))
      job_.resources.on.push_back(*found);
    else
      report_.error(member, path, say(tr("{0}: {1} is no place that is known."), path, shown(text)));
  }

  void spot(const YamlMember& member, const std::string& text) {
    report_.note("policy.capacity", member);
    if (text == "true")
      job_.policy.capacity = "spot";
    else if (text != "false")
      report_.error(
          member, "resources.use_spot",
          say(tr("{0} cannot be {1}. It is one of {2}."), "resources.use_spot", shown(text), "true, false"));
  }

  void image(const YamlMember& member, const std::string& text) {
    report_.note("environment.image", member);
    if (text.starts_with("docker:"))
      job_.environment.image = text.substr(7);
    else
      report_.remark(member, "resources.image_id",
                     say(tr("SkyPilot's {0} has no effect on this machine."), "resources.image_id"));
  }

  void accelerators(const YamlMember& member, const std::string& path) {
    report_.note("resources.gpu", member);
    YamlNode node = *member.value;
    if (node.is_mapping() && node.members.size() == 1 && node.members[0].value->is_scalar()) {
      const std::string text = node.members[0].key + ":" + node.members[0].value->text;
      node = YamlNode{};
      node.kind = YamlNode::Kind::kScalar;
      node.text = text;
    } else if (node.is_sequence() && node.items.size() == 1 && node.items[0]->is_scalar()) {
      node = YamlNode(*node.items[0]);
    }
    if (!node.is_scalar())
      return report_.error(
          member, path,
          say(tr("{0} with several choices cannot be honoured yet. Name the one to use."), path));
    const auto gpu = read_gpu_text(path, node);
    if (gpu)
      job_.resources.gpu = *gpu;
    else
      report_.error(member, path, gpu.error());
  }

  void recovery(const YamlMember& member, const std::string& path) {
    const YamlNode* restarts = member.value->find("max_restarts_on_errors");
    report_.note("policy.retries", member);
    if (restarts == nullptr)
      return report_.remark(member, path, say(tr("SkyPilot's {0} has no effect on this machine."), path));
    const auto reading = read_integer(path + ".max_restarts_on_errors", *restarts, 0, 1000);
    if (reading)
      job_.policy.retries = *reading;
    else
      report_.error(member, path, reading.error());
    if (member.value->members.size() > 1)
      report_.remark(
          member, path,
          say(tr("Of SkyPilot's {0} only max_restarts_on_errors has an effect on this machine."), path));
  }

  Job& job_;
  SkypilotReport& report_;
};

}  // namespace

bool has_skypilot_resource_keys(const YamlNode& resources) {
  static constexpr std::array<std::string_view, 4> kShared{"cpus", "memory", "cloud", "region"};
  return std::any_of(kKeys.begin(), kKeys.end(), [&](const ResourceKey& key) {
    return resources.find(key.name) != nullptr &&
           std::find(kShared.begin(), kShared.end(), key.name) == kShared.end();
  });
}

void translate_skypilot_resources(const YamlMember& resources, Job& job, SkypilotReport& report) {
  if (resources.value->is_mapping())
    Resources(job, report).translate(*resources.value);
  else
    report.error(resources, "resources", std::string(tr("resources takes a mapping.")));
}

}  // namespace forebay
