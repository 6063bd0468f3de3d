#include "diagnosis/feeding_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "diagnosis/summary.h"

namespace forebay {
namespace {
constexpr double kOverhead = 1.10;
constexpr double kBarriers = 1.15;
constexpr double kNeighbours = 0.5;
constexpr double kLikely = 0.35;
constexpr double kWorthIt = 1.03;
constexpr int kMostWorkers = 16;
}  // namespace

std::string_view feeding_bound_name(FeedingBound bound) {
  switch (bound) {
    case FeedingBound::kCompute:
      return "compute";
    case FeedingBound::kWorkers:
      return "workers";
    case FeedingBound::kCores:
      return "cores";
  }
  return "compute";
}

std::optional<FeedingInputs> feeding_inputs(const MetricSet& metrics) {
  const auto step = metrics.get("plain_step_seconds"), wait = metrics.get("steady_data_wait_seconds");
  const auto cpu = metrics.get("cpu_seconds_per_step"), cores = metrics.get("cores_available"),
             workers = metrics.get("num_workers");
  if (!step || !wait || !cpu || !cores || !workers || *cores <= 0 || *step <= 0) return std::nullopt;
  const auto fetch = *workers == 0 ? wait : metrics.get("worker_fetch_seconds_per_step");
  if (!fetch || *fetch <= 0) return std::nullopt;
  FeedingInputs inputs;
  inputs.step_seconds = *step;
  inputs.compute_seconds = std::max(0.0, *step - *wait);
  inputs.fetch_seconds = *fetch;
  inputs.cores_available = *cores;
  inputs.workers = *workers;
  inputs.ranks = std::max(1.0, metrics.get("ranks").value_or(1));
  // On an accelerator one thread of a rank is busy launching kernels; on the CPU all of its compute threads
  // are.
  const double threads =
      metrics.get("on_gpu").value_or(0) > 0.5 ? 1 : std::max(1.0, metrics.get("torch_threads").value_or(1));
  inputs.compute_threads = threads * inputs.ranks;
  inputs.other_cores = metrics.get("other_cores_busy").value_or(0);
  const double fetch_cpu =
      *workers == 0 ? *fetch : metrics.get("worker_fetch_cpu_seconds_per_step").value_or(*fetch);
  const double together = std::min(threads, metrics.get("cores_usable").value_or(threads));
  inputs.fetch_cpu_seconds = fetch_cpu;
  inputs.can_lower_threads =
      metrics.get("on_gpu").value_or(0) < 0.5 && metrics.get("torch_threads").has_value();
  inputs.cpu_seconds = std::min(*cpu, (fetch_cpu + inputs.compute_seconds * together) * inputs.ranks);
  return inputs;
}

FeedingPrediction predict_feeding(const FeedingInputs& in, double workers, double threads) {
  workers = std::max(1.0, workers);
  threads = std::clamp(threads, 1.0, std::max(1.0, in.compute_threads));
  const bool fewer = threads < in.compute_threads;
  const double one_thread = (in.fetch_cpu_seconds + in.compute_seconds) * in.ranks;
  const double least_cpu = fewer ? std::min(in.cpu_seconds, one_thread) : in.cpu_seconds;
  const double by_workers = in.fetch_seconds / workers, by_cores = in.cpu_seconds / in.cores_available;
  const double by_most_cores = least_cpu / (in.cores_available + kNeighbours * in.other_cores);
  FeedingPrediction prediction;
  prediction.low = std::max({in.compute_seconds, by_workers, by_most_cores});
  prediction.bound = prediction.low == in.compute_seconds ? FeedingBound::kCompute
                     : prediction.low == by_workers       ? FeedingBound::kWorkers
                                                          : FeedingBound::kCores;
  const double busy_workers = prediction.low > 0 ? std::min(workers, in.fetch_seconds / prediction.low) : 0;
  const double crowding = std::max(1.0, (threads + busy_workers * in.ranks) / in.cores_available);
  const double slowed = std::max(in.compute_threads / threads, crowding);
  prediction.high =
      std::max({in.compute_seconds * slowed, by_workers * crowding, by_cores * kBarriers}) * kOverhead;
  if (in.workers == 0)
    prediction.high = std::min(prediction.high, std::max(in.step_seconds * kOverhead, prediction.low));
  prediction.likely = prediction.low + kLikely * (prediction.high - prediction.low);
  return prediction;
}

FeedingPrediction predict_feeding(const FeedingInputs& inputs, double workers) {
  return predict_feeding(inputs, workers, std::max(1.0, inputs.compute_threads));
}

namespace {

// So many threads that they and the workers have a core each, if that is worth it.
double best_threads(const FeedingInputs& in, int workers, double usable_cores) {
  const double today = std::max(1.0, in.compute_threads), ranks = std::max(1.0, in.ranks);
  if (!in.can_lower_threads || today + workers * ranks <= usable_cores) return today;
  const double each = std::max(1.0, std::floor(usable_cores / ranks - workers + 1e-9));
  const double fewer = std::min(today, each * ranks);
  const bool is_worth_it =
      predict_feeding(in, workers, fewer).likely * kWorthIt <= predict_feeding(in, workers, today).likely;
  return is_worth_it ? fewer : today;
}

}  // namespace

FeedingPlan best_feeding(const FeedingInputs& inputs, double usable_cores) {
  const int most = std::clamp(static_cast<int>(std::ceil(usable_cores / std::max(1.0, inputs.ranks) - 1e-9)),
                              1, kMostWorkers);
  const auto plan = [&](int workers) {
    return FeedingPlan{workers, best_threads(inputs, workers, usable_cores)};
  };
  const auto likely = [&](const FeedingPlan& chosen) {
    return predict_feeding(inputs, chosen.workers, chosen.threads).likely;
  };
  double best = likely(plan(1));
  for (int workers = 2; workers <= most; ++workers) best = std::min(best, likely(plan(workers)));
  for (int workers = 1; workers < most; ++workers)
    if (likely(plan(workers)) <= kWorthIt * best) return plan(workers);
  return plan(most);
}

namespace {

// How much of the time in which a batch is fetched no processor works on it: it waits for storage, a server,
// a lock. Not told on a crowded machine, where the fetching process also waits for a core.
void add_fetch_waits(MetricSet& set) {
  const auto workers = set.get("num_workers"), step_cpu = set.get("cpu_seconds_per_step"),
             wait = set.get("steady_data_wait_seconds");
  const auto busy = set.get("machine_cores_busy"), usable = set.get("cores_usable");
  if (!workers || (busy && usable && *busy >= 0.85 * *usable)) return;
  if (*workers == 0) {
    if (!wait || *wait <= 0) return;
    const std::int64_t n = set.find("steady_data_wait_seconds")->n;
    if (const auto cores = set.get("cores_used_in_data_wait"))
      set.add("fetch_waits_share", 1 - std::min(1.0, *cores), "1", "samples.seg against steps.seg", n);
    else if (step_cpu)
      set.add("fetch_waits_share", 1 - std::min(1.0, *step_cpu / *wait), "1",
              "at least: all processor time of a step against its data wait", n);
    return;
  }
  const auto fetch = set.get("worker_fetch_seconds_per_step"),
             cpu = set.get("worker_fetch_cpu_seconds_per_step");
  if (fetch && cpu && *fetch > 0)
    set.add("fetch_waits_share", 1 - std::min(1.0, *cpu / *fetch), "1", "steps.seg: worker_fetch",
            set.find("worker_fetch_seconds_per_step")->n);
}

}  // namespace

void add_model_metrics(MetricSet& set) {
  add_fetch_waits(set);
  const auto inputs = feeding_inputs(set);
  const auto usable = set.get("cores_usable");
  if (!inputs || !usable) return;
  const FeedingPlan plan = best_feeding(*inputs, *usable);
  const FeedingPrediction prediction = predict_feeding(*inputs, plan.workers, plan.threads);
  const std::string origin = "model: diagnosis/feeding_model.h";
  const std::int64_t n = set.find("plain_step_seconds")->n;
  set.add("model_workers", plan.workers, "1", origin, n);
  if (inputs->can_lower_threads) set.add("model_threads", plan.threads / inputs->ranks, "1", origin, n);
  set.add("model_step_low", prediction.low, "s", origin, n);
  set.add("model_step_likely", prediction.likely, "s", origin, n);
  set.add("model_step_high", prediction.high, "s", origin, n);
  set.add("model_gain_likely", inputs->step_seconds / prediction.likely, "x", origin, n);
  set.add("model_cpu_seconds", inputs->cpu_seconds, "s", origin, n);
  set.add("model_cores_bound", inputs->cpu_seconds / inputs->cores_available, "s", origin, n);
  set.add_fact("model_bound", std::string(feeding_bound_name(prediction.bound)), origin);
  set.add("fetch_seconds_per_step", inputs->fetch_seconds, "s",
          "steps.seg: data wait without workers, worker_fetch with them", n);
  if (inputs->workers > 0)
    set.add("workers_busy_share",
            std::min(1.0, inputs->fetch_seconds / (inputs->workers * inputs->step_seconds)), "1", "steps.seg",
            n);
}

}  // namespace forebay
