// What a limit (idle, hang, memory) needs to know about a running job.
#pragma once

#include <cstdint>
#include <optional>

namespace forebay {

// All times are CLOCK_MONOTONIC nanoseconds; absent = never seen (which is not the same as "long ago": a
// source that cannot be read stays absent, so a limit must ask the others).
struct Activity {
  std::int64_t started_ns = 0;              // when the recorder began
  std::optional<std::int64_t> sampled_ns;   // the newest sample; old = the sampler itself is late
  std::optional<std::int64_t> last_cpu_ns;  // tree used at least 2 % of one core over a second
  std::optional<std::int64_t>
      last_io_ns;  // tree moved at least 16 KiB/s (files, pipes, sockets) over a second
  std::optional<std::int64_t>
      last_gpu_ns;  // a GPU of the run was busy (all visible ones when nobody can tell whose they are)
  std::optional<std::int64_t> last_step_ns;  // the newest span a hooked process reported
  std::optional<std::int64_t> last_log_ns;   // the newest byte of output
  std::optional<std::int64_t>
      last_progress_ns;  // the newest step, epoch or bar in the log that differs from the one before

  bool cpu_known = false;  // the tree's CPU time could be read at all; likewise for the others
  bool io_known = false;
  bool gpu_known = false;

  std::optional<std::int64_t> memory_bytes;  // now: the run's cgroup where it has one, else the tree's RSS
  std::optional<std::int64_t> peak_memory_bytes;
  std::optional<double> cpu_seconds;  // of the tree since the recorder began
  std::int64_t processes = 0;         // in the tree at the last sample
  std::int64_t steps = 0;             // optimiser steps seen, all processes
  std::int64_t most_steps = 0;        // of the process that made most: ranks step together
};

}  // namespace forebay
