#include "telemetry/step_builder.h"

#include <algorithm>

namespace forebay {
namespace {

constexpr std::size_t kMostThreads = 32;
constexpr std::size_t kMostOpen = 1024;
constexpr std::size_t kMostFetches = 16384;
constexpr std::size_t kMostOptimizers = 64;
constexpr std::int64_t kMost = std::int64_t{1} << 62;

// Sums of hostile numbers stay numbers.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return std::min(kMost, a > kMost - b ? kMost : a + b);
}

std::int64_t add_known(std::int64_t a, std::int64_t b) {
  return a < 0 ? b : b < 0 ? a : plus(a, b);
}

}  // namespace

StepBuilder::Thread& StepBuilder::thread_of(std::uint32_t id) {
  for (Thread& thread : threads_)
    if (thread.id == id) return thread;
  if (threads_.size() >= kMostThreads) threads_.erase(threads_.begin());
  threads_.push_back(Thread{.id = id});
  return threads_.back();
}

// The time of this span that is its own: spans inside it came before it and are taken off. What began before
// the step is cut.
std::int64_t StepBuilder::exclusive(Thread& thread, const HookRecord& record) const {
  const std::int64_t start = std::max(record.start_ns, step_start_ns_);
  const std::int64_t inclusive = std::max<std::int64_t>(record.end_ns() - start, 0);
  std::int64_t inside = 0;
  while (!thread.open.empty() && thread.open.back().start >= start) {
    inside = plus(inside, thread.open.back().inclusive);
    thread.open.pop_back();
  }
  if (thread.open.size() >= kMostOpen) {  // an older pair becomes one
    thread.open[1].start = thread.open[0].start;
    thread.open[1].inclusive = plus(thread.open[0].inclusive, thread.open[1].inclusive);
    thread.open.erase(thread.open.begin());
  }
  thread.open.push_back({start, inclusive});
  return std::max<std::int64_t>(inclusive - inside, 0);
}

void StepBuilder::count(Parts& parts, const HookRecord& record, std::int64_t nanoseconds) {
  const auto add = [nanoseconds](std::int64_t& part) { part = plus(part, nanoseconds); };
  switch (record.kind) {
    case SpanKind::kDataWait:
      add(parts.data_wait);
      if (record.a && *record.a > 0) parts.undecided = add_known(parts.undecided, std::min(*record.a, kMost));
      break;
    case SpanKind::kForward:
      add(parts.forward);
      parts.samples = add_known(parts.samples, parts.undecided);
      parts.undecided = -1;
      break;
    case SpanKind::kValidation:
      add(parts.validation);
      parts.undecided = -1;  // what was fetched was not trained on
      break;
    case SpanKind::kHostSync:
      add(parts.host_sync);
      ++parts.host_syncs;
      break;
    case SpanKind::kBackward:
      add(parts.backward);
      break;
    case SpanKind::kOptimizerStep:
      add(parts.optimizer);
      break;
    case SpanKind::kCheckpointSave:
      add(parts.checkpoint);
      break;
    case SpanKind::kCollective:
      add(parts.collective);
      break;
    case SpanKind::kEpochBegin:
      add(parts.epoch_begin);
      break;
    case SpanKind::kWorkerFetch:
    case SpanKind::kOutOfMemory:
      break;
  }
}

void StepBuilder::add(const HookRecord& record, const Sink& sink) {
  if (record.kind == SpanKind::kOutOfMemory) return;
  if (record.kind == SpanKind::kWorkerFetch) return add_worker_fetch(record);
  Thread& thread = thread_of(record.thread);
  if (thread.first_ns < 0 || record.start_ns < thread.first_ns) thread.first_ns = record.start_ns;
  count(thread.parts, record, exclusive(thread, record));
  if (record.kind == SpanKind::kOptimizerStep) end_step(thread, record, sink);
}

void StepBuilder::add_worker_fetch(const HookRecord& record) {
  if (fetches_.size() >= kMostFetches) fetches_.erase(fetches_.begin(), fetches_.begin() + kMostFetches / 2);
  Fetch fetch{record.end_ns(), record.duration_ns, 0, false};
  if (record.b && *record.b >= 0 && *record.b < 1e9) {
    fetch.processor = static_cast<std::int64_t>(*record.b * 1e9);
    fetch.processor_known = true;
  }
  fetches_.push_back(fetch);
}

// After a step nothing that was seen before counts for the next one, on any thread.
void StepBuilder::begin_next(std::int64_t end_ns) {
  step_start_ns_ = end_ns;
  for (Thread& thread : threads_) {
    const std::int64_t undecided = thread.parts.undecided;
    thread.parts = {};
    thread.parts.undecided = undecided;
    thread.open.clear();
    thread.first_ns = -1;
  }
}

void StepBuilder::end_step(Thread& thread, const HookRecord& record, const Sink& sink) {
  const std::int64_t end = record.end_ns();
  if (after_gap_) {  // the first end after a gap only says where the next step begins
    after_gap_ = false;
    next_index_ = std::max(record.step, next_index_) + 1;
    ++steps_;
    begin_next(end);
    return;
  }
  StepRow row;
  row.process = static_cast<std::int32_t>(pid_);
  row.rank = rank_;
  row.start_ns = step_start_ns_ >= 0 ? step_start_ns_ : thread.first_ns;
  row.duration_ns = std::max<std::int64_t>(end - row.start_ns, 0);
  const Parts& parts = thread.parts;
  row.data_wait_ns = parts.data_wait;
  row.forward_ns = parts.forward;
  row.backward_ns = parts.backward;
  row.optimizer_ns = parts.optimizer;
  row.host_sync_ns = parts.host_sync;
  row.checkpoint_ns = parts.checkpoint;
  row.collective_ns = parts.collective;
  row.validation_ns = parts.validation;
  row.epoch_begin_ns = parts.epoch_begin;
  row.host_syncs = parts.host_syncs;
  // A step whose forward the hook could not see still consumed what it had fetched.
  row.samples = add_known(parts.samples, parts.undecided);
  thread.parts.undecided = -1;

  // Which optimiser: one that has already stepped in the pending step begins another one.
  const std::int64_t optimizer = record.a.value_or(0);
  const bool joins = pending_ && pending_optimizers_.size() < kMostOptimizers &&
                     std::ranges::find(pending_optimizers_, optimizer) == pending_optimizers_.end();
  if (joins) {
    StepRow& sum = *pending_;
    for (const auto part :
         {&StepRow::duration_ns, &StepRow::data_wait_ns, &StepRow::forward_ns, &StepRow::backward_ns,
          &StepRow::optimizer_ns, &StepRow::host_sync_ns, &StepRow::checkpoint_ns, &StepRow::collective_ns,
          &StepRow::validation_ns, &StepRow::epoch_begin_ns, &StepRow::host_syncs})
      sum.*part = plus(sum.*part, row.*part);
    sum.samples = add_known(sum.samples, row.samples);
    pending_optimizers_.push_back(optimizer);
  } else {
    hand_on(sink);
    row.first_step = std::max(record.step, next_index_);
    next_index_ = row.first_step + 1;
    pending_ = row;
    pending_optimizers_.assign(1, optimizer);
    ++steps_;
  }
  begin_next(end);
}

void StepBuilder::hand_on(const Sink& sink) {
  if (!pending_) return;
  StepRow row = *pending_;
  pending_.reset();
  pending_optimizers_.clear();
  const std::int64_t end = row.start_ns + row.duration_ns;
  std::int64_t processor = 0;
  bool processor_known = true, any = false;
  std::erase_if(fetches_, [&](const Fetch& fetch) {
    if (fetch.end > end) return false;
    any = true;
    row.worker_fetch_ns = plus(row.worker_fetch_ns, fetch.duration);
    processor = plus(processor, fetch.processor);
    processor_known = processor_known && fetch.processor_known;
    return true;
  });
  if (any && processor_known) row.worker_fetch_cpu_ns = processor;
  sink(row);
}

void StepBuilder::gap(const Sink& sink) {
  hand_on(sink);
  for (Thread& thread : threads_) thread = Thread{.id = thread.id};
  step_start_ns_ = -1;
  after_gap_ = true;
}

void StepBuilder::finish(const Sink& sink) {
  hand_on(sink);
}

}  // namespace forebay
