// What another number of DataLoader workers would give: a queueing bound from three measured times per step.
//
//   C   wall time of everything but the data wait (compute)
//   f   wall time to fetch one batch in one process: the data wait without workers, worker_fetch with them
//   T   CPU time that a step needs: what the process tree used, but not more than fetching (one thread each)
//       and C × compute threads explain; the rest is OpenMP threads that spin while they wait for work, and
//       that give the core up when somebody needs it
//   c   cores available: the usable ones less what other programs took; c' where they take half of that
//
// With w workers that prefetch, fetching and computing overlap, and none of three resources can be beaten
// (the bottleneck law of operational analysis, Denning & Buzen 1978: throughput ≤ 1 / largest demand):
//
//   low  = max(C, f / w, T / c')
//
// When workers share cores with t compute threads, the kernel gives every runnable thread a fair share, so
// both can be slowed by x = max(1, (t + busy workers) / c). Where the cores are the limit, threads lose time
// at barriers (15 %). Another 10 % stand for collating through shared memory. Without workers today it
// cannot be more than 10 % slower than today:
//
//   high = max(C·x, f·x / w, 1.15·T / c) · 1.10
//
// On the CPU the advice may give the workers cores of their own by fewer compute threads, t' < t. How much of
// C gained by its threads was not measured: low lets it need no more processor time than one thread, high
// lets it take t / t' times as long:
//
//   low  = max(C, f / w, (fetching + C) / c')        high = max(C · max(t / t', x'), f·x' / w, 1.15·T / c)
//   · 1.10
//
// Likely lies 35 % of the way from low to high. tests/accuracy/diagnosis puts it beside real runs.
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/metrics.h"

namespace forebay {

struct FeedingInputs {
  double compute_seconds = 0;      // C
  double fetch_seconds = 0;        // f
  double cpu_seconds = 0;          // T
  double cores_available = 1;      // c
  double other_cores = 0;          // taken by other programs
  double fetch_cpu_seconds = 0;    // processor time to fetch one batch
  double compute_threads = 1;      // t, all ranks
  bool can_lower_threads = false;  // they compute on the CPU, and their number was told
  double ranks = 1;
  double step_seconds = 0;  // today's plain step
  double workers = 0;       // today's number of workers
};
// Nothing when a needed metric was not measured.
std::optional<FeedingInputs> feeding_inputs(const MetricSet& metrics);

enum class FeedingBound { kCompute, kWorkers, kCores };
std::string_view feeding_bound_name(FeedingBound bound);  // "compute", "workers", "cores"

struct FeedingPrediction {
  double low = 0, likely = 0, high = 0;  // seconds per plain step
  FeedingBound bound = FeedingBound::kCompute;
};
// workers ≥ 1 for each rank; threads: of all ranks, at most today's.
FeedingPrediction predict_feeding(const FeedingInputs& inputs, double workers, double threads);
FeedingPrediction predict_feeding(const FeedingInputs& inputs, double workers);  // with today's threads

struct FeedingPlan {
  int workers = 1;
  double threads = 1;  // of all ranks
};
// The fewest workers whose likely step is within 3 % of the best one, at most one for each usable core and
// 16; fewer compute threads only where that makes the likely step at least 3 % faster.
FeedingPlan best_feeding(const FeedingInputs& inputs, double usable_cores);

}  // namespace forebay
