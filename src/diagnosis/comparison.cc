#include "diagnosis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "diagnosis/feeding_model.h"
#include "diagnosis/settings_diff.h"

namespace forebay {
namespace {

constexpr std::array<const char*, 26> kCompared{"wall_seconds",
                                                "step_seconds_mean",
                                                "step_seconds_median",
                                                "step_seconds_p95",
                                                "plain_step_seconds",
                                                "steady_data_wait_share",
                                                "forward_share",
                                                "backward_share",
                                                "optimizer_share",
                                                "host_sync_share",
                                                "checkpoint_share",
                                                "validation_share",
                                                "rest_share",
                                                "samples_per_second",
                                                "epoch_start_seconds",
                                                "startup_seconds",
                                                "tree_cores_used_training",
                                                "cpu_seconds_per_step",
                                                "other_cores_busy",
                                                "pressure_cpu_share",
                                                "tree_read_rate",
                                                "memory_peak_bytes",
                                                "gpu_utilization_mean",
                                                "gpu_memory_peak_bytes",
                                                "gpu_power_mean",
                                                "steps"};

std::vector<ComparedMetric> compared_metrics(const MetricSet& a, const MetricSet& b) {
  std::vector<ComparedMetric> rows;
  for (const char* name : kCompared) {
    const MeasuredValue* in_a = a.find(name);
    const MeasuredValue* in_b = b.find(name);
    if (!in_a && !in_b) continue;
    std::string unit = in_a ? in_a->unit : in_b->unit;
    // A share is stored as a number from 0 to 1 and shown as per cent; the table of metrics says which ones
    // are shares.
    for (const MetricDescription& description : metric_descriptions())
      if (description.name == name && description.unit == "%") unit = "%";
    ComparedMetric row{name, unit, a.get(name), b.get(name), {}};
    if (row.a && row.b && *row.a != 0) row.ratio = *row.b / *row.a;
    rows.push_back(std::move(row));
  }
  return rows;
}

// How many times as fast b steps, and between what the spread of the steps leaves it: each run's stretches of
// steps (at most 20) have a mean; the quartiles of those means bound it. Without enough steps there is no
// interval: low = likely = high.
std::optional<Gain> speedup_of(const MetricSet& a, const MetricSet& b) {
  const auto mean_a = a.get("step_seconds_mean"), mean_b = b.get("step_seconds_mean");
  if (!mean_a || !mean_b || *mean_b <= 0) {
    const auto wall_a = a.get("wall_seconds"), wall_b = b.get("wall_seconds");
    if (!wall_a || !wall_b || *wall_b <= 0 || a.find("steps") || b.find("steps")) return std::nullopt;
    const double ratio = *wall_a / *wall_b;
    return Gain{ratio, ratio, ratio, {}};
  }
  const double likely = *mean_a / *mean_b;
  const auto low_a = a.get("step_seconds_stretch_p25"), high_a = a.get("step_seconds_stretch_p75");
  const auto low_b = b.get("step_seconds_stretch_p25"), high_b = b.get("step_seconds_stretch_p75");
  if (!low_a || !high_a || !low_b || !high_b || *low_b <= 0 || *high_b <= 0)
    return Gain{likely, likely, likely, {}};
  return Gain{std::min(likely, *low_a / *high_b), likely, std::max(likely, *high_a / *low_b), {}};
}

Change change_of(const Gain& speedup) {
  constexpr double kNoise = 0.02;         // below, nothing is claimed however even the steps are
  constexpr double kUnknownNoise = 0.10;  // without an interval
  const bool has_interval = speedup.low < speedup.high;
  const double noise = has_interval ? kNoise : kUnknownNoise;
  if (std::fabs(speedup.likely - 1) < noise) return Change::kSame;
  if (has_interval && speedup.low <= 1 && speedup.high >= 1) return Change::kSame;
  return speedup.likely > 1 ? Change::kFaster : Change::kSlower;
}

Text verdict_of(const Comparison& comparison, bool by_steps) {
  if (!comparison.speedup)
    return {"The two runs cannot be compared: the time per step of one of them is not known.", {}};
  const Gain& speedup = *comparison.speedup;
  const std::string times = format_measure(speedup.likely, "x"), low = format_measure(speedup.low, "x"),
                    high = format_measure(speedup.high, "x");
  if (!by_steps) {
    if (comparison.change == Change::kSame)
      return {"Both runs took about the same time; one run each does not tell more.", {}};
    return {comparison.change == Change::kFaster
                ? "The second run was {0} as fast, by wall time; one run each does not tell how sure that is."
                : "The second run was slower ({0} as fast), by wall time; one run each does not tell how "
                  "sure that is.",
            {times}};
  }
  switch (comparison.change) {
    case Change::kFaster:
      return {"The second run steps {0} as fast ({1} to {2}).", {times, low, high}};
    case Change::kSlower:
      return {"The second run steps slower: {0} as fast ({1} to {2}).", {times, low, high}};
    default:
      return {"Both runs step equally fast: the difference ({0}) is within their spread ({1} to {2}).",
              {times, low, high}};
  }
}

// What makes a time per step incomparable, whatever was advised.
std::optional<std::string> other_work(const std::vector<ChangedSetting>& changes) {
  for (const ChangedSetting& change : changes)
    for (const char* name :
         {"batch_size", "parameters", "device", "dataset", "ranks", "precisions", "machine:cpu"})
      if (change.name == name) return change.name;
  return std::nullopt;
}

std::optional<double> setting_of(const MetricSet& metrics, const std::string& name) {
  return metrics.get(name);
}

enum class Applied { kAsAdvised, kOtherwise, kNot, kUnknown };

Applied applied(const Fix& fix, const MetricSet& a, const MetricSet& b) {
  bool as_advised = true, changed = false;
  for (const auto& [name, value] : fix.settings) {
    const auto before = setting_of(a, name), after = setting_of(b, name);
    if (!before || !after) return Applied::kUnknown;
    changed = changed || *before != *after;
    as_advised = as_advised && format_measure(*after, "1") == value;
  }
  if (fix.settings.empty()) return Applied::kUnknown;
  return as_advised ? Applied::kAsAdvised : changed ? Applied::kOtherwise : Applied::kNot;
}

bool is_about_feeding(const Fix& fix) {
  return !fix.settings.empty() &&
         std::all_of(fix.settings.begin(), fix.settings.end(), [](const auto& setting) {
           return setting.first == "num_workers" || setting.first == "torch_threads";
         });
}

std::string seconds_text(Duration duration) {
  return format_measure(duration.seconds(), "s");
}

Text sentence_of(const PredictionCheck& check, const std::optional<std::string>& changed_work) {
  const std::string low = seconds_text(check.predicted_step.low),
                    high = seconds_text(check.predicted_step.high),
                    likely = seconds_text(check.predicted_step.likely);
  const std::string measured = check.measured_step ? seconds_text(*check.measured_step) : std::string();
  switch (check.verdict) {
    case PredictionVerdict::kWithin:
      return {"predicted {0} per step ({1} to {2}), measured {3}: within the prediction",
              {likely, low, high, measured}};
    case PredictionVerdict::kBetter:
      return {"predicted {0} per step ({1} to {2}), measured {3}: faster than predicted",
              {likely, low, high, measured}};
    case PredictionVerdict::kWorse:
      return {"predicted {0} per step ({1} to {2}), measured {3}: slower than predicted",
              {likely, low, high, measured}};
    case PredictionVerdict::kNotApplied:
      return {"the advice was not followed; it predicted {0} per step ({1} to {2})", {likely, low, high}};
    case PredictionVerdict::kNotComparable:
      break;
  }
  if (changed_work)
    return {"cannot be checked: {0} changed too", {std::string(metric_meaning(*changed_work))}};
  return {"cannot be checked: the second run does not say enough", {}};
}

PredictionVerdict judged(const DurationRange& predicted, Duration measured) {
  constexpr double kRounding = 0.02;  // the spread of the mean itself
  if (measured.seconds() > predicted.high.seconds() * (1 + kRounding)) return PredictionVerdict::kWorse;
  if (measured.seconds() < predicted.low.seconds() * (1 - kRounding)) return PredictionVerdict::kBetter;
  return PredictionVerdict::kWithin;
}

PredictionCheck check_fix(const Finding& finding, const Fix& fix, const MetricSet& a, const MetricSet& b,
                          const std::vector<ChangedSetting>& changes) {
  PredictionCheck check{
      finding.id, finding.title, fix.text, *fix.gain->predicted_step, {}, PredictionVerdict::kNotComparable,
      {}};
  if (const auto measured = b.get("plain_step_seconds"))
    check.measured_step = Duration::from_seconds(*measured);
  const auto changed_work = other_work(changes);
  const Applied how = applied(fix, a, b);
  // Another number of workers or threads than the advised one: the same model says what it should give.
  if (how == Applied::kOtherwise && is_about_feeding(fix)) {
    const auto inputs = feeding_inputs(a);
    const auto workers = b.get("num_workers");
    if (inputs && workers && *workers >= 1) {
      const double threads =
          inputs->can_lower_threads ? b.get("torch_threads").value_or(0) * inputs->ranks : 0;
      const FeedingPrediction again =
          predict_feeding(*inputs, *workers, threads > 0 ? threads : inputs->compute_threads);
      check.predicted_step = {Duration::from_seconds(again.low), Duration::from_seconds(again.likely),
                              Duration::from_seconds(again.high)};
    }
  }
  if (how == Applied::kNot)
    check.verdict = PredictionVerdict::kNotApplied;
  else if (how != Applied::kUnknown && !changed_work && check.measured_step)
    check.verdict = judged(check.predicted_step, *check.measured_step);
  check.sentence = sentence_of(check, changed_work);
  return check;
}

std::vector<PredictionCheck> check_predictions(const Diagnosis& before, const MetricSet& a,
                                               const MetricSet& b,
                                               const std::vector<ChangedSetting>& changes) {
  std::vector<PredictionCheck> checks;
  for (const Finding& finding : before.findings)
    for (const Fix& fix : finding.fixes) {
      if (!fix.gain || !fix.gain->predicted_step) continue;
      checks.push_back(check_fix(finding, fix, a, b, changes));
      break;
    }
  return checks;
}

void add_remarks(const MetricSet& a, const MetricSet& b, Comparison& comparison) {
  const auto others_a = a.get("other_cores_busy"), others_b = b.get("other_cores_busy"),
             usable = a.get("cores_usable");
  if (others_a && others_b && usable && std::fabs(*others_a - *others_b) >= 0.25 * *usable)
    comparison.remarks.push_back(
        {"other programs kept {0} cores busy during the first run and {1} during the second",
         {format_measure(*others_a, "cores"), format_measure(*others_b, "cores")}});
  for (const auto& [name, metrics] : {std::pair{comparison.run_a, &a}, {comparison.run_b, &b}})
    if (const auto steps = metrics->get("steady_steps"); steps && *steps < 20)
      comparison.remarks.push_back(
          {"{0} has only {1} steps after warm-up: little to go by", {name, format_measure(*steps, "1")}});
  if (const auto work = other_work(comparison.changes))
    comparison.remarks.push_back(
        {"{0} differs: a step is not the same work in both runs", {std::string(metric_meaning(*work))}});
}

}  // namespace

std::string_view change_name(Change change) {
  static constexpr std::array<std::string_view, 4> kNames{"faster", "slower", "same", "unknown"};
  return kNames[static_cast<std::size_t>(change)];
}

std::string_view prediction_verdict_name(PredictionVerdict verdict) {
  static constexpr std::array<std::string_view, 5> kNames{"within", "better", "worse", "not-applied",
                                                          "not-comparable"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Comparison compare(const RunRecord& a, const RunRecord& b) {
  const MetricSet metrics_a = summarise(a), metrics_b = summarise(b);
  Comparison comparison;
  comparison.run_a = a.id;
  comparison.run_b = b.id;
  comparison.metrics = compared_metrics(metrics_a, metrics_b);
  comparison.changes = changed_settings(a, metrics_a, b, metrics_b);
  const Diagnosis before =
      a.findings["findings"].is_array() ? Diagnosis::from_json(a.findings) : diagnose(a, metrics_a);
  comparison.predictions = check_predictions(before, metrics_a, metrics_b, comparison.changes);
  comparison.speedup = speedup_of(metrics_a, metrics_b);
  if (comparison.speedup) comparison.change = change_of(*comparison.speedup);
  comparison.verdict =
      verdict_of(comparison, metrics_a.find("step_seconds_mean") && metrics_b.find("step_seconds_mean"));
  add_remarks(metrics_a, metrics_b, comparison);
  return comparison;
}

}  // namespace forebay
