#include "planning/measured_work.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diagnosis/metrics.h"
#include "planning/measured_steps.h"

namespace forebay {
namespace {

constexpr double kDrift = 0.05;
constexpr double kOthers = 0.25;
constexpr double kWorthSaying = 0.1;

std::optional<Bytes> bytes_of(const MetricSet& metrics, std::string_view name) {
  const auto value = metrics.get(name);
  if (!value || *value < 0 || *value > 9e18) return std::nullopt;
  return Bytes{std::llround(*value)};
}

std::optional<std::int64_t> count_at(const Json& json) {
  const auto value = json.as_integer();
  if (!value || *value <= 0) return std::nullopt;
  return value;
}

void take_machine(const MetricSet& metrics, MeasuredWork& work) {
  work.peak_memory = bytes_of(metrics, "memory_peak_bytes");
  work.memory_limit = bytes_of(metrics, "memory_limit_bytes");
  work.peak_gpu_memory = bytes_of(metrics, "gpu_memory_peak_bytes");
  work.gpu_memory_total = bytes_of(metrics, "gpu_memory_total_bytes");
  work.gpu_utilization = metrics.get("gpu_utilization_mean");
  if (const auto used = metrics.get("gpu_used_count")) work.gpus_used = std::llround(*used);
  work.gpu_model = metrics.fact("gpu").value_or("");
  work.on_gpu = metrics.get("on_gpu").value_or(0) > 0.5;
  work.cores_used = metrics.get("tree_cores_used_training");
  if (!work.cores_used) work.cores_used = metrics.get("tree_cores_used");
  work.cores_usable = metrics.get("cores_usable");
  work.other_cores = metrics.get("other_cores_busy");
  work.read_rate = metrics.get("tree_read_rate");
  work.write_rate = metrics.get("tree_write_rate");
  work.dataset_length = metrics.get("dataset_length");
  work.batch_size = metrics.get("batch_size");
  work.startup_seconds = metrics.get("startup_seconds");
  work.seconds = metrics.get("wall_seconds");
}

void take_progress(const Json& progress, MeasuredWork& work) {
  const Json& latest = progress["latest"];
  work.progress_step = count_at(latest["step"]);
  work.progress_total_steps = count_at(latest["total_steps"]);
  work.progress_total_epochs = count_at(latest["total_epochs"]);
}

const ProcessSteps* longest(const Timeline& timeline) {
  const ProcessSteps* most = nullptr;
  for (const ProcessSteps& process : timeline.processes)
    if (!most || process.step_count() > most->step_count()) most = &process;
  return most;
}

// What others take now they may give back or take more of.
double drift_of(const MeasuredWork& work) {
  const double others = work.other_cores && work.cores_usable && *work.cores_usable > 0
                            ? *work.other_cores / *work.cores_usable
                            : 0;
  return kDrift + kOthers * std::clamp(others, 0.0, 1.0);
}

void take_steps(const Timeline& timeline, const SliceSettings& settings, const MetricSet& metrics,
                MeasuredWork& work) {
  const ProcessSteps* process = longest(timeline);
  if (!process) return;
  work.steps_seen = process->step_count();
  work.ranks = static_cast<std::int64_t>(timeline.processes.size());
  work.step = measure_steps(*process, settings, {metrics.get("num_workers").has_value(), drift_of(work)});
  if (!work.step || !work.step->samples_per_step) return;
  *work.step->samples_per_step *= static_cast<double>(work.ranks);
  work.step->samples_per_second = *work.step->samples_per_step / work.step->mean;
}

// The feeding model wants the compute time of a usual step of this slice.
void take_feeding(const MetricSet& metrics, MeasuredWork& work) {
  if (!work.step || !work.step->parts.data_wait) return;
  work.feeding = feeding_inputs(metrics);
  if (!work.feeding) return;
  work.feeding->step_seconds = work.step->mean;
  work.feeding->compute_seconds = std::max(0.0, work.step->mean - *work.step->parts.data_wait);
  if (work.feeding->workers == 0) work.feeding->fetch_seconds = *work.step->parts.data_wait;
}

bool saw(const MeasuredWork& work, RareKind kind) {
  return work.step &&
         std::ranges::any_of(work.step->rare, [kind](const RareEvent& event) { return event.kind == kind; });
}

void explain_missing_steps(const RunRecord& record, MeasuredWork& work) {
  if (work.steps_seen > 0)
    return work.gaps.push_back(Text{"Time per step: only {0} steps were seen, and they are all warm-up.",
                                    {std::to_string(work.steps_seen)}});
  const Json& coverage = record.hook["coverage"];
  for (const Json& process : coverage["not_covered"].items()) {
    if (process["reason"].string_or_empty() == "isolated")
      return work.gaps.push_back(
          Text{"Time per step: no step could be seen, because Python was started isolated (-I, -E or -S) and "
               "did not load the hook.",
               {}});
    if (process["reason"].string_or_empty() == "environment")
      return work.gaps.push_back(Text{
          "Time per step: no step could be seen, because the program's PYTHONPATH leaves the hook out.", {}});
  }
  const auto pythons = coverage["python_processes"].as_integer().value_or(0);
  if (pythons > 0 && coverage["covered"].as_integer().value_or(0) == 0)
    return work.gaps.push_back(
        Text{"Time per step: no step could be seen; Python ran, but did not load the hook (it does not when "
             "started with -I, -E or -S, or with a PYTHONPATH of its own).",
             {}});
  if (pythons == 0)
    return work.gaps.push_back(
        Text{"Time per step: no step could be seen; no Python process that the hook can look into was there.",
             {}});
  work.gaps.push_back(Text{
      "Time per step: no step could be seen; the program made no optimiser step of PyTorch meanwhile.", {}});
}

void explain_steps(MeasuredWork& work) {
  if (work.other_cores && work.cores_usable && *work.other_cores > kWorthSaying * *work.cores_usable)
    work.gaps.push_back(Text{
        "Other programs used {0} of {1} cores meanwhile; without them, or with more of them, a step takes "
        "another time.",
        {fmt::format("{:.1f}", *work.other_cores), fmt::format("{:g}", *work.cores_usable)}});
  if (!work.step->parts.data_wait)
    work.gaps.push_back(Text{"Data loading: no DataLoader was seen; loading is part of \"other\".", {}});
  if (!work.step->samples_per_second)
    work.gaps.push_back(Text{"Samples per second: the batches do not tell how many samples they hold.", {}});
  if (!saw(work, RareKind::kValidation))
    work.gaps.push_back(
        Text{"Evaluation: no evaluation phase fell into the slice; its time is not counted.", {}});
  if (!saw(work, RareKind::kCheckpoint))
    work.gaps.push_back(
        Text{"Checkpoints: none was written in the slice; what one costs is not counted.", {}});
  if (work.was_cut)
    work.gaps.push_back(Text{
        "The end: what the job does after its last step was not seen; a file it writes then is not counted.",
        {}});
}

void explain_gaps(const RunRecord& record, MeasuredWork& work) {
  if (!work.step)
    explain_missing_steps(record, work);
  else
    explain_steps(work);
  if (work.peak_memory)
    work.gaps.push_back(Text{
        "Memory: the highest value is that of this slice, batch size and input; a larger batch, a longer "
        "input, an evaluation or a checkpoint may need more.",
        {}});
  else
    work.gaps.push_back(Text{"Memory: it could not be measured.", {}});
  if (work.on_gpu && !work.gpu_utilization)
    work.gaps.push_back(Text{"GPU utilisation: the driver does not tell it.", {}});
  if (work.on_gpu && !work.peak_gpu_memory)
    work.gaps.push_back(Text{"GPU memory: the driver does not tell it.", {}});
  for (const std::string& damage : record.damage)
    work.gaps.push_back(Text{"A part of the record cannot be read: {0}", {damage}});
}

std::optional<JobLength> length_from_progress(const MeasuredWork& work, std::optional<double> per_epoch) {
  if (!work.progress_total_steps) return std::nullopt;
  const auto total = *work.progress_total_steps;
  const bool is_epoch = work.progress_total_epochs && *work.progress_total_epochs > 1 && per_epoch &&
                        std::abs(static_cast<double>(total) - *per_epoch) <= 1;
  if (is_epoch)
    return JobLength{total * *work.progress_total_epochs, per_epoch,
                     Text{"from the progress lines: {0} epochs of {1} steps",
                          {std::to_string(*work.progress_total_epochs), std::to_string(total)}}};
  if (total > 1'000'000'000'000) return std::nullopt;
  return JobLength{total, per_epoch,
                   Text{"from the progress lines: {0} steps; give --total-steps if that is not the whole job",
                        {std::to_string(total)}}};
}

}  // namespace

std::string_view rare_kind_name(RareKind kind) {
  switch (kind) {
    case RareKind::kEpochBegin:
      return "epoch_begin";
    case RareKind::kValidation:
      return "validation";
    case RareKind::kCheckpoint:
      return "checkpoint";
  }
  return "epoch_begin";
}

SliceSettings slice_settings(const RunRecord& record, const SliceSettings& fallback) {
  const Json& probe = record.launch["probe"];
  if (!probe.is_object()) return fallback;
  SliceSettings settings = fallback;
  settings.warmup_steps = std::max<std::int64_t>(0, probe["warmup_steps"].as_integer().value_or(5));
  settings.steps = count_at(probe["steps"]);
  return settings;
}

MeasuredWork measure_work(const RunRecord& record, const SliceSettings& settings) {
  MeasuredWork work;
  work.run = record.id;
  work.was_cut = record.outcome && record.outcome->cause == OutcomeCause::kSliceSeen;
  const MetricSet metrics = summarise(record);
  take_machine(metrics, work);
  take_progress(record.progress, work);
  take_steps(make_timeline(record), settings, metrics, work);
  take_feeding(metrics, work);
  explain_gaps(record, work);
  return work;
}

std::optional<JobLength> job_length(const MeasuredWork& work, const LengthHints& hints) {
  const auto samples = hints.samples ? hints.samples : work.dataset_length;
  std::optional<double> per_step = work.step ? work.step->samples_per_step : std::nullopt;
  if (!per_step && work.batch_size) per_step = *work.batch_size * static_cast<double>(work.ranks);
  std::optional<double> per_epoch;
  if (samples && per_step && *per_step > 0 && *samples > 0)
    per_epoch = std::ceil(*samples / *per_step - 1e-9);
  if (hints.total_steps)
    return JobLength{*hints.total_steps, per_epoch,
                     Text{"as given: {0} steps", {std::to_string(*hints.total_steps)}}};
  if (hints.epochs) {
    if (!per_epoch || *hints.epochs * *per_epoch > 1e15) return std::nullopt;
    return JobLength{std::llround(std::ceil(*hints.epochs * *per_epoch - 1e-9)), per_epoch,
                     Text{"{0} epochs of {1} steps ({2} samples, {3} a step)",
                          {fmt::format("{:g}", *hints.epochs), fmt::format("{:.0f}", *per_epoch),
                           fmt::format("{:.0f}", *samples), fmt::format("{:g}", *per_step)}}};
  }
  if (const auto found = length_from_progress(work, per_epoch)) return found;
  if (!work.was_cut && work.steps_seen > 0)
    return JobLength{work.steps_seen, per_epoch,
                     Text{"the run made them all: {0} steps", {std::to_string(work.steps_seen)}}};
  return std::nullopt;
}

}  // namespace forebay
