// How a run ended, as written once and durably to outcome.json and to --outcome-file.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/units.h"

namespace forebay {

// Closed list of causes; the names (outcome_cause_name) are stable and part of --json.
enum class OutcomeCause {
  kSucceeded,       // the command ended with 0
  kJobFailed,       // the command ended with another code, or by a signal of its own making
  kOutOfMemory,     // killed by the kernel or by the job's memory limit, or an allocator said so
  kSliceSeen,       // a probe has seen the slice of the job it wanted, and stopped it: a success
  kMaxDuration,     // policy.max_duration passed
  kIdle,            // policy.idle_stop passed
  kHang,            // policy.hang_stop passed
  kBudget,          // policy.budget spent
  kCancelled,       // a person stopped it
  kSetupFailed,     // environment or the job's setup command failed; the command was never started
  kCannotStart,     // the command does not exist or cannot be executed
  kOutputsFailed,   // the command succeeded, but its outputs could not be saved
  kSupervisorLost,  // the supervisor died (kill -9, reboot); what is known was salvaged
  kNoCapacity,      // the machine has not what the job asks for; nothing was started
  kInfrastructure,  // disk full, fault of this program
  kNeverStarted,    // submission was interrupted before a supervisor took the run
};
std::string_view outcome_cause_name(OutcomeCause cause);
std::optional<OutcomeCause> outcome_cause(std::string_view name);

struct Outcome {
  OutcomeCause cause = OutcomeCause::kInfrastructure;
  std::optional<int> exit_code;    // of the command; absent when it never ran or its end was not seen
  std::optional<int> signal;       // that ended it
  std::string sentence;            // English; one sentence for people: what happened and what to do
  std::optional<Instant> started;  // the command's start
  std::optional<Instant> ended;
  std::optional<Duration> duration;       // monotonic, of the command
  std::optional<std::int64_t> log_bytes;  // every byte the job wrote that was kept
  std::optional<std::int64_t> peak_memory_bytes;

  Json to_json() const;
  static Result<Outcome> from_json(const Json& json);
};

// The exit code `forebay run` itself ends with (documented in docs/exit-codes.md): the command's own code,
// 128+n for signals, 124 when a limit stopped it, 125 for failures of Forebay, 126/127 cannot execute / not
// found, 130 cancelled.
int process_exit_code(const Outcome& outcome);

}  // namespace forebay
