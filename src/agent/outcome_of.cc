// From how a child ended to how the run ended.
#include <string.h>

#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "base/text.h"

namespace forebay {
namespace {

OutcomeCause cause_of(const ChildOutcome& child) {
  switch (child.stop_reason) {
    case StopReason::kCancelled:
    case StopReason::kTerminated:
      return OutcomeCause::kCancelled;
    case StopReason::kMaxDuration:
      return OutcomeCause::kMaxDuration;
    case StopReason::kBudget:
      return OutcomeCause::kBudget;
    case StopReason::kIdle:
      return OutcomeCause::kIdle;
    case StopReason::kHang:
      return OutcomeCause::kHang;
    case StopReason::kSlice:
      return OutcomeCause::kSliceSeen;
    case StopReason::kMemoryLimit:
    case StopReason::kKernelOutOfMemory:
      return OutcomeCause::kOutOfMemory;
    case StopReason::kLogFailed:
    case StopReason::kWardenLost:
      return OutcomeCause::kInfrastructure;
    case StopReason::kNone:
      break;
  }
  if (child.start_failure) return OutcomeCause::kCannotStart;
  return child.exit_code == 0 ? OutcomeCause::kSucceeded : OutcomeCause::kJobFailed;
}

std::string sentence_of(const ChildOutcome& child) {
  if (child.start_failure) return child.start_failure->sentence;
  if (!child.stop_sentence.empty()) return child.stop_sentence;
  if (child.signal)
    return fmt::format(fmt::runtime(tr("the command was ended by signal {0} ({1})")), *child.signal,
                       ::strsignal(*child.signal));
  if (child.exit_code == 0) return std::string(tr("the command succeeded"));
  return fmt::format(fmt::runtime(tr("the command ended with code {0}")), child.exit_code.value_or(-1));
}

}  // namespace

Outcome outcome_of(const ChildOutcome& child) {
  Outcome outcome;
  outcome.cause = cause_of(child);
  outcome.sentence = sentence_of(child);
  if (child.start_failure) {
    outcome.exit_code = child.start_failure->exit_code;
    return outcome;
  }
  outcome.exit_code = child.exit_code;
  outcome.signal = child.signal;
  outcome.started = child.started;
  outcome.ended = child.ended;
  outcome.duration = child.duration;
  if (child.peak_memory) outcome.peak_memory_bytes = child.peak_memory->count;
  return outcome;
}

bool is_probe(const AttemptContext& context) {
  return context.launch["probe"].is_object();
}

Limits limits_of(const AttemptContext& context) {
  const JobPolicy& policy = context.job.policy;
  Limits limits;
  limits.max_duration = policy.max_duration;
  limits.idle_stop = policy.idle_stop;
  limits.hang_stop = policy.hang_stop;
  if (is_probe(context)) {
    const Json& slice = context.launch["probe"];
    limits.slice_steps = slice["stop_after_steps"].as_integer();
    if (const auto longest = slice["longest_ns"].as_integer()) limits.slice_duration = Duration{*longest};
  }
  if (policy.budget && context.price_per_hour && context.price_per_hour->nano > 0 &&
      policy.budget->currency == context.price_per_hour->currency)
    limits.budget = Duration::from_seconds(static_cast<double>(policy.budget->nano) /
                                           static_cast<double>(context.price_per_hour->nano) * 3600.0);
  if (context.first_start_ns) {
    const std::int64_t used = context.clock.monotonic_ns() - *context.first_start_ns;
    for (std::optional<Duration>* limit : {&limits.max_duration, &limits.budget})
      if (*limit) (*limit)->nanoseconds = std::max<std::int64_t>((*limit)->nanoseconds - used, 1);
  }
  return limits;
}

}  // namespace forebay
