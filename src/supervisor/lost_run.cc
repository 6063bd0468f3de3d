#include "supervisor/lost_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "record/run_record.h"
#include "supervisor/cgroup.h"
#include "supervisor/process_tree.h"
#include "supervisor/supervisor.h"

namespace forebay {
namespace {

constexpr std::int64_t kKillPatience = 5'000'000'000;
constexpr std::int64_t kPause = 10'000'000;

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// The caller and those above it are never survivors, even when a job itself asks about its lost run.
std::set<std::int64_t> own_line(const std::vector<ProcessStat>& processes) {
  std::map<std::int64_t, std::int64_t> parent_of;
  for (const ProcessStat& process : processes) parent_of[process.pid] = process.parent;
  std::set<std::int64_t> line;
  for (std::int64_t pid = ::getpid(); pid > 0 && line.insert(pid).second;) {
    const auto found = parent_of.find(pid);
    pid = found == parent_of.end() ? 0 : found->second;
  }
  return line;
}

struct Found {
  ProcessStat stat;
  std::string how;
};

std::vector<Found> find(const SupervisorRecord& record) {
  const auto processes = all_processes();
  const auto excluded = own_line(processes);
  std::map<std::int64_t, Found> found;
  const auto add = [&](const ProcessStat& process, const std::string& how) {
    if (process.state == 'Z' || process.state == 'X' || excluded.contains(process.pid)) return;
    found.emplace(process.pid, Found{process, how});
  };
  std::set<std::int64_t> in_group;
  for (const std::int64_t pid : Cgroup::adopt(record.cgroups).members()) in_group.insert(pid);
  const std::string entry = fmt::format("{}={}", kRunTagVariable, record.run_tag);
  for (const ProcessStat& process : processes) {
    if (in_group.contains(process.pid))
      add(process, "cgroup");
    else if (!record.run_tag.empty() && has_environment_entry(process.pid, entry))
      add(process, "tag");
  }
  for (const auto& identity : {record.warden, record.child})
    if (identity && identity->boot_id == current_boot_id())
      for (const ProcessStat& process : processes)
        if (process.pid == identity->pid && process.start_ticks == identity->start_ticks)
          add(process, "descent");
  std::vector<std::int64_t> roots;
  for (const auto& [pid, one] : found) roots.push_back(pid);
  for (const std::int64_t root : roots)
    for (const ProcessStat& process : below(processes, root)) add(process, "descent");
  std::vector<Found> all;
  for (auto& [pid, one] : found) all.push_back(std::move(one));
  return all;
}

std::vector<ProcessStat> stats_of(const std::vector<Found>& found) {
  std::vector<ProcessStat> stats;
  for (const Found& one : found) stats.push_back(one.stat);
  return stats;
}

Json identity_json(const std::optional<ProcessIdentity>& identity) {
  return identity ? identity->to_json() : Json();
}

}  // namespace

Json SupervisorRecord::to_json() const {
  return Json::object({{"supervisor", supervisor.to_json()},
                       {"warden", identity_json(warden)},
                       {"child", identity_json(child)},
                       {"run_tag", run_tag},
                       {"host", host},
                       {"socket", socket},
                       {"cgroups", cgroups}});
}

Result<SupervisorRecord> read_supervisor_record(const RunDirectory& directory) {
  FOREBAY_TRY(const Json json, read_json_file(directory.supervisor()));
  const auto supervisor = ProcessIdentity::from_json(json["supervisor"]);
  if (!supervisor)
    return make_error(ErrorCode::kCorrupt, "read", directory.supervisor(), "it names no supervisor");
  SupervisorRecord record;
  record.supervisor = *supervisor;
  record.warden = ProcessIdentity::from_json(json["warden"]);
  record.child = ProcessIdentity::from_json(json["child"]);
  record.run_tag = json["run_tag"].string_or_empty();
  record.host = json["host"].string_or_empty();
  record.socket = json["socket"].string_or_empty();
  for (const Json& path : json["cgroups"].items()) record.cgroups.push_back(path.string_or_empty());
  return record;
}

SupervisorPresence presence_of(const SupervisorRecord& record) {
  if (record.supervisor.boot_id != current_boot_id())
    return !record.host.empty() && record.host != this_host() ? SupervisorPresence::kElsewhere
                                                              : SupervisorPresence::kGone;
  return is_alive(record.supervisor) ? SupervisorPresence::kAlive : SupervisorPresence::kGone;
}

std::vector<Survivor> find_survivors(const SupervisorRecord& record) {
  std::vector<Survivor> survivors;
  if (presence_of(record) == SupervisorPresence::kElsewhere) return survivors;
  for (const Found& one : find(record))
    survivors.push_back(Survivor{one.stat.pid, one.stat.name, one.how, false});
  return survivors;
}

Result<std::vector<Survivor>> stop_tree_of(const SupervisorRecord& record, const Clock& clock,
                                           Duration grace) {
  const std::string run = fmt::format("the processes of {}", record.run_tag);
  const SupervisorPresence presence = presence_of(record);
  if (presence == SupervisorPresence::kAlive)
    return make_error(ErrorCode::kConflict, "end", run, "their supervisor is alive", "Use forebay stop");
  if (presence == SupervisorPresence::kElsewhere)
    return make_error(ErrorCode::kUnsupported, "end", run,
                      fmt::format("they ran on the machine {}", record.host), "Do it there");
  std::map<std::int64_t, Survivor> survivors;
  const auto look = [&] {
    const auto found = find(record);
    for (const Found& one : found)
      survivors.emplace(one.stat.pid, Survivor{one.stat.pid, one.stat.name, one.how, false});
    return stats_of(found);
  };
  for (const ProcessStat& process : look()) {
    signal_exactly(process, SIGTERM);
    if (process.state == 'T') signal_exactly(process, SIGCONT);
  }
  const std::int64_t begin = clock.monotonic_ns();
  std::vector<ProcessStat> left;
  while (!(left = look()).empty() && clock.monotonic_ns() - begin < grace.nanoseconds)
    clock.sleep(Duration{kPause});
  const Cgroup group = Cgroup::adopt(record.cgroups);
  while (!left.empty() && clock.monotonic_ns() - begin < grace.nanoseconds + kKillPatience) {
    group.kill();
    kill_hard(look, [&group](bool frozen) { return group.freeze(frozen); });
    clock.sleep(Duration{kPause});
    left = look();
  }
  group.remove();
  std::vector<Survivor> report;
  for (auto& [pid, survivor] : survivors) {
    survivor.gone = std::none_of(left.begin(), left.end(), [wanted = pid](const ProcessStat& process) {
      return process.pid == wanted;
    });
    report.push_back(survivor);
  }
  return report;
}

}  // namespace forebay
