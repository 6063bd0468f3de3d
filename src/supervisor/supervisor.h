// The owner of an attempt's child processes: starts them below a warden, records every byte they write,
// applies limits, serves clients on a Unix socket, and returns when no process of the child is left. Threads:
// create, use and destroy on one thread, and create before any other thread is started (signals are blocked
// here and inherited by later threads). Units: monotonic nanoseconds. Errors: only what prevents supervising
// at all; how a child ended (also that it could not be started) is a value.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "record/run_directory.h"
#include "supervisor/child.h"
#include "supervisor/limits.h"

namespace forebay {

// The environment variable that every process of a run carries.
inline constexpr const char* kRunTagVariable = "FOREBAY_RUN_TAG";

struct SupervisorSettings {
  RunDirectory directory;
  const Clock& clock;
  std::string run_tag;     // unique to the attempt; letters, digits, '-', '_', '.'
  bool use_cgroup = true;  // false: watch and kill without one (tests, or a machine where they misbehave)
  Duration log_stall{
      30'000'000'000};  // a log that cannot be written holds the child up for so long, then stops it
};

struct StartedChild {
  pid_t warden = 0;  // the tree is every descendant of this process: Recorder::watch(warden)
  pid_t child = 0;
  // The run's own groups (v1: memory, freezer …; v2: one); empty where there are none.
  std::vector<std::string> cgroup_paths;
};

// All optional. Called on the supervisor's thread; they must not block.
struct SupervisorHooks {
  // Once its exec succeeded.
  std::function<void(const StartedChild&)> on_child_started;
  // After the bytes are in the log.
  std::function<void(std::string_view bytes)> on_log;
  // Asked about once a second while an idle or hang limit is set, ten times a second while steps are
  // counted, and when a client asks for the status.
  std::function<Activity()> activity;
  // "signal", "stop", "limit", "out-of-memory", "log-stalled", "log-resumed", "log-failed", "warden-lost",
  // "unkillable".
  std::function<void(const std::string& name, const Json& details)> on_event;
};

class Supervisor {
 public:
  // Opens the log and the socket, writes supervisor.json (durably), becomes subreaper.
  static Result<Supervisor> create(SupervisorSettings settings);
  Supervisor(Supervisor&&) noexcept;
  Supervisor& operator=(Supervisor&&) noexcept;
  ~Supervisor();  // clients see the end of the connection

  // Runs one child to its end and to the end of all its descendants. May be called again.
  Result<ChildOutcome> run(const ChildSpec& spec, const Limits& limits, const SupervisorHooks& hooks);

  // A sentence of Forebay's own, into the log as kForebay (ends with a newline) and so to the clients.
  Result<void> remark(std::string_view sentence);
  // Serves waiting clients without blocking; call it between children when something else takes long.
  void serve_clients();
  // True once a client or SIGTERM asked for the end. A later run() starts nothing unless spec.despite_stop.
  bool stop_requested() const;
  // kNone until stop_requested().
  StopReason requested_stop() const;
  std::uint64_t log_bytes() const;
  Result<void> flush_log();  // fdatasync: the log survives power loss

 private:
  struct State;
  explicit Supervisor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace forebay
