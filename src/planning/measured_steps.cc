#include "planning/measured_steps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace forebay {
namespace {

constexpr double kNano = 1e-9;
constexpr std::size_t kStretches = 10;
constexpr double kStandardErrors = 2;

double per_step(std::int64_t nanoseconds, const StepRow& row) {
  return static_cast<double>(nanoseconds) * kNano / static_cast<double>(row.steps);
}

std::optional<RareKind> rare_kind(const StepRow& row) {
  if (row.validation_ns > 0) return RareKind::kValidation;
  if (row.epoch_begin_ns > 0) return RareKind::kEpochBegin;
  if (row.checkpoint_ns > 0) return RareKind::kCheckpoint;
  return std::nullopt;
}

// Warm-up, then the measured rows. A row of several steps belongs where its first step does.
struct Slice {
  std::vector<StepRow> warmup, measured;
};

Slice slice_of(const ProcessSteps& process, const SliceSettings& settings) {
  Slice slice;
  std::int64_t seen = 0;
  for (const StepRow& row : process.rows) {
    const std::int64_t measured = seen - settings.warmup_steps;
    if (settings.steps && measured >= *settings.steps) break;
    (measured < 0 ? slice.warmup : slice.measured).push_back(row);
    seen += row.steps;
  }
  return slice;
}

ExpectedRange expected_mean(const std::vector<StepRow>& rows, double mean, double drift) {
  std::vector<double> stretches;
  const std::size_t count = std::min(kStretches, rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    double seconds = 0, steps = 0;
    for (std::size_t at = i * rows.size() / count; at < (i + 1) * rows.size() / count; ++at) {
      seconds += static_cast<double>(rows[at].duration_ns) * kNano;
      steps += static_cast<double>(rows[at].steps);
    }
    stretches.push_back(seconds / steps);
  }
  double squares = 0;
  for (const double each : stretches) squares += (each - mean) * (each - mean);
  const auto n = static_cast<double>(stretches.size());
  const double error = n > 1 ? kStandardErrors * std::sqrt(squares / (n - 1) / n) : mean;
  const double margin = std::max(error, drift * mean);
  return {std::max(0.0, std::min(*quantile(stretches, 0.1), mean - margin)),
          std::max(*quantile(stretches, 0.9), mean + margin)};
}

StepParts mean_parts(const std::vector<StepRow>& rows, bool waits_seen) {
  StepParts parts;
  double steps = 0, total = 0, waited = 0;
  for (const StepRow& row : rows) {
    steps += static_cast<double>(row.steps);
    total += static_cast<double>(row.duration_ns) * kNano;
    waited += static_cast<double>(row.data_wait_ns) * kNano;
    parts.forward += static_cast<double>(row.forward_ns) * kNano;
    parts.backward += static_cast<double>(row.backward_ns) * kNano;
    parts.optimizer += static_cast<double>(row.optimizer_ns) * kNano;
    parts.host_sync += static_cast<double>(row.host_sync_ns) * kNano;
    parts.collective += static_cast<double>(row.collective_ns) * kNano;
  }
  parts.other =
      total - waited - parts.forward - parts.backward - parts.optimizer - parts.host_sync - parts.collective;
  for (double* part :
       {&parts.forward, &parts.backward, &parts.optimizer, &parts.host_sync, &parts.collective, &parts.other})
    *part = std::max(0.0, *part / steps);
  if (waits_seen || waited > 0) parts.data_wait = waited / steps;
  return parts;
}

std::vector<RareEvent> rare_events(const std::vector<StepRow>& rows, double usual_seconds) {
  std::array<RareEvent, 3> events{
      {{RareKind::kEpochBegin, 0, 0}, {RareKind::kValidation, 0, 0}, {RareKind::kCheckpoint, 0, 0}}};
  for (const StepRow& row : rows)
    if (const auto kind = rare_kind(row)) {
      RareEvent& event = events[static_cast<std::size_t>(*kind)];
      event.count += 1;
      event.seconds_each += std::max(
          0.0, static_cast<double>(row.duration_ns) * kNano - usual_seconds * static_cast<double>(row.steps));
    }
  std::vector<RareEvent> seen;
  for (RareEvent& event : events)
    if (event.count > 0) {
      event.seconds_each /= static_cast<double>(event.count);
      seen.push_back(event);
    }
  return seen;
}

std::int64_t count_steps(const std::vector<StepRow>& rows) {
  std::int64_t steps = 0;
  for (const StepRow& row : rows) steps += row.steps;
  return steps;
}

// Samples per step, where every row knows them.
std::optional<double> mean_samples(const std::vector<StepRow>& rows) {
  double samples = 0, steps = 0;
  for (const StepRow& row : rows) {
    if (row.samples < 0) return std::nullopt;
    samples += static_cast<double>(row.samples);
    steps += static_cast<double>(row.steps);
  }
  if (samples <= 0) return std::nullopt;
  return samples / steps;
}

}  // namespace

std::optional<StepMeasure> measure_steps(const ProcessSteps& process, const SliceSettings& settings,
                                         const StepConditions& conditions) {
  const Slice slice = slice_of(process, settings);
  if (slice.measured.empty()) return std::nullopt;
  std::vector<StepRow> usual;
  for (const StepRow& row : slice.measured)
    if (!rare_kind(row)) usual.push_back(row);
  const bool is_all_rare = usual.empty();
  if (is_all_rare) usual = slice.measured;
  StepMeasure measure;
  measure.steps = count_steps(slice.measured);
  measure.warmup_steps = count_steps(slice.warmup);
  for (const StepRow& row : slice.warmup)
    measure.warmup_seconds += static_cast<double>(row.duration_ns) * kNano;
  measure.usual_steps = count_steps(usual);
  std::vector<std::pair<double, double>> weighted;
  double total = 0;
  for (const StepRow& row : usual) {
    weighted.emplace_back(per_step(row.duration_ns, row), static_cast<double>(row.steps));
    total += static_cast<double>(row.duration_ns) * kNano;
  }
  measure.mean = total / static_cast<double>(measure.usual_steps);
  measure.median = *quantile(weighted, 0.5);
  measure.p5 = *quantile(weighted, 0.05);
  measure.p95 = *quantile(weighted, 0.95);
  measure.long_mean = expected_mean(usual, measure.mean, conditions.drift);
  measure.parts = mean_parts(usual, conditions.waits_seen);
  if (!is_all_rare) measure.rare = rare_events(slice.measured, measure.mean);
  measure.samples_per_step = mean_samples(usual);
  return measure;
}

}  // namespace forebay
