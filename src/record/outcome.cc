#include "record/outcome.h"

#include <array>
#include <utility>

namespace forebay {
namespace {

constexpr std::array<std::pair<OutcomeCause, std::string_view>, 16> kNames{{
    {OutcomeCause::kSucceeded, "succeeded"},
    {OutcomeCause::kJobFailed, "job-failed"},
    {OutcomeCause::kOutOfMemory, "out-of-memory"},
    {OutcomeCause::kSliceSeen, "slice-seen"},
    {OutcomeCause::kMaxDuration, "max-duration"},
    {OutcomeCause::kIdle, "idle"},
    {OutcomeCause::kHang, "hang"},
    {OutcomeCause::kBudget, "budget"},
    {OutcomeCause::kCancelled, "cancelled"},
    {OutcomeCause::kSetupFailed, "setup-failed"},
    {OutcomeCause::kCannotStart, "cannot-start"},
    {OutcomeCause::kOutputsFailed, "outputs-failed"},
    {OutcomeCause::kSupervisorLost, "supervisor-lost"},
    {OutcomeCause::kNoCapacity, "no-capacity"},
    {OutcomeCause::kInfrastructure, "infrastructure"},
    {OutcomeCause::kNeverStarted, "never-started"},
}};

}  // namespace

std::string_view outcome_cause_name(OutcomeCause cause) {
  for (const auto& [each, name] : kNames)
    if (each == cause) return name;
  return "infrastructure";
}

std::optional<OutcomeCause> outcome_cause(std::string_view text) {
  for (const auto& [each, name] : kNames)
    if (name == text) return each;
  return std::nullopt;
}

Json Outcome::to_json() const {
  Json json = Json::object({{"cause", outcome_cause_name(cause)},
                            {"exit_code", exit_code},
                            {"signal", signal},
                            {"sentence", sentence}});
  json.set("started_ns", started ? Json(started->nanoseconds) : Json());
  json.set("ended_ns", ended ? Json(ended->nanoseconds) : Json());
  json.set("duration_ns", duration ? Json(duration->nanoseconds) : Json());
  json.set("log_bytes", log_bytes).set("peak_memory_bytes", peak_memory_bytes);
  json.set("process_exit_code", process_exit_code(*this));
  return json;
}

Result<Outcome> Outcome::from_json(const Json& json) {
  const auto cause = outcome_cause(json["cause"].string_or_empty());
  if (!cause) return make_error(ErrorCode::kCorrupt, "read", "an outcome", "it names no known cause");
  Outcome outcome;
  outcome.cause = *cause;
  if (const auto code = json["exit_code"].as_integer()) outcome.exit_code = static_cast<int>(*code);
  if (const auto number = json["signal"].as_integer()) outcome.signal = static_cast<int>(*number);
  outcome.sentence = json["sentence"].string_or_empty();
  if (const auto at = json["started_ns"].as_integer()) outcome.started = Instant{*at};
  if (const auto at = json["ended_ns"].as_integer()) outcome.ended = Instant{*at};
  if (const auto span = json["duration_ns"].as_integer()) outcome.duration = Duration{*span};
  outcome.log_bytes = json["log_bytes"].as_integer();
  outcome.peak_memory_bytes = json["peak_memory_bytes"].as_integer();
  return outcome;
}

int process_exit_code(const Outcome& outcome) {
  switch (outcome.cause) {
    case OutcomeCause::kSucceeded:
    case OutcomeCause::kSliceSeen:
      return 0;
    case OutcomeCause::kMaxDuration:
    case OutcomeCause::kIdle:
    case OutcomeCause::kHang:
    case OutcomeCause::kBudget:
      return 124;
    case OutcomeCause::kCannotStart:
      return outcome.exit_code.value_or(127);
    case OutcomeCause::kCancelled:
      return outcome.signal ? 128 + *outcome.signal : 130;
    case OutcomeCause::kJobFailed:
    case OutcomeCause::kOutOfMemory:
      if (outcome.signal) return 128 + *outcome.signal;
      return outcome.exit_code.value_or(1) == 0 ? 1 : outcome.exit_code.value_or(1);
    default:
      return 125;
  }
}

}  // namespace forebay
