// What a supervisor is asked to run, under which limits, and how it ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "record/log_file.h"

namespace forebay {

struct WindowSize {
  std::uint16_t rows = 24;
  std::uint16_t columns = 80;
  bool operator==(const WindowSize&) const = default;
};

// Where a child's standard input comes from.
enum class InputSource {
  kNothing,  // /dev/null
  kClient,   // what the attached client sends; ends (end of file) when that client says so or goes away
};

struct ChildSpec {
  std::vector<std::string> argv;  // argv[0] is looked up in the PATH of `environment`
  std::string cwd;                // absolute; must exist
  std::map<std::string, std::string>
      environment;       // the whole of it; the run tag is added, private variables are removed
  bool use_pty = false;  // one stream through a pseudo-terminal; else pipes
  std::optional<WindowSize> window_size;  // of the pty; the attached client changes it later
  InputSource input = InputSource::kNothing;
  LogStream stream = LogStream::kOutput;  // what standard output is recorded as
  bool separate_error =
      true;  // pipes: standard error is recorded as kError; else both share `stream`, in order
  std::optional<Bytes> memory_limit;  // of the whole tree
  Duration grace{10'000'000'000};     // between a polite stop and SIGKILL
  Duration leftover_grace{
      2'000'000'000};         // the same for what is still there after the child itself has ended
  bool despite_stop = false;  // start it also when the attempt was asked to stop (saving outputs)
};

// All from the child's start, all optional. The strictest that applies wins.
struct Limits {
  std::optional<Duration> max_duration;
  std::optional<Duration> budget;     // how long the money lasts
  std::optional<Duration> idle_stop;  // no CPU, GPU, I/O, step or log line for so long
  std::optional<Duration> hang_stop;  // no step, no log line and no I/O for so long
  // A slice is wanted, not the whole job (a probe): so many training steps of one process, or so long.
  std::optional<std::int64_t> slice_steps;
  std::optional<Duration> slice_duration;
};

// Why the supervisor ended the child; kNone when the child ended by itself.
enum class StopReason {
  kNone,
  kCancelled,   // a person asked (`stop`, Ctrl-C, SIGTERM to the client)
  kTerminated,  // the supervisor itself got SIGTERM: the machine shuts down
  kMaxDuration,
  kBudget,
  kIdle,
  kHang,
  kSlice,              // the slice that was wanted has been seen
  kMemoryLimit,        // the child's own limit
  kKernelOutOfMemory,  // the kernel killed (part of) it: the machine or the container ran out
  kLogFailed,          // the log could not be written (disk full): infrastructure
  kWardenLost,         // the process between supervisor and child was killed: infrastructure
};
std::string_view stop_reason_name(StopReason reason);

// Why a child was not started.
struct StartFailure {
  int exit_code = 127;  // 127: there is no such command; 126: it cannot be executed
  int error_number = 0;
  std::string sentence;  // English, for people
};

// Memory of the tree at one moment. Absent is not known.
struct TreeMemory {
  std::optional<Bytes> resident;      // sum of RSS: shared pages counted in every process
  std::optional<Bytes> proportional;  // sum of PSS: shared pages counted once
  std::optional<Bytes> group;         // what the cgroup is charged with, page cache included
  int processes = 0;
  std::int64_t largest_pid = 0;
  std::string largest_name;
};

struct ChildOutcome {
  std::optional<StartFailure> start_failure;  // then nothing below but stop_reason is set
  std::optional<int> exit_code;
  std::optional<int> signal;
  bool core_dumped = false;
  StopReason stop_reason = StopReason::kNone;
  std::string stop_sentence;  // English; empty when the child ended by itself
  Instant started;
  Instant ended;
  Duration duration;                             // monotonic
  std::optional<Duration> cpu_user, cpu_system;  // of the child and the descendants it waited for
  std::optional<Bytes> peak_memory;  // highest known of the tree (cgroup without cache where measured, else
                                     // the largest process)
  std::optional<TreeMemory> memory_before_end;  // the last measurement, where a memory limit was watched
  std::uint64_t log_bytes = 0;                  // written to the log for this child
  std::uint64_t lost_log_bytes = 0;             // read from the child after the log had failed
  int leftovers_killed = 0;                     // descendants that were still there when the child had ended
  std::vector<std::int64_t>
      unkillable;  // pids that survived SIGKILL (stuck in the kernel, or another user's)

  bool succeeded() const { return !start_failure && stop_reason == StopReason::kNone && exit_code == 0; }
};

}  // namespace forebay
