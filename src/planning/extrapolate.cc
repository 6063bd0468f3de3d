#include "planning/extrapolate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr double kOnce = 1.25;
constexpr double kLongestEnd = 0.5;

bool is_usable(const std::optional<ExpectedRange>& speed) {
  return speed && speed->low > 0 && speed->high >= speed->low && std::isfinite(speed->high);
}

// How a target compares with the measured machine, where that is known.
struct Comparison {
  ExpectedRange accelerator{1, 1}, core{1, 1};
  double vcpus = 1, vcpus_measured = 1, workers = 0, workers_measured = 0;

  // A model on the GPU has its speed compared; one on the CPU that of the cores.
  bool is_nowhere_slower() const {
    return accelerator.low >= 1 && core.low >= 1 && vcpus >= vcpus_measured && workers >= workers_measured;
  }
  bool is_nowhere_faster() const {
    return accelerator.high <= 1 && core.high <= 1 && vcpus <= vcpus_measured && workers <= workers_measured;
  }
};

// Nothing, with the reason, when the compute speed there is not known.
std::optional<Comparison> compare(const MeasuredWork& work, const TargetMachine& target,
                                  std::vector<Text>& reasons) {
  Comparison comparison;
  comparison.vcpus_measured = work.feeding ? work.feeding->cores_available : work.cores_usable.value_or(1);
  if (is_usable(target.core_speed))
    comparison.core = *target.core_speed;
  else
    reasons.push_back(
        Text{"The speed of a core there is not known; it is taken to be that of a core here.", {}});
  if (is_usable(target.accelerator_speed)) {
    comparison.accelerator = *target.accelerator_speed;
  } else if (work.on_gpu) {
    reasons.push_back(Text{
        "Time per step: how fast its accelerator is at this work, beside the measured one, is not known.",
        {}});
    return std::nullopt;
  }
  if (!target.vcpus || !(*target.vcpus > 0)) {
    if (work.feeding || !work.on_gpu) {
      reasons.push_back(Text{"Time per step: how many processors it has is not known.", {}});
      return std::nullopt;
    }
    comparison.vcpus = comparison.vcpus_measured;
  } else {
    comparison.vcpus = *target.vcpus;
  }
  comparison.workers_measured = work.feeding ? work.feeding->workers : 0;
  comparison.workers = target.workers.value_or(comparison.workers_measured);
  return comparison;
}

// The time of compute on the other machine.
ExpectedRange scaled_compute(const MeasuredWork& work, const ExpectedRange& compute,
                             const Comparison& comparison, bool has_accelerator) {
  if (work.on_gpu) {
    const double busy = std::clamp(work.gpu_utilization.value_or(0), 0.0, 1.0);
    const auto gaining = [&](double speed, bool all) {
      return speed < 1 || all ? 1 / speed : 1 - busy + busy / speed;
    };
    return {compute.low * gaining(comparison.accelerator.high, comparison.accelerator.high >= 1),
            compute.high * gaining(comparison.accelerator.low, false)};
  }
  if (has_accelerator)  // the measured compute was on the CPU: the factor says it all
    return {compute.low / comparison.accelerator.high, compute.high / comparison.accelerator.low};
  const double cores = comparison.vcpus / comparison.vcpus_measured;
  return {compute.low / comparison.core.high / std::max(1.0, cores),
          compute.high / comparison.core.low / std::min(1.0, cores)};
}

StepBound bound_of(FeedingBound bound) {
  switch (bound) {
    case FeedingBound::kCompute:
      return StepBound::kCompute;
    case FeedingBound::kWorkers:
      return StepBound::kLoading;
    case FeedingBound::kCores:
      return StepBound::kCores;
  }
  return StepBound::kUnknown;
}

FeedingInputs inputs_for(const FeedingInputs& measured, double compute, double core_speed, double vcpus) {
  FeedingInputs inputs = measured;
  inputs.compute_seconds = compute;
  inputs.fetch_seconds /= core_speed;
  inputs.fetch_cpu_seconds /= core_speed;
  // What the step needs beside fetching scales with the cores' speed too; it cannot exceed what it was.
  inputs.cpu_seconds /= core_speed;
  inputs.cores_available = vcpus;
  inputs.other_cores = 0;
  inputs.compute_threads = std::min(inputs.compute_threads, std::max(1.0, vcpus));
  inputs.step_seconds = compute + inputs.fetch_seconds;
  return inputs;
}

// Loading and computing together.
ExpectedRange fed_step(const FeedingInputs& measured, const ExpectedRange& compute,
                       const Comparison& comparison, StepBound& bound) {
  if (comparison.workers < 1) {
    const ExpectedRange step{compute.low + measured.fetch_seconds / comparison.core.high,
                             compute.high + measured.fetch_seconds / comparison.core.low};
    bound = measured.fetch_seconds / comparison.core.high > compute.low ? StepBound::kLoading
                                                                        : StepBound::kCompute;
    return step;
  }
  const FeedingPrediction best = predict_feeding(
      inputs_for(measured, compute.low, comparison.core.high, comparison.vcpus), comparison.workers);
  const FeedingPrediction worst = predict_feeding(
      inputs_for(measured, compute.high, comparison.core.low, comparison.vcpus), comparison.workers);
  bound = bound_of(best.bound);
  return {best.low, std::max(best.low, worst.high)};
}

ExpectedRange held_to_measurement(ExpectedRange step, const ExpectedRange& measured,
                                  const Comparison& comparison) {
  const bool not_slower = comparison.is_nowhere_slower(), not_faster = comparison.is_nowhere_faster();
  if (not_slower && not_faster) return measured;
  if (not_slower) step.high = std::min(step.high, measured.high);
  if (not_faster) step.low = std::max(step.low, measured.low);
  return {std::min(step.low, step.high), std::max(step.low, step.high)};
}

void extrapolate_step(const MeasuredWork& work, const TargetMachine& target, Extrapolation& result) {
  if (!work.step) {
    result.reasons.push_back(Text{"Time per step: no step was measured.", {}});
    return;
  }
  const auto comparison = compare(work, target, result.reasons);
  if (!comparison) return;
  const StepMeasure& step = *work.step;
  const double wait = step.parts.data_wait.value_or(0);
  const double share = step.mean > 0 ? std::max(0.0, step.mean - wait) / step.mean : 1;
  const ExpectedRange compute{step.long_mean.low * share, step.long_mean.high * share};
  const ExpectedRange scaled =
      scaled_compute(work, compute, *comparison, is_usable(target.accelerator_speed));
  ExpectedRange predicted;
  if (work.feeding) {
    predicted = fed_step(*work.feeding, scaled, *comparison, result.bound);
  } else {
    // The wait that was seen, if any, stays: nothing is known of what it depends on.
    predicted = {scaled.low + wait * step.long_mean.low / step.mean,
                 scaled.high + wait * step.long_mean.high / step.mean};
    result.bound = StepBound::kCompute;
    if (!step.parts.data_wait)
      result.reasons.push_back(Text{
          "Data loading could not be told from computing; where it is the limit, a faster accelerator gains "
          "less than the best case says.",
          {}});
  }
  result.step_seconds = held_to_measurement(predicted, step.long_mean, *comparison);
  if (!step.samples_per_step) return;
  result.samples_per_second_low = *step.samples_per_step / result.step_seconds->high;
  result.samples_per_second_high = *step.samples_per_step / result.step_seconds->low;
}

// Occurrences per step.
ExpectedRange rate_of(const RareEvent& event, double steps, const std::optional<double>& per_epoch) {
  if (event.kind == RareKind::kEpochBegin && per_epoch && *per_epoch >= 1)
    return {1 / *per_epoch, 1 / *per_epoch};
  const auto count = static_cast<double>(event.count);
  return {(count - 1) / steps, (count + 1) / steps};
}

void extrapolate_total(const MeasuredWork& work, const std::optional<JobLength>& length,
                       Extrapolation& result) {
  if (!result.step_seconds) return;
  if (!length) {
    result.reasons.push_back(Text{
        "Total time: how many steps the whole job makes is not known. Give --total-steps, or --epochs and, "
        "where the data set does not tell it, --samples.",
        {}});
    return;
  }
  const StepMeasure& step = *work.step;
  const auto count = static_cast<double>(length->steps);
  ExpectedRange total{count * result.step_seconds->low, count * result.step_seconds->high};
  for (const RareEvent& event : step.rare) {
    const ExpectedRange rate = rate_of(event, static_cast<double>(step.steps), length->steps_per_epoch);
    total.low += rate.low * count * event.seconds_each;
    total.high += rate.high * count * event.seconds_each;
  }
  const double warmup =
      std::max(0.0, step.warmup_seconds - static_cast<double>(step.warmup_steps) * step.mean);
  // No epoch began after the first: what its beginning costs is within what the warm-up took.
  const bool began = std::ranges::any_of(
      step.rare, [](const RareEvent& event) { return event.kind == RareKind::kEpochBegin; });
  if (!began && length->steps_per_epoch && *length->steps_per_epoch >= 1)
    total.high += warmup * std::max(0.0, std::ceil(count / *length->steps_per_epoch) - 1);
  const double startup = work.startup_seconds.value_or(0);
  if (!work.startup_seconds)
    result.reasons.push_back(
        Text{"Total time: the time before the first step is not known and not counted.", {}});
  total.low += startup / kOnce + warmup;
  total.high += startup * kOnce + warmup + startup * kLongestEnd;
  result.total_seconds = total;
}

}  // namespace

std::string_view step_bound_name(StepBound bound) {
  switch (bound) {
    case StepBound::kCompute:
      return "compute";
    case StepBound::kLoading:
      return "loading";
    case StepBound::kCores:
      return "cores";
    case StepBound::kUnknown:
      break;
  }
  return "unknown";
}

TargetMachine measured_machine(const MeasuredWork& work) {
  TargetMachine machine;
  machine.vcpus = work.feeding ? std::optional(work.feeding->cores_available) : work.cores_usable;
  machine.accelerator_speed = work.on_gpu ? std::optional(ExpectedRange{1, 1}) : std::nullopt;
  machine.core_speed = ExpectedRange{1, 1};
  return machine;
}

Extrapolation extrapolate(const MeasuredWork& work, const TargetMachine& target,
                          const std::optional<JobLength>& length) {
  Extrapolation result;
  extrapolate_step(work, target, result);
  extrapolate_total(work, length, result);
  return result;
}

Json to_json(const Extrapolation& result) {
  const auto range = [](const std::optional<ExpectedRange>& value) {
    return value ? Json::object({{"low", value->low}, {"high", value->high}}) : Json();
  };
  Json reasons = Json::array();
  for (const Text& reason : result.reasons) reasons.push(reason.to_json());
  return Json::object({{"step_seconds", range(result.step_seconds)},
                       {"bound", step_bound_name(result.bound)},
                       {"samples_per_second_low", result.samples_per_second_low},
                       {"samples_per_second_high", result.samples_per_second_high},
                       {"total_seconds", range(result.total_seconds)},
                       {"reasons", reasons}});
}

}  // namespace forebay
