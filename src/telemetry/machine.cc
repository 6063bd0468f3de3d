#include "telemetry/machine.h"

#include <sys/utsname.h>

#include "base/file.h"
#include "telemetry/machine_collectors.h"
#include "telemetry/machine_parts.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\0')) text.pop_back();
  return text;
}

// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
std::optional<std::string> operating_system_name(const std::string& etc) {
  const auto text = read_file(etc + "/os-release", 64u << 10);
  if (!text) return std::nullopt;
  TextCursor cursor(*text);
  while (!cursor.at_end()) {
    std::string_view line = cursor.line();
    if (!line.starts_with("PRETTY_NAME=")) continue;
    line.remove_prefix(12);
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    return std::string(line.substr(0, 200));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> read_number_file(const std::string& path) {
  const auto text = read_file(path, 256);
  if (!text) return std::nullopt;
  return TextCursor(*text).number();
}

std::optional<std::string> container_kind(const MachineSources& sources) {
  if (path_exists(sources.root + "/var/run/secrets/kubernetes.io")) return "kubernetes";
  if (path_exists(sources.root + "/run/.containerenv")) return "podman";
  if (path_exists(sources.root + "/.dockerenv")) return "docker";
  const std::string groups = read_file(sources.proc + "/1/cgroup", 64u << 10).value_or("");
  if (groups.find("kubepods") != std::string::npos) return "kubernetes";
  if (groups.find("docker") != std::string::npos) return "docker";
  if (groups.find("/lxc") != std::string::npos) return "lxc";
  const std::string environment = read_file(sources.proc + "/1/environ", 1u << 20).value_or("");
  if (environment.starts_with("container=") ||
      environment.find(std::string("\0container=", 11)) != std::string::npos)
    return "container";
  return std::nullopt;
}

Json describe_machine(const MachineSources& sources) {
  Json machine = Json::object();
  utsname names{};
  if (::uname(&names) == 0) {
    machine.set("hostname", names.nodename);
    machine.set("kernel", std::string(names.sysname) + " " + names.release);
    machine.set("architecture", names.machine);
  }
  if (const auto id = read_file(sources.proc + "/sys/kernel/random/boot_id", 256))
    machine.set("boot_id", trimmed(*id));
  if (const auto name = operating_system_name(sources.etc)) machine.set("operating_system", *name);
  if (const auto kind = container_kind(sources)) machine.set("container", *kind);
  const std::string version = read_file(sources.proc + "/version", 4096).value_or("");
  machine.set("wsl",
              version.find("icrosoft") != std::string::npos || version.find("WSL") != std::string::npos);
  machine.set("cpu", describe_processor(sources));
  machine.set("memory", describe_memory(sources));
  machine.set("disks", describe_disks(sources));
  Json networks = Json::array();
  for (const std::string& name : list_networks(sources.proc)) networks.push(Json::object({{"name", name}}));
  machine.set("networks", std::move(networks));
  if (Json folder = describe_working_folder(sources); folder.size() > 0)
    machine.set("working_folder", std::move(folder));
  if (Json shared = describe_shared_memory(); shared.size() > 0)
    machine.set("shared_memory", std::move(shared));
  if (sources.with_gpus) describe_gpus(machine);
  return machine;
}

}  // namespace forebay
