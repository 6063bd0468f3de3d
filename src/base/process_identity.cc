#include "base/process_identity.h"

#include <unistd.h>

#include <array>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/number.h"

namespace forebay {

Json ProcessIdentity::to_json() const {
  return Json::object({{"boot_id", boot_id}, {"pid", pid}, {"start_ticks", start_ticks}});
}

std::optional<ProcessIdentity> ProcessIdentity::from_json(const Json& json) {
  const auto pid = json["pid"].as_integer();
  const auto start = json["start_ticks"].as_integer();
  if (!pid || !start || *pid <= 0) return std::nullopt;
  return ProcessIdentity{json["boot_id"].string_or_empty(), *pid, static_cast<std::uint64_t>(*start)};
}

std::optional<ProcessStat> parse_process_stat(const std::string& text) {
  // "pid (name) S ppid …": the name may contain ')' and spaces, so the last ')' ends it.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open || close + 2 >= text.size())
    return std::nullopt;
  ProcessStat stat;
  stat.pid = leading_integer(text).value_or(0);
  stat.name = text.substr(open + 1, close - open - 1);
  stat.state = text[close + 2];
  // Numbers from field 4 on; proc(5) counts from 1.
  constexpr std::size_t kFirst = 4, kLast = 24;
  std::array<std::int64_t, kLast + 1> fields{};
  std::string_view rest = std::string_view(text).substr(close + 3);
  for (std::size_t field = kFirst; field <= kLast; ++field) {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto value = leading_integer(rest, &rest);
    if (!value) return std::nullopt;
    fields[field] = *value;
  }
  stat.parent = fields[4];
  stat.process_group = fields[5];
  stat.session = fields[6];
  stat.user_ticks = static_cast<std::uint64_t>(fields[14]);
  stat.system_ticks = static_cast<std::uint64_t>(fields[15]);
  stat.threads = fields[20];
  stat.start_ticks = static_cast<std::uint64_t>(fields[22]);
  stat.resident_pages = fields[24];
  return stat;
}

std::optional<ProcessStat> read_process_stat(std::int64_t pid, const std::string& proc) {
  const auto text = read_file(fmt::format("{}/{}/stat", proc, pid), 8192);
  if (!text) return std::nullopt;
  return parse_process_stat(*text);
}

std::string current_boot_id() {
  static const std::string id = [] {
    std::string text = read_file("/proc/sys/kernel/random/boot_id", 256).value_or("");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }();
  return id;
}

std::optional<ProcessIdentity> identify(std::int64_t pid) {
  const auto stat = read_process_stat(pid);
  if (!stat) return std::nullopt;
  return ProcessIdentity{current_boot_id(), pid, stat->start_ticks};
}

ProcessIdentity own_identity() {
  return identify(::getpid()).value_or(ProcessIdentity{current_boot_id(), ::getpid(), 0});
}

bool is_alive(const ProcessIdentity& identity) {
  if (identity.boot_id != current_boot_id()) return false;
  const auto stat = read_process_stat(identity.pid);
  return stat && stat->start_ticks == identity.start_ticks && stat->state != 'Z' && stat->state != 'X';
}

std::vector<std::int64_t> descendants_of(std::int64_t root, const std::string& proc) {
  std::multimap<std::int64_t, std::int64_t> children;
  const auto names = list_directory(proc);
  if (!names) return {};
  for (const std::string& name : *names) {
    const std::int64_t pid = whole_integer(name).value_or(0);
    if (pid <= 0) continue;
    if (const auto stat = read_process_stat(pid, proc)) children.emplace(stat->parent, pid);
  }
  std::vector<std::int64_t> found{root};
  for (std::size_t i = 0; i < found.size() && found.size() < 1'000'000; ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto it = first; it != last; ++it) found.push_back(it->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace forebay
