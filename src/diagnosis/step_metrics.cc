#include <fmt/format.h>

#include <array>
#include <cmath>

#include "diagnosis/summary.h"

namespace forebay {
namespace {

constexpr double kNano = 1e-9;

struct Part {
  const char* name;
  std::int64_t StepRow::* field;
};
constexpr std::array<Part, 9> kParts{{{"data_wait", &StepRow::data_wait_ns},
                                      {"forward", &StepRow::forward_ns},
                                      {"backward", &StepRow::backward_ns},
                                      {"optimizer", &StepRow::optimizer_ns},
                                      {"host_sync", &StepRow::host_sync_ns},
                                      {"checkpoint", &StepRow::checkpoint_ns},
                                      {"collective", &StepRow::collective_ns},
                                      {"validation", &StepRow::validation_ns},
                                      {"epoch_begin", &StepRow::epoch_begin_ns}}};

// Sums over rows of all ranks, in seconds.
struct Totals {
  double duration = 0, steps = 0, samples = 0, syncs = 0, fetch = 0, fetch_cpu = 0;
  double epoch_start_wait = 0;  // what the first batch after an epoch's beginning took beyond a usual one
  double checkpoints = 0, epochs = 0;
  std::array<double, kParts.size()> parts{};
  bool samples_known = true, fetch_cpu_known = true;
};

// The usual data wait per step: the first batch of an epoch waits longer because workers start, and belongs
// to the epoch's start.
double usual_data_wait(const ProcessSteps& process) {
  std::vector<std::pair<double, double>> waits;
  for (const StepRow& row : process.rows)
    if (row.epoch_begin_ns == 0)
      waits.emplace_back(static_cast<double>(row.data_wait_ns) * kNano / static_cast<double>(row.steps),
                         static_cast<double>(row.steps));
  // The upper quartile, not the median: with w workers every w-th batch waits, and that is the stall, not the
  // epoch.
  return quantile(std::move(waits), 0.75).value_or(0);
}

void add_row(const StepRow& row, double usual_wait, Totals& totals) {
  totals.duration += static_cast<double>(row.duration_ns) * kNano;
  totals.steps += static_cast<double>(row.steps);
  for (std::size_t i = 0; i < kParts.size(); ++i)
    totals.parts[i] += static_cast<double>(row.*kParts[i].field) * kNano;
  if (row.samples < 0)
    totals.samples_known = false;
  else
    totals.samples += static_cast<double>(row.samples);
  totals.syncs += static_cast<double>(row.host_syncs);
  totals.fetch += static_cast<double>(row.worker_fetch_ns) * kNano;
  if (row.worker_fetch_cpu_ns < 0 && row.worker_fetch_ns > 0)
    totals.fetch_cpu_known = false;
  else
    totals.fetch_cpu += static_cast<double>(std::max<std::int64_t>(row.worker_fetch_cpu_ns, 0)) * kNano;
  if (row.checkpoint_ns > 0) totals.checkpoints += 1;
  if (row.epoch_begin_ns <= 0) return;
  totals.epochs += 1;
  const double wait = static_cast<double>(row.data_wait_ns) * kNano;
  if (row.steps == 1) totals.epoch_start_wait += std::max(0.0, wait - usual_wait);
}

void add_distribution(const Timeline& timeline, MetricSet& set, const std::string& origin) {
  std::vector<std::pair<double, double>> durations, blocks;
  for (const ProcessSteps& process : timeline.processes) {
    const std::size_t rows = process.rows.size() - process.warm_rows;
    // Means over up to 20 stretches of steps: their spread says how far the mean can be trusted, also where
    // single steps alternate between short and long (every w-th batch waits).
    const std::size_t length = std::max<std::size_t>(1, (rows + 19) / 20);
    double duration = 0, steps = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const StepRow& row = process.rows[process.warm_rows + i];
      const auto count = static_cast<double>(row.steps);
      durations.emplace_back(static_cast<double>(row.duration_ns) * kNano / count, count);
      duration += durations.back().first * count;
      steps += count;
      if ((i + 1) % length != 0 && i + 1 != rows) continue;
      if ((i + 1) % length == 0 || blocks.empty()) blocks.emplace_back(duration / steps, 1.0);
      duration = steps = 0;
    }
  }
  const auto n = static_cast<std::int64_t>(durations.size());
  for (const auto& [name, q] :
       {std::pair{"step_seconds_median", 0.5}, {"step_seconds_p5", 0.05}, {"step_seconds_p95", 0.95}})
    if (const auto value = quantile(durations, q)) set.add(name, *value, "s", origin, n);
  const auto low = quantile(blocks, 0.25), high = quantile(blocks, 0.75);
  const auto m = static_cast<std::int64_t>(blocks.size());
  if (blocks.size() < 4 || !low || !high) return;
  set.add("step_seconds_stretch_p25", *low, "s", fmt::format("{}, in {} stretches", origin, m), m);
  set.add("step_seconds_stretch_p75", *high, "s", fmt::format("{}, in {} stretches", origin, m), m);
}

void add_steady(const Totals& totals, double ranks, const std::string& origin, MetricSet& set) {
  const auto n = static_cast<std::int64_t>(totals.steps / ranks);
  set.add("steady_steps", totals.steps / ranks, "1", origin, n);
  set.add("step_seconds_mean", totals.duration / totals.steps, "s", origin, n);
  double known = 0;
  // Without any DataLoader seen, data waits were not measured: a loop that loads by itself does it in "rest".
  const bool waits_measured = set.find("num_workers") || totals.parts[0] > 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    known += totals.parts[i];
    if (i == 0 && !waits_measured) continue;
    set.add(fmt::format("{}_share", kParts[i].name), totals.parts[i] / totals.duration, "1", origin, n);
    set.add(fmt::format("{}_seconds_per_step", kParts[i].name), totals.parts[i] / totals.steps, "s", origin,
            n);
  }
  set.add("rest_share", std::max(0.0, 1 - known / totals.duration), "1", origin, n);
  // The plain step: without what happens only now and then. This is what a change of the data loader changes.
  const double wait = std::max(0.0, totals.parts[0] - totals.epoch_start_wait);
  const double rare = totals.parts[5] + totals.parts[7] + totals.parts[8] + totals.epoch_start_wait;
  const double plain = std::max(0.0, totals.duration - rare);
  set.add("plain_step_seconds", plain / totals.steps, "s", origin, n);
  if (waits_measured) set.add("steady_data_wait_seconds", wait / totals.steps, "s", origin, n);
  if (waits_measured && plain > 0) set.add("steady_data_wait_share", wait / plain, "1", origin, n);
  set.add("compute_seconds_per_step", std::max(0.0, plain - wait) / totals.steps, "s", origin, n);
  set.add("host_syncs_per_step", totals.syncs / totals.steps, "1", origin, n);
  if (totals.samples_known && totals.samples > 0) {
    set.add("samples_per_second", totals.samples / (totals.duration / ranks), "1/s", origin, n);
    set.add("samples_per_step", totals.samples / totals.steps, "1", origin, n);
  }
  if (totals.fetch <= 0) return;
  set.add("worker_fetch_seconds_per_step", totals.fetch / totals.steps, "s", origin, n);
  if (totals.fetch_cpu_known)
    set.add("worker_fetch_cpu_seconds_per_step", totals.fetch_cpu / totals.steps, "s", origin, n);
}

// Seconds of the whole run that went into each part, and their share of its wall time. Ranks run side by
// side: their mean counts.
void add_whole(const Totals& totals, double ranks, const Timeline& timeline, MetricSet& set) {
  const auto n = static_cast<std::int64_t>(totals.steps / ranks);
  const std::string origin = fmt::format("steps.seg: {} steps, warm-up included", n);
  set.add("steps", totals.steps / ranks, "1", origin, n);
  set.add("training_seconds", totals.duration / ranks, "s", origin, n);
  set.add("epochs", totals.epochs / ranks, "1", "steps.seg: DataLoader iterators made", n);
  set.add("checkpoint_count", totals.checkpoints / ranks, "1", origin, n);
  if (totals.samples_known && totals.samples > 0) set.add("samples", totals.samples, "1", origin, n);
  if (totals.checkpoints > 0)
    set.add("checkpoint_seconds_each", totals.parts[5] / totals.checkpoints, "s", origin, n);
  const double epoch_start = (totals.parts[8] + totals.epoch_start_wait) / ranks;
  set.add("epoch_start_seconds", epoch_start, "s", origin, n);
  if (!timeline.wall_seconds || *timeline.wall_seconds <= 0) return;
  const double wall = *timeline.wall_seconds;
  auto add_share = [&](const char* name, double seconds) {
    set.add(fmt::format("{}_wall_share", name), std::min(1.0, seconds / ranks / wall), "1", origin, n);
  };
  const bool waits_measured = set.find("num_workers") || totals.parts[0] > 0;
  for (std::size_t i = waits_measured ? 0 : 1; i < kParts.size(); ++i)
    add_share(kParts[i].name, totals.parts[i]);
  add_share("epoch_start", totals.parts[8] + totals.epoch_start_wait);
  if (waits_measured) add_share("steady_data_wait", std::max(0.0, totals.parts[0] - totals.epoch_start_wait));
  add_share("training", totals.duration);
}

}  // namespace

void add_step_metrics(const Timeline& timeline, MetricSet& set) {
  if (timeline.wall_seconds)
    set.add("wall_seconds", *timeline.wall_seconds, "s",
            timeline.ended ? "outcome.json" : "from the first to the last observation");
  if (timeline.processes.empty()) return;
  Totals whole, steady;
  for (const ProcessSteps& process : timeline.processes) {
    const double usual_wait = usual_data_wait(process);
    for (std::size_t i = 0; i < process.rows.size(); ++i) {
      add_row(process.rows[i], usual_wait, whole);
      if (i >= process.warm_rows) add_row(process.rows[i], usual_wait, steady);
    }
  }
  const auto ranks = static_cast<double>(timeline.processes.size());
  set.add("ranks", ranks, "1", "steps.seg", static_cast<std::int64_t>(ranks));
  add_whole(whole, ranks, timeline, set);
  set.add("warmup_steps", (whole.steps - steady.steps) / ranks, "1",
          "steps.seg: the first 3 steps and slow ones after them");
  set.add("warmup_seconds", (whole.duration - steady.duration) / ranks, "s",
          "steps.seg: the first 3 steps and slow ones after them");
  const std::string origin = fmt::format("steps.seg: {:.0f} steps after warm-up", steady.steps / ranks);
  add_steady(steady, ranks, origin, set);
  add_distribution(timeline, set, origin);
}

void add_rank_metrics(const Timeline& timeline, MetricSet& set) {
  if (timeline.processes.size() < 2) return;
  // Ranks wait for each other inside collectives (and, with DDP, inside backward). What a rank does for
  // itself is the rest.
  std::vector<double> own_seconds;
  std::size_t slowest = 0;
  double waited = 0, total = 0;
  for (const ProcessSteps& process : timeline.processes) {
    double own = 0, steps = 0;
    for (std::size_t i = process.warm_rows; i < process.rows.size(); ++i) {
      const StepRow& row = process.rows[i];
      // Backward hides DDP's waiting, so data wait and forward tell a straggler better where no collective is
      // seen.
      own += static_cast<double>(row.data_wait_ns + row.forward_ns) * kNano;
      steps += static_cast<double>(row.steps);
      waited += static_cast<double>(row.collective_ns) * kNano;
      total += static_cast<double>(row.duration_ns) * kNano;
    }
    own_seconds.push_back(steps > 0 ? own / steps : 0);
    if (own_seconds.back() > own_seconds[slowest]) slowest = own_seconds.size() - 1;
  }
  const auto n = static_cast<std::int64_t>(own_seconds.size());
  const std::string origin = fmt::format("steps.seg: data wait and forward of {} ranks", n);
  const auto median = quantile(own_seconds, 0.5);
  const double step = set.get("step_seconds_mean").value_or(0);
  set.add("slowest_rank", timeline.processes[slowest].rank, "1", origin, n);
  set.add("slowest_rank_own_seconds", own_seconds[slowest], "s", origin, n);
  set.add("median_rank_own_seconds", *median, "s", origin, n);
  if (step > 0)
    set.add("rank_imbalance_share", std::min(1.0, (own_seconds[slowest] - *median) / step), "1", origin, n);
  if (total > 0) set.add("rank_collective_share", waited / total, "1", origin, n);
}

}  // namespace forebay
