#include "planning/capacity_advice.h"

#include <algorithm>

#include <fmt/format.h>

namespace forebay {
namespace {

std::string duration_text(double seconds) {
  return format_duration(Duration::from_seconds(seconds));
}

// What spot costs beside on-demand. Nothing: it never gets done.
std::optional<double> spot_cost(double seconds, const CapacityNeeds& needs, const CapacityFigures& figures) {
  const Duration work = Duration::from_seconds(seconds);
  CheckpointHabit habit;
  habit.restart = Duration::from_seconds(needs.restart_seconds.value_or(0));
  if (needs.has_checkpoint)
    // One second at least: no checkpoint is free.
    habit.cost = Duration::from_seconds(std::max(1.0, needs.checkpoint_seconds.value_or(0)));
  else
    habit.interval = work;
  const auto expected = expected_time(work, figures.between_interruptions, habit);
  if (!expected) return std::nullopt;
  return figures.spot_ratio * expected->seconds() / seconds;
}

void say_spot(double seconds, const CapacityNeeds& needs, const CapacityFigures& figures,
              CapacityAdvice& advice) {
  const std::string between = format_duration(figures.between_interruptions);
  if (!advice.spot_cost_ratio) {
    advice.reasons.push_back(Text{
        "On spot machines that live {0} on average, {1} without an interruption would hardly ever be got.",
        {between, duration_text(seconds)}});
  } else {
    advice.reasons.push_back(Text{
        "On spot it is expected to cost {0} % of on-demand, with interruptions every {1} on average and a "
        "spot price of {2} % of on-demand.",
        {fmt::format("{:.0f}", *advice.spot_cost_ratio * 100), between,
         fmt::format("{:.0f}", figures.spot_ratio * 100)}});
  }
  if (!needs.has_checkpoint)
    advice.reasons.push_back(Text{
        "The job file names no checkpoint: after an interruption everything begins anew. With `checkpoint:` "
        "and a script that goes on from FOREBAY_RESUME, spot would lose only what came after the last one.",
        {}});
  else if (!needs.checkpoint_seconds)
    advice.reasons.push_back(Text{"What a checkpoint costs was not seen; a second was assumed.", {}});
}

}  // namespace

std::string_view capacity_kind_name(CapacityKind kind) {
  switch (kind) {
    case CapacityKind::kSpot:
      return "spot";
    case CapacityKind::kOnDemand:
      return "on-demand";
    case CapacityKind::kLongTerm:
      return "long-term";
    case CapacityKind::kUnknown:
      break;
  }
  return "unknown";
}

CapacityAdvice advise_capacity(const std::optional<ExpectedRange>& total, const CapacityNeeds& needs,
                               const CapacityFigures& figures) {
  CapacityAdvice advice;
  if (!total || !(total->high > 0)) {
    advice.reasons.push_back(Text{"How long the whole job takes is not known.", {}});
    return advice;
  }
  // A commitment is paid to its end; it is worth it once so much of its term is used.
  const double worth_committing = figures.committed_ratio * figures.committed_term.seconds();
  const bool is_long = total->high >= worth_committing;
  advice.spot_cost_ratio = spot_cost(total->high, needs, figures);
  const double otherwise = is_long ? std::max(figures.committed_ratio, worth_committing / total->high) : 1.0;
  const bool is_spot =
      needs.may_be_interrupted && advice.spot_cost_ratio && *advice.spot_cost_ratio < otherwise;
  advice.kind = is_spot ? CapacityKind::kSpot : is_long ? CapacityKind::kLongTerm : CapacityKind::kOnDemand;
  if (!needs.may_be_interrupted)
    advice.reasons.push_back(Text{"policy.interruptible says that the job must not be interrupted.", {}});
  else
    say_spot(total->high, needs, figures, advice);
  if (is_long)
    advice.reasons.push_back(Text{
        "A commitment of {0} costs {1} % of on-demand and is worth it from {2} of use on; this job takes up "
        "to {3}.",
        {format_duration(figures.committed_term), fmt::format("{:.0f}", figures.committed_ratio * 100),
         duration_text(worth_committing), duration_text(total->high)}});
  else
    advice.reasons.push_back(
        Text{"A commitment of {0} would be worth it from {1} of use on; this job alone takes up to {2}.",
             {format_duration(figures.committed_term), duration_text(worth_committing),
              duration_text(total->high)}});
  return advice;
}

Json to_json(const CapacityAdvice& advice) {
  Json reasons = Json::array();
  for (const Text& reason : advice.reasons) reasons.push(reason.to_json());
  return Json::object({{"capacity", capacity_kind_name(advice.kind)},
                       {"spot_cost_ratio", advice.spot_cost_ratio},
                       {"reasons", reasons}});
}

}  // namespace forebay
