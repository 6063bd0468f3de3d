// A job: what a person asks for, as types. Made from a job file (job_file.h), from a command line, or from
// its own JSON. Every optional field is absent when it was not given; nothing here is a default. Plain
// values, freely copied between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"
#include "spec/place.h"

namespace forebay {

// "32GiB" is a fixed choice (the run is limited to it), "32GiB+" a floor (the machine must have at least so
// much).
template <typename T>
struct Amount {
  T value{};
  bool is_floor = false;
  bool operator==(const Amount&) const = default;
};

// workload: what sizing reads.
struct JobWorkload {
  std::optional<std::string> kind;  // one of the table's choices: train, finetune-lora, …
  std::optional<std::string> model;
  std::optional<double> parameters;  // a count: 7e9 for "7B"
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t> sequence_length;
  std::optional<std::string> precision;
  bool operator==(const JobWorkload&) const = default;
};

// resources.gpu, in either form. Absent count means one.
struct JobGpu {
  std::optional<std::string> name;  // "A100-80GB"
  std::optional<std::int64_t> count;
  std::optional<Amount<Bytes>> memory;              // per GPU
  std::optional<Amount<std::string>> architecture;  // "ampere", is_floor: or newer
  bool operator==(const JobGpu&) const = default;
};

struct JobResources {
  std::optional<JobGpu> gpu;
  std::optional<Amount<double>> cpus;
  std::optional<Amount<Bytes>> memory;
  std::optional<Amount<Bytes>> disk;
  std::optional<std::int64_t> nodes;
  std::vector<Place> on;  // in order of preference; empty: not said
  bool operator==(const JobResources&) const = default;
};

// A variable without a value must be given on the command line (--env NAME=value).
struct JobVariable {
  std::string name;
  std::optional<std::string> value;  // exactly as written: quotes, tabs and newlines included
  bool operator==(const JobVariable&) const = default;
};

struct JobEnvironment {
  std::optional<std::string> python;  // "3.11"
  std::optional<std::string> requirements;
  std::optional<std::string> conda;
  std::optional<std::string> image;
  std::optional<std::string> dockerfile;
  std::vector<JobVariable> variables;
  std::vector<std::string> secrets;  // names only; a Job never holds a secret's value
  bool operator==(const JobEnvironment&) const = default;
};

struct JobData {
  std::string from;
  std::optional<std::string> to;
  std::optional<std::string> mode;  // stage | mount | stream
  bool operator==(const JobData&) const = default;
};

struct JobCheckpoint {
  std::optional<std::string> path;
  std::optional<std::string> complete;  // pattern of the marker that makes a checkpoint whole
  std::optional<std::int64_t> keep;
  bool operator==(const JobCheckpoint&) const = default;
};

struct JobOutput {
  std::string from;
  std::string to;
  std::optional<Duration> every;  // also while the run goes on
  bool operator==(const JobOutput&) const = default;
};

// What is executed: either a shell script or the exact words of a command; never both.
struct JobCommand {
  std::optional<std::string> script;   // for `sh -c`
  std::vector<std::string> arguments;  // executed as they are, without a shell
  bool empty() const { return !script && arguments.empty(); }
  // As a person would type it: the script itself, or the words quoted where a shell needs it.
  std::string text() const;
  bool operator==(const JobCommand&) const = default;
};

struct JobPolicy {
  std::optional<std::string> objective;  // cost | time | carbon
  std::vector<std::pair<std::string, double>>
      objective_weights;  // instead of objective: {cost: 0.7, time: 0.3}
  std::optional<Instant> deadline;
  std::optional<Money> budget;
  std::optional<std::string> capacity;       // auto | spot | on-demand | reserved
  std::optional<std::string> interruptible;  // auto | yes | no
  std::optional<std::int64_t> retries;
  std::optional<Duration> max_duration;
  std::optional<Duration> idle_stop;
  std::optional<Duration> hang_stop;
  bool operator==(const JobPolicy&) const = default;
};

struct JobService {
  std::int64_t port = 0;
  std::optional<std::string> health;
  std::optional<double> requests_per_second;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  bool operator==(const JobService&) const = default;
};

// Values as written, or the inclusive range first..last (then `values` is empty); never expanded here.
struct SweepParameter {
  std::string name;
  std::vector<std::string> values;
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  bool operator==(const SweepParameter&) const = default;
};

struct JobSweep {
  std::vector<SweepParameter> parameters;
  std::optional<std::string> strategy;  // grid | random | successive-halving
  std::optional<std::int64_t> parallel;
  std::optional<std::string> metric;
  std::optional<std::string> goal;  // maximise | minimise
  bool operator==(const JobSweep&) const = default;
};

struct Job {
  std::optional<std::string> name;
  std::optional<std::string> workdir;  // as written; relative to the job file's folder
  JobWorkload workload;
  JobResources resources;
  JobEnvironment environment;
  std::vector<JobData> data;
  std::optional<JobCheckpoint> checkpoint;
  std::vector<JobOutput> outputs;
  std::optional<std::string> setup;
  JobCommand run;
  JobPolicy policy;
  std::optional<JobService> service;
  std::optional<JobSweep> sweep;
  bool operator==(const Job&) const = default;

  // In the job file's own notation ("32GiB+", "15m"), so that the JSON is itself a job file. Absent fields
  // are left out.
  Json to_json() const;
};

// Reads what to_json() wrote (or any job file that is JSON). The error names the first problem.
Result<Job> job_from_json(const Json& json);
// The empty job with a command: `forebay run -- python train.py`.
Job job_from_command(std::vector<std::string> arguments);
// --env NAME=value, or --env NAME for the caller's own value of it. Adds or replaces.
Result<void> set_job_variable(Job& job, std::string_view assignment);
// Names of variables that the file leaves to be given with --env and that still have no value.
std::vector<std::string> missing_variables(const Job& job);

}  // namespace forebay
