// What the steps of an attempt share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "environment/plan.h"
#include "jobs/run_repository.h"
#include "record/outcome.h"
#include "record/run_directory.h"
#include "record/run_record.h"
#include "spec/job.h"
#include "supervisor/supervisor.h"
#include "telemetry/recorder.h"

namespace forebay {

struct AttemptContext {
  RunDirectory directory;
  const Clock& clock;
  RunRepository runs;
  std::string id;
  std::int64_t epoch = 0;
  Json launch;
  Job job;
  std::string state_folder;
  std::string folder;  // where the job runs, absolute
  std::optional<Money> price_per_hour;
  Supervisor supervisor;
  std::map<std::string, std::string> environment;  // the job's whole environment, once prepared
  EnvironmentRequest environment_request;
  EnvironmentPlan environment_plan;
  Json machine;
  // When the command was first started, monotonic: limits hold for all attempts at it together.
  std::optional<std::int64_t> first_start_ns;
  bool fenced = false;  // another process has taken the run over: no write any more
};

// Moves the row and notes it as an event. A lost epoch sets `fenced`; other database failures are noted and
// the run goes on (the record tells the truth). Errors: only kConflict when fenced.
Result<void> move_run(AttemptContext& context, RunMove move);
void note_event(AttemptContext& context, const std::string& name, Json details);
// A sentence of Forebay's own for the person, in the log.
void tell(AttemptContext& context, const std::string& sentence);

// The steps. An Outcome means that the run ends here; nothing means that it goes on.
using StepResult = std::optional<Outcome>;
StepResult check_machine(AttemptContext& context);  // planning: does the job fit this machine
StepResult prepare(AttemptContext& context);        // preparing: code, environment, setup command
StepResult stage_data(AttemptContext& context);     // staging: local data to where the job wants it
Outcome execute(AttemptContext& context);           // running
Outcome save_outputs(AttemptContext& context, Outcome outcome);  // saving
void conclude(AttemptContext& context);                          // findings and bill, from the record

// How a child of the supervisor ended, as an outcome of the run.
Outcome outcome_of(const ChildOutcome& child);
Outcome failed_outcome(OutcomeCause cause, std::string sentence);
// Only a slice of the job is wanted: no output is copied, nothing is tried again.
bool is_probe(const AttemptContext& context);
// Limits of the job's policy, and of a probe; the budget becomes a duration at the given price.
Limits limits_of(const AttemptContext& context);

}  // namespace forebay
