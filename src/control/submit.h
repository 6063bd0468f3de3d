// From a job to an attempt that owns it. Intent is written before any effect: directory, then row, then
// process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "jobs/run_repository.h"
#include "record/run_directory.h"
#include "spec/job.h"

namespace forebay {

// A slice of the job instead of the whole: whichever comes first.
struct ProbeSlice {
  std::int64_t steps = 50;  // that are measured, after
  std::int64_t warmup_steps = 5;
  Duration longest{300'000'000'000};  // from the command's start
};

struct SubmitRequest {
  Job job;
  std::string job_text;  // the job file as given; empty for a bare command
  std::string folder;    // absolute: where the job runs
  std::string state_folder;
  std::optional<Money> price_per_hour;
  double sample_hz = 1;  // 1 … 20
  bool isolate = false;
  bool use_hook = true;
  bool resume = false;   // name the newest whole checkpoint to the job (retry)
  bool use_pty = false;  // the caller sits at a terminal
  int columns = 80, rows = 24;
  bool forward_input = false;  // the caller will send its standard input
  std::optional<ProbeSlice> probe;
  std::string parent;     // the run this one repeats
  std::string code_from;  // record directory whose code snapshot is restored into `folder` (rerun)
};

struct Submission {
  RunRow row;
  RunDirectory directory;
};

// Returns when the attempt has taken the run over: from then on it goes on whatever happens to the caller.
// When this process dies before that, the run becomes `never-started` and is not started later.
Result<Submission> submit_run(const SubmitRequest& request);

// One line for listings: the command or the job's script, cut to 200 bytes.
std::string command_line_of(const Job& job);
std::string default_job_name(const Job& job);

}  // namespace forebay
