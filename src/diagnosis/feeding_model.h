// What another number of DataLoader workers would give: a queueing bound from three measured times per step.
//
//   C   wall time of everything but the data wait (compute)
//   f   wall time to fetch one batch in one process: the data wait itself without workers, worker_fetch with
//   them T   CPU time of the whole process tree per step; c cores are available to it
//
// With w workers that prefetch, fetching and computing overlap, and none of three resources can be beaten
// (the bottleneck law of operational analysis, Denning & Buzen 1978: throughput ≤ 1 / largest service
// demand):
//
//   step ≥ max(C, f / w, T / c)                                                   (low)
//
// When workers share cores with compute threads (t of them per rank), the kernel gives every runnable thread
// a fair share, so both can be slowed by x = max(1, (t + busy workers) / c):
//
//   step ≤ max(C·x, f·x / w, T / c) · 1.10, and not more than 1.10 × today's step when there are no workers
//   today    (high)
//
// The 10 % stand for collating through shared memory. Likely lies 35 % of the way from low to high:
// calibrated with the runs in tests/accuracy/diagnosis.
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/metrics.h"

namespace forebay {

struct FeedingInputs {
  double compute_seconds = 0;  // C
  double fetch_seconds = 0;    // f
  double cpu_seconds = 0;      // T
  double cores_available = 1;  // c
  double compute_threads = 1;  // t, all ranks
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
// workers ≥ 1.
FeedingPrediction predict_feeding(const FeedingInputs& inputs, double workers);
// The fewest workers whose likely step is within 3 % of the best one, at most one for each usable core
// and 16.
int best_workers(const FeedingInputs& inputs, double usable_cores);

}  // namespace forebay
