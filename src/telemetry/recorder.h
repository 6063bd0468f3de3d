// The recorder: one thread that samples the run's process tree, the machine and the GPUs, drains the hook
// channel and reads progress from the log. It alone writes samples.seg, steps.seg, hook.json and
// progress.json. Its memory does not grow with the length of the run; nothing the job does to the hook folder
// or its log can stop it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "record/run_directory.h"
#include "telemetry/activity.h"

namespace forebay {

struct RecorderSettings {
  explicit RecorderSettings(RunDirectory run) : directory(std::move(run)) {}

  RunDirectory directory;
  // The tree is every descendant of this process (the warden); the process itself is not counted. 0 = none
  // yet: watch() later.
  std::int64_t root_pid = 0;
  // Folders of the run's own cgroup, where it has one (v1 memory controller or v2); the first with a readable
  // memory count wins.
  std::vector<std::string> cgroup_paths;
  Duration interval{1'000'000'000};  // between samples; at least 1 ms
  std::string hook_channel;          // FOREBAY_HOOK_DIR of the job; empty = no hook
  const Clock* clock = &system_clock();
  std::string proc = "/proc";  // mount points, for tests
  std::string sys = "/sys";
  bool watch_gpus = true;
  std::vector<std::string> gpu_reader_command;  // empty = own_program() gpu-reader
};

class Recorder {
 public:
  // Opens the files and starts the thread. Fails when the record cannot be written; never because something
  // cannot be measured.
  static Result<std::unique_ptr<Recorder>> start(RecorderSettings settings);
  // Stops if nobody did.
  virtual ~Recorder() = default;

  // Another root for the tree (each child of an attempt may have its own warden), with the folders of its
  // cgroup where it has one. Any thread.
  virtual void watch(std::int64_t root_pid, std::vector<std::string> cgroup_paths = {}) = 0;
  // Any thread, never waits for a measurement.
  virtual Activity activity() const = 0;
  // What the job wrote, in order, as it comes. Costs a bounded copy and never waits; what does not fit is
  // counted and left out (the end of a burst is kept: it is where errors are). Any thread, one at a time.
  virtual void feed_log(std::string_view bytes) = 0;
  // A last sample, rings drained, files written. Call after the tree has ended and before the hook channel's
  // folder is removed. Idempotent. The first failure to write, if there was one.
  virtual Result<void> stop() = 0;
};

}  // namespace forebay
