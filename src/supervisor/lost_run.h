// What to do when a supervisor is not there any more: find what it left running, by run tag, cgroup and
// identity, and end it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process_identity.h"
#include "base/result.h"
#include "record/run_directory.h"

namespace forebay {

// supervisor.json as types.
struct SupervisorRecord {
  ProcessIdentity supervisor;
  std::optional<ProcessIdentity> warden;
  std::optional<ProcessIdentity> child;
  std::string run_tag;
  std::string host;
  std::string socket;
  std::vector<std::string> cgroups;  // folders made for the run; empty where there are none

  Json to_json() const;
};
Result<SupervisorRecord> read_supervisor_record(const RunDirectory& directory);

enum class SupervisorPresence {
  kAlive,
  kGone,       // dead, or the machine was started again since
  kElsewhere,  // the record was written on another machine: not known here
};
SupervisorPresence presence_of(const SupervisorRecord& record);

struct Survivor {
  std::int64_t pid = 0;
  std::string name;
  std::string found_by;  // "tag", "cgroup", "descent"
  bool gone = false;     // after SIGKILL
};

// Every process of the run that is still there (zombies and the caller with its ancestors excepted).
std::vector<Survivor> find_survivors(const SupervisorRecord& record);
// SIGTERM, `grace`, SIGKILL until none is left or nothing more can be done; removes the cgroups. kConflict
// while the supervisor is alive, kUnsupported when it is elsewhere.
Result<std::vector<Survivor>> stop_tree_of(const SupervisorRecord& record, const Clock& clock,
                                           Duration grace = Duration{1'000'000'000});

}  // namespace forebay
