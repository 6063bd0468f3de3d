// The command line's end of a supervisor's socket, and following a run's log in front of a person.
// What is shown is read from the record, so it is on disk before anybody sees it; the socket only wakes,
// signals and feeds. Threads: one at a time per object.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "record/line_stamper.h"
#include "record/log_file.h"
#include "record/run_directory.h"
#include "supervisor/child.h"

namespace forebay {

class Connection;

enum class StopRequest {
  kInterrupt,  // as Ctrl-C: SIGINT to the foreground group, SIGTERM after the grace, then SIGKILL
  kTerminate,  // SIGTERM, then SIGKILL after the grace
  kNow,        // SIGKILL
};

class Client {
 public:
  // kUnavailable when no supervisor answers there; kUnsupported when it speaks another version.
  static Result<Client> connect(const RunDirectory& directory);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();
  // Returns when the supervisor has taken it; kUnavailable when it does not answer.
  Result<void> request_stop(StopRequest request);
  // {"state": "running"|"stopping"|"between", "child_pid", "log_bytes", "stop_reason", and while a child runs
  // "elapsed_ns", "steps" (of the process that made most), "cpu_seconds", "memory_bytes" …}; kTimeout when it
  // does not answer.
  Result<Json> status(Duration timeout);
  int descriptor() const;

 private:
  explicit Client(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

struct FollowSettings {
  RunDirectory directory;
  const Clock& clock;
  LogPosition from;  // where to begin in the log
  bool attached =
      false;  // `run`: signals and Ctrl-C go to the run. Else (`logs -f`) they only end the following
  bool feed_input = false;  // send standard input to the run (the child must have InputSource::kClient)
  bool raw_terminal =
      false;              // the run has a pty: the terminal on standard input is put into raw mode meanwhile
  bool until_end = true;  // false: show what is there and return
  int input = 0, output = 1, error = 2;
  std::optional<LineStamper> stamper;  // puts the time before every line
};

enum class FollowEnd {
  kRunEnded,      // the supervisor is gone and the log is shown to its end
  kOutputClosed,  // nobody reads our output any more: end quietly, the run goes on
  kDetached,      // SIGHUP, or a signal to a follower that is not attached; the run goes on
};

struct FollowResult {
  FollowEnd end = FollowEnd::kRunEnded;
  LogPosition position;
  std::optional<int> signal;  // that made us leave
};

// Shows the log as it grows: kOutput and kSetup on `output`, kError and kForebay on `error`. With `attached`:
// the first Ctrl-C asks the run to stop (SIGINT), the second kills it now; SIGTERM asks it to stop; SIGHUP or
// death of this process leaves it running; Ctrl-Z suspends only this display. The terminal is restored on
// every way out. Signal handlers are put back.
Result<FollowResult> follow(const FollowSettings& settings);

// The window size of a terminal; nothing when it is none.
std::optional<WindowSize> terminal_size(int fd);

}  // namespace forebay
