// What the code needs and how it gets it: the active environment as it is, or an isolated one built from the
// project's files.
//
//   EnvironmentRequest → plan_environment → run plan.commands in order, as supervised children → finish_plan
//   → start the job with apply_plan's variables → describe_environment (describe.h) beside the running job.
//
// A job that does not use Python costs nothing here: no file of the project is read, no process is started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace forebay {

struct EnvironmentRequest {
  std::string workdir;               // absolute
  std::vector<std::string> command;  // argv; one element when it is a shell line
  bool shell = false;                // true: command[0] is given to sh -c
  std::optional<std::string> setup;  // the job's setup line; only looked at to say what it may change

  // What the job file states. Absent = looked for in workdir.
  std::optional<std::string> python_version;  // "3.11", "3.11.7"
  std::optional<std::string>
      requirements;  // path of a requirements.txt, pyproject.toml or lock file, relative to workdir
  std::optional<std::string> conda;  // path of an environment.yml
  bool isolate = false;              // --isolate

  std::map<std::string, std::string> variables;         // environment.variables of the job file
  std::vector<std::string> secrets;                     // environment.secrets: names
  std::map<std::string, std::string> base_environment;  // what the caller's shell had (the job inherits it)

  std::optional<int> cpus;          // a fixed number of cores for this job
  std::optional<int> gpus;          // a fixed number of GPUs for this job
  std::optional<int> machine_gpus;  // how many this machine has

  std::string run_id;
  std::string record_folder;  // where files of the preparation are kept (the run's directory)
  std::string cache_folder;   // base/installation.h cache_folder()
};

// One child process of the preparation. Its output belongs in the log (stream 3).
struct PreparationCommand {
  std::vector<std::string> argv;
  std::string cwd;
  std::map<std::string, std::string> variables;  // added to the job's environment
  std::string purpose;                           // a translated sentence: what it does
};

// Something a person should know. `code` is stable, `sentence` translated.
struct Remark {
  std::string code;
  std::string sentence;
  Json details;  // machine-readable; may be null
  Json to_json() const;
};

struct EnvironmentPlan {
  std::vector<PreparationCommand> commands;  // empty: the active environment is used as it is
  std::map<std::string, std::string>
      variables;                   // to set for the job (PATH and VIRTUAL_ENV of an isolated one included)
  std::vector<std::string> unset;  // to remove from what it inherits
  std::map<std::string, std::string> secrets;  // to set; never written anywhere
  Json description;  // environment.json as far as known before the start; secret-free
  std::vector<Remark> remarks;
  // The command that runs the job's own Python interpreter, without arguments for it (empty: the job uses
  // none that is known).
  std::vector<std::string> interpreter;
  Json probe_request;           // what describe_environment asks that interpreter
  std::string isolated_result;  // file in which the build says what it made; finish_plan reads it
};

// Reads the project's files; starts a process only when the job file states what Python needs (the active
// environment is then checked, at most 10 s) or --isolate is given. Errors: kNotFound a stated file or a
// secret is missing (all are named); kInvalidInput a version or file that cannot be read; kUnsupported the
// conda part of an environment.yml (by name).
Result<EnvironmentPlan> plan_environment(const EnvironmentRequest& request);

// After all commands ended with 0: fills in where the isolated environment lies, its lock and its variables.
Result<void> finish_plan(const EnvironmentRequest& request, EnvironmentPlan& plan);

// base + the plan's variables and secrets − unset: what the job starts with (before Forebay's own FOREBAY_…
// variables).
std::map<std::string, std::string> apply_plan(const std::map<std::string, std::string>& base,
                                              const EnvironmentPlan& plan);

}  // namespace forebay
