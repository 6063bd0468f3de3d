#include "diagnosis/settings_diff.h"

#include <fmt/format.h>

#include <array>
#include <map>

namespace forebay {
namespace {

constexpr std::size_t kMost = 200;
using Named = std::map<std::string, std::string>;

void add(std::vector<ChangedSetting>& changes, const std::string& name, const std::optional<std::string>& a,
         const std::optional<std::string>& b) {
  if (a != b && changes.size() < kMost) changes.push_back({name, a, b});
}

std::optional<std::string> shown(const MetricSet& metrics, std::string_view name) {
  const MeasuredValue* value = metrics.find(name);
  return value ? std::optional(format_measure(value->value, value->unit)) : std::nullopt;
}

// Only what both runs know: a run without the hook has not "unset" its number of workers.
void add_metrics(std::vector<ChangedSetting>& changes, const MetricSet& a, const MetricSet& b) {
  for (const char* name :
       {"num_workers", "batch_size", "persistent_workers", "pin_memory", "prefetch_factor", "torch_threads",
        "ranks", "compiled", "autocast", "parameters", "dataset_length", "cores_usable", "gpu_count"})
    if (a.find(name) && b.find(name)) add(changes, name, shown(a, name), shown(b, name));
  for (const char* name :
       {"device", "precisions", "optimizer", "gpu", "dataset", "distributed_backend", "file_system"})
    if (a.fact(name) && b.fact(name)) add(changes, name, a.fact(name), b.fact(name));
}

std::optional<std::string> command_of(const RunRecord& record) {
  if (!record.launch["argv"].is_array()) return std::nullopt;
  std::string command;
  for (const Json& word : record.launch["argv"].items())
    command += (command.empty() ? "" : " ") + word.string_or_empty();
  return command.substr(0, 500);
}

std::optional<std::string> text_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.is_string() ? json.string_or_empty() : json.dump();
}

void add_differences(std::vector<ChangedSetting>& changes, const std::string& prefix, const Named& a,
                     const Named& b) {
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    add(changes, prefix + name, value, other == b.end() ? std::nullopt : std::optional(other->second));
  }
  for (const auto& [name, value] : b)
    if (!a.contains(name)) add(changes, prefix + name, std::nullopt, value);
}

Named packages_of(const Json& environment) {
  Named packages;
  for (const Json& package : environment["packages"].items())
    if (package["name"].is_string())
      packages[package["name"].string_or_empty()] = package["version"].string_or_empty();
  return packages;
}

Named variables_of(const Json& environment) {
  Named variables;
  for (const auto& [name, value] : environment["variables"]["set"].members())
    variables[name] = text_of(value).value_or("");
  return variables;
}

Json code_of(const RunRecord& record) {
  for (auto event = record.events.rbegin(); event != record.events.rend(); ++event)
    if (event->name == "code") return event->details;
  return {};
}

}  // namespace

std::vector<ChangedSetting> changed_settings(const RunRecord& a, const MetricSet& metrics_a,
                                             const RunRecord& b, const MetricSet& metrics_b) {
  std::vector<ChangedSetting> changes;
  add(changes, "command", command_of(a), command_of(b));
  add_metrics(changes, metrics_a, metrics_b);
  const Json code_a = code_of(a), code_b = code_of(b);
  if (code_a.is_object() && code_b.is_object())
    for (const char* name : {"commit", "digest"})
      add(changes, std::string("code:") + name, text_of(code_a[name]), text_of(code_b[name]));
  for (const auto& [name, key] : {std::pair{"machine:cpu", "model"}, {"machine:cores", "cores"}})
    add(changes, name, text_of(a.machine["cpu"][key]), text_of(b.machine["cpu"][key]));
  add(changes, "machine:host", text_of(a.machine["hostname"]), text_of(b.machine["hostname"]));
  add(changes, "python", text_of(a.environment["interpreter"]["version"]),
      text_of(b.environment["interpreter"]["version"]));
  add_differences(changes, "variable:", variables_of(a.environment), variables_of(b.environment));
  if (a.environment["packages"].is_array() && b.environment["packages"].is_array())
    add_differences(changes, "package:", packages_of(a.environment), packages_of(b.environment));
  return changes;
}

}  // namespace forebay
