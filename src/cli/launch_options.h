// What `run`, `submit` and `rerun` have in common: options, reading the job, checking it, submitting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "control/submit.h"
#include "spec/job_file.h"

namespace forebay {

struct LaunchOptions {
  std::string file;                  // job file; empty for a bare command
  std::vector<std::string> command;  // after "--"
  std::string name;
  std::string on;
  std::string folder;  // --workdir
  std::vector<std::string> variables;
  std::string price;
  std::string sample;
  std::string max_duration, idle_stop, hang_stop, memory;
  bool isolate = false;
  bool no_hook = false;
  bool dry_run = false;

  void declare(CommandLine& line);
  // Without limits and the hook's switch: for `probe`, which has its own.
  void declare_job(CommandLine& line);
};

struct ReadJob {
  Job job;
  std::string text;
  JobSource source;
  std::string folder;  // of the job file
};
// Reads a job file; its problems are printed, the first is the error.
Result<ReadJob> read_job_file(const std::string& file, const Console& console);

// The whole request, or the first problem; all problems of a job file are printed by this call.
Result<SubmitRequest> make_request(const LaunchOptions& options, const Console& console);

// Limits given as options, onto a job.
Result<void> apply_limits(const LaunchOptions& options, Job& job);

// "2.5 USD/h" or "2.5 USD".
Result<Money> parse_price_per_hour(const std::string& text);

// What --dry-run shows: sentences, or as JSON {"dry_run", "folder", "job"}.
void print_dry_run(const Job& job, const std::string& folder, const Console& console);

}  // namespace forebay
