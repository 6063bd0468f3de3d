#include "telemetry/step_summing.h"

#include <algorithm>

namespace forebay {
namespace {

constexpr std::size_t kMostOpen = 1024;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return a > kMost - std::min(b, kMost) ? kMost : a + b;
}

void add_to(StepRow& sum, const StepRow& row) {
  for (const auto part :
       {&StepRow::steps, &StepRow::duration_ns, &StepRow::data_wait_ns, &StepRow::forward_ns,
        &StepRow::backward_ns, &StepRow::optimizer_ns, &StepRow::host_sync_ns, &StepRow::checkpoint_ns,
        &StepRow::collective_ns, &StepRow::validation_ns, &StepRow::epoch_begin_ns, &StepRow::host_syncs,
        &StepRow::worker_fetch_ns})
    sum.*part = plus(sum.*part, row.*part);
  // A sum with an unknown part is not known.
  for (const auto part : {&StepRow::samples, &StepRow::worker_fetch_cpu_ns})
    sum.*part = sum.*part < 0 || row.*part < 0 ? -1 : plus(sum.*part, row.*part);
}

}  // namespace

std::int64_t StepSumming::span_ns(std::int64_t rows) {
  if (rows < 50'000) return 0;
  if (rows < 150'000) return kSecond;
  if (rows < 250'000) return 10 * kSecond;
  return 60 * kSecond;
}

void StepSumming::put(const StepRow& row, const Sink& sink) {
  ++rows_;
  sink(row);
}

void StepSumming::add(const StepRow& row, const Sink& sink) {
  const std::int64_t span = span_ns(rows_);
  const auto at = open_.find(row.process);
  if (span == 0) return put(row, sink);
  if (at == open_.end()) {
    if (open_.size() >= kMostOpen) finish(open_.begin()->first, sink);
    open_.emplace(row.process, row);
    return;
  }
  StepRow& sum = at->second;
  // A row says "steps first_step … first_step + steps": it must not span a hole.
  if (row.start_ns - sum.start_ns < span && row.first_step == sum.first_step + sum.steps)
    return add_to(sum, row);
  put(sum, sink);
  sum = row;
}

void StepSumming::finish(std::int32_t process, const Sink& sink) {
  const auto at = open_.find(process);
  if (at == open_.end()) return;
  put(at->second, sink);
  open_.erase(at);
}

void StepSumming::finish_all(const Sink& sink) {
  for (const auto& [process, row] : open_) put(row, sink);
  open_.clear();
}

}  // namespace forebay
