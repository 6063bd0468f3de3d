// The warden: a small process between the supervisor and the child. It is the subreaper of all that descends
// from the child, so nothing escapes by forking twice; it reaps; it ends the tree when the supervisor dies,
// and dies with nothing left.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "supervisor/cgroup.h"
#include "supervisor/exec_plan.h"

namespace forebay {

// What the warden says, one message of a SOCK_SEQPACKET socket each.
struct WardenReport {
  enum class Kind : int {
    kStarted = 1,  // exec succeeded; `pid`
    kFailed,       // `failure`; the warden ends
    kExited,       // the child was reaped: `status`, `usage`
    kEmpty,        // no descendant is left; the warden ends
  };
  Kind kind = Kind::kFailed;
  pid_t pid = 0;
  int status = 0;
  ExecFailure failure;
  rusage usage{};
};

struct Warden {
  pid_t pid = 0;
  UniqueFd channel;  // non-blocking; its end of file = the warden is gone
};

// Forks the warden; it waits for release_warden() before it starts the child. `plan` and `cgroup` are used by
// the new process only.
Result<Warden> start_warden(const ExecPlan& plan, const std::optional<Cgroup>& cgroup);
bool release_warden(const Warden& warden);
// Nothing when there is none now; kind kEmpty with pid 0 stands for the end of the channel.
struct WardenMessage {
  bool closed = false;
  WardenReport report;
};
std::optional<WardenMessage> read_warden(const Warden& warden);

}  // namespace forebay
