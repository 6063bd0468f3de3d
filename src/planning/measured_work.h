// What a run (a probe, or any recorded run) says about a job's work: time per step and what it went to,
// memory, processor, storage, GPU. Pure. What was not measured is absent and named in `gaps`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "base/units.h"
#include "diagnosis/feeding_model.h"
#include "record/run_record.h"

namespace forebay {

struct ExpectedRange {
  double low = 0, high = 0;
  bool operator==(const ExpectedRange&) const = default;
};

// Something that happens only now and then and makes the step in which it falls longer.
enum class RareKind : std::uint8_t { kEpochBegin, kValidation, kCheckpoint };
std::string_view rare_kind_name(RareKind kind);  // "epoch_begin": stable, for --json
struct RareEvent {
  RareKind kind = RareKind::kEpochBegin;
  std::int64_t count = 0;   // in the measured steps
  double seconds_each = 0;  // beyond a usual step, mean
};

// Where the time of a usual step went: seconds per step, exclusive of each other. `data_wait` is absent where
// no data loader was seen (a loop that loads by itself does it in `other`).
struct StepParts {
  std::optional<double> data_wait;
  double forward = 0, backward = 0, optimizer = 0, host_sync = 0, collective = 0, other = 0;
};

// Steps of the process (rank) that made most of them, warm-up left out. Seconds.
struct StepMeasure {
  std::int64_t steps = 0;         // measured
  std::int64_t warmup_steps = 0;  // left out
  double warmup_seconds = 0;      // of those
  std::int64_t usual_steps = 0;   // measured ones in which nothing rare fell: the rest of this is about them
  double median = 0, p5 = 0, p95 = 0, mean = 0;
  // Where the mean of many more such steps is to be expected: from the 10th to the 90th percentile of the
  // means of up to ten stretches of steps, but at least two standard errors of these (so that single steps
  // that alternate between short and long do no harm), and at least 5 % to either side, for machines drift,
  // and a quarter of the share of its cores that other programs took meanwhile.
  ExpectedRange long_mean;
  StepParts parts;
  std::vector<RareEvent> rare;
  std::optional<double> samples_per_step;    // all ranks together
  std::optional<double> samples_per_second;  // in usual steps
};

struct MeasuredWork {
  std::string run;
  std::optional<StepMeasure> step;  // absent: no step could be seen, or none after the warm-up
  std::int64_t steps_seen = 0;      // of the process that made most, warm-up included
  std::int64_t ranks = 1;
  std::optional<double> startup_seconds;  // from the command's start to its first step
  std::optional<FeedingInputs> feeding;   // absent: no DataLoader was seen, or too little around it
  std::optional<double> seconds;          // how long the command ran
  std::optional<Bytes> peak_memory;       // of the whole process tree
  std::optional<Bytes> memory_limit;
  std::optional<Bytes> peak_gpu_memory;  // of the device that used most
  std::optional<Bytes> gpu_memory_total;
  std::optional<double> gpu_utilization;  // 0 … 1: share of the time in which a kernel ran, mean over devices
  std::optional<std::int64_t> gpus_used;
  std::string gpu_model;             // empty: not known
  bool on_gpu = false;               // the model
  std::optional<double> cores_used;  // mean
  std::optional<double> cores_usable;
  std::optional<double> other_cores;            // taken by other programs while it trained, mean
  std::optional<double> read_rate, write_rate;  // bytes per second, storage
  // From the job's own progress lines.
  std::optional<std::int64_t> progress_step, progress_total_steps, progress_total_epochs;
  std::optional<double> dataset_length;  // samples
  std::optional<double> batch_size;      // of one rank
  bool was_cut = false;                  // the run was stopped as a probe; else it ended by itself
  std::vector<Text> gaps;                // what could not be known, a sentence each
};

struct SliceSettings {
  std::int64_t warmup_steps = 5;
  std::optional<std::int64_t> steps;  // measure at most so many; absent: all there are
};
// The settings of a probe's own record (launch.json), else those of `fallback`.
SliceSettings slice_settings(const RunRecord& record, const SliceSettings& fallback = {});
MeasuredWork measure_work(const RunRecord& record, const SliceSettings& settings);

// The whole length of the job as far as it is known. `source` says from where, for people.
struct JobLength {
  std::int64_t steps = 0;
  std::optional<double> steps_per_epoch;
  Text source;
};
struct LengthHints {  // what a person said
  std::optional<std::int64_t> total_steps;
  std::optional<double> epochs;
  std::optional<double> samples;  // of one epoch
};
// Nothing where it follows from neither the hints nor the run. Hints come first, then the progress lines.
std::optional<JobLength> job_length(const MeasuredWork& measured, const LengthHints& hints);

// Absent values are null.
Json to_json(const MeasuredWork& measured);

}  // namespace forebay
