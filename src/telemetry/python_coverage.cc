#include "telemetry/python_coverage.h"

#include <unistd.h>

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "base/file.h"

namespace forebay {
namespace {

constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kMostNamed = 50;
constexpr std::size_t kLongestCommand = 256;
constexpr int kLooksPerUpdate = 64;  // a tree that starts thousands of processes a second must not cost more
constexpr std::int64_t kSecondLook = 1'000'000'000;  // by then a fork has become what it will be
constexpr std::int64_t kPatience =
    3'000'000'000;  // an interpreter that has not reported itself by then will not

std::string_view next_argument(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view argument = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return argument;
}

}  // namespace

bool is_python_program(std::string_view executable) {
  const std::string_view name =
      executable.substr(executable.rfind('/') == std::string_view::npos ? 0 : executable.rfind('/') + 1);
  return name.starts_with("python") || name.starts_with("pypy");
}

bool is_isolated_python(std::string_view command_line) {
  std::string_view rest = command_line;
  next_argument(rest);
  while (!rest.empty()) {
    const std::string_view argument = next_argument(rest);
    if (argument.size() < 2 || argument[0] != '-' || argument[1] == '-') return false;
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const char flag = argument[i];
      if (flag == 'I' || flag == 'E' || flag == 'S') return true;
      if (flag == 'c' || flag == 'm') return false;
      if (flag == 'W' || flag == 'X') {  // takes the rest, or the next argument
        if (i + 1 == argument.size()) next_argument(rest);
        break;
      }
    }
  }
  return false;
}

void PythonCoverage::look_at(Entry& entry) {
  ++entry.looks;
  char link[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("{}/{}/exe", proc_, entry.pid).c_str(), link, sizeof link);
  if (length <= 0) return;
  entry.is_python = is_python_program(std::string_view(link, static_cast<std::size_t>(length)));
  if (!entry.is_python) return;
  entry.command = read_file(fmt::format("{}/{}/cmdline", proc_, entry.pid), 1u << 20)
                      .value_or("")
                      .substr(0, kLongestCommand);
}

std::string PythonCoverage::reason_for(const Entry& entry) const {
  if (is_isolated_python(entry.command)) return "isolated";
  const auto environment = read_file(fmt::format("{}/{}/environ", proc_, entry.pid), 2u << 20);
  if (!environment) return "unknown";
  std::string_view rest = *environment;
  bool has_channel = false, has_path = false;
  while (!rest.empty()) {
    const std::string_view variable = next_argument(rest);
    has_channel = has_channel || variable.starts_with("FOREBAY_HOOK_DIR=");
    has_path = has_path || (variable.starts_with("PYTHONPATH=") && !hook_.empty() &&
                            variable.find(hook_) != std::string_view::npos);
  }
  return has_channel && has_path ? "unknown" : "environment";
}

void PythonCoverage::judge(Entry& entry, const std::set<std::int64_t>& seen, std::int64_t now_ns) {
  if (entry.verdict == Verdict::kCovered) return;
  if (seen.contains(entry.pid)) {
    entry.is_python = true;
    entry.verdict = Verdict::kCovered;
    return;
  }
  if (!entry.is_python || entry.looks < 2) return;
  // Forked without exec: what its parent loaded, it has too.
  const auto parent = std::ranges::find(entries_, entry.parent, &Entry::pid);
  if (parent != entries_.end() && parent->verdict == Verdict::kCovered && parent->command == entry.command) {
    entry.verdict = Verdict::kCovered;
    return;
  }
  if (entry.verdict == Verdict::kUndecided && now_ns - entry.first_seen_ns >= kPatience) {
    entry.verdict = Verdict::kNotCovered;
    entry.reason = reason_for(entry);
  }
}

Json PythonCoverage::describe(const Entry& entry) {
  std::string command = entry.command;
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return Json::object({{"pid", entry.pid}, {"command", command}, {"reason", entry.reason}});
}

void PythonCoverage::close(const Entry& entry) {
  if (!entry.is_python) return;
  ++ended_python_;
  if (entry.verdict == Verdict::kCovered) ++ended_covered_;
  if (entry.verdict == Verdict::kUndecided) ++short_lived_;
  if (entry.verdict != Verdict::kNotCovered) return;
  ++ended_not_covered_;
  if (not_covered_.size() < kMostNamed) not_covered_.push_back(describe(entry));
}

void PythonCoverage::update(std::span<const TreeProcess> processes, const std::set<std::int64_t>& seen,
                            std::int64_t now_ns) {
  for (Entry& entry : entries_) entry.present = false;
  int looks = kLooksPerUpdate;
  for (const TreeProcess& process : processes) {
    auto at = std::ranges::lower_bound(entries_, process.pid, {}, &Entry::pid);
    if (at == entries_.end() || at->pid != process.pid || at->start_ticks != process.start_ticks) {
      if (at != entries_.end() && at->pid == process.pid) {
        close(*at);
        *at = Entry{};
      } else {
        if (entries_.size() >= kMostEntries) continue;
        at = entries_.insert(at, Entry{});
      }
      at->pid = process.pid;
      at->start_ticks = process.start_ticks;
      at->parent = process.parent;
      at->first_seen_ns = now_ns;
    }
    at->present = true;
    if (process.state == 'Z') continue;
    if (looks > 0 && (at->looks == 0 || (at->looks == 1 && now_ns - at->first_seen_ns >= kSecondLook))) {
      --looks;
      look_at(*at);
    }
  }
  for (Entry& entry : entries_) {
    judge(entry, seen, now_ns);
    if (entry.is_python && met_.size() < kMostEntries) met_.insert(entry.pid);
  }
  std::erase_if(entries_, [this](const Entry& entry) {
    if (!entry.present) close(entry);
    return !entry.present;
  });
}

Json PythonCoverage::to_json(const std::set<std::int64_t>& seen) const {
  std::int64_t python = ended_python_, covered = ended_covered_, not_covered = ended_not_covered_;
  const auto never_met =
      std::ranges::count_if(seen, [this](std::int64_t pid) { return !met_.contains(pid); });
  if (met_.size() < kMostEntries) python += never_met, covered += never_met;
  Json named = Json::array();
  for (const Json& each : not_covered_) named.push(each);
  for (const Entry& entry : entries_) {
    if (!entry.is_python) continue;
    ++python;
    if (entry.verdict == Verdict::kCovered) ++covered;
    if (entry.verdict != Verdict::kNotCovered) continue;
    ++not_covered;
    if (named.size() < kMostNamed) named.push(describe(entry));
  }
  return Json::object({{"python_processes", python},
                       {"covered", covered},
                       {"short_lived", short_lived_},
                       {"not_covered_processes", not_covered},
                       {"not_covered", named}});
}

}  // namespace forebay
