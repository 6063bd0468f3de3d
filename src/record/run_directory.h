// What lies where in a run's directory, and the small whole files in it. docs/record-format.md describes
// each.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace forebay {

// Kinds of segment files.
enum class SegmentKind : std::uint32_t { kLog = 1, kSamples = 2, kSteps = 3, kEvents = 4 };
// Frame type 1 in every segment: one log chunk / sample / step row / event (JSON). Unknown types are skipped.
constexpr std::uint8_t kFrameEntry = 1;

constexpr int kRecordVersion = 1;

// The paths of one run record. Cheap to copy.
class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  std::string format() const { return file("format"); }  // "forebay-run-record 1\n"
  std::string job_text() const {
    return file("job.yaml");
  }  // as the person gave it; absent for a bare command
  std::string job() const { return file("job.json"); }  // the resolved job (spec room's JSON form)
  std::string launch() const {
    return file("launch.json");
  }  // id, argv, cwd, creation, host, options of this run
  std::string environment() const { return file("environment.json"); }  // what the environment was
  std::string code() const { return file("code"); }                     // folder: the code's snapshot
  std::string machine() const { return file("machine.json"); }          // CPU, memory, disks, GPUs, kernel
  std::string outcome() const { return file("outcome.json"); }          // how it ended; written once, durably
  std::string findings() const { return file("findings.json"); }
  std::string bill() const { return file("bill.json"); }
  // What copies between times replaced in the destinations: {"replaced": [paths]}.
  std::string replaced() const { return file("replaced.json"); }
  std::string outputs() const { return file("outputs.json"); }  // what was copied where, with checksums
  std::string hook_facts() const {
    return file("hook.json");
  }  // facts of every hooked process, coverage, losses
  std::string progress() const { return file("progress.json"); }  // the latest step/loss lines, rewritten
  std::string supervisor() const {
    return file("supervisor.json");
  }  // identity of the supervisor and the child, socket path
  std::string supervisor_log() const { return file("supervisor.log"); }
  std::string hook_channel() const {
    return file("hook");
  }  // folder of rings, or a link to it in memory; removed at the end
  std::string reserve() const {
    return file("reserve");
  }  // room kept free for the last files, should the disk become full
  std::string samples() const { return file("samples.seg"); }
  std::string steps() const { return file("steps.seg"); }
  std::string events() const { return file("events.seg"); }
  // The log is split at about 64 MiB: log-000001.seg, log-000002.seg …
  std::string log_segment(int number) const;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// <state folder>/runs/<id>
RunDirectory run_directory(const std::string& state_folder, const std::string& run_id);
// Creates the folder (0700) with its format file.
Result<void> create_run_directory(const RunDirectory& directory);
// kUnsupported with a sentence when the record was written by a newer format; kNotFound when there is none.
Result<void> check_record_version(const RunDirectory& directory);

}  // namespace forebay
