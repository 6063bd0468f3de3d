// Turns the spans of one process into training steps. Pure: no clock, no file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "record/step.h"
#include "telemetry/hook_ring.h"

namespace forebay {

// Feed the records of one ring in order. A step ends with optimizer_step; several optimisers that step in
// turn, each once, make one step together, so a step is handed on when the next one is known to have begun
// (or at finish()). Only the thread that steps the optimiser counts: what other threads do overlaps it.
// Memory is bounded whatever is fed.
class StepBuilder {
 public:
  using Sink = std::function<void(const StepRow&)>;

  StepBuilder(std::int64_t pid, std::int32_t rank) : pid_(pid), rank_(rank) {}

  void set_rank(std::int32_t rank) { rank_ = rank; }
  void add(const HookRecord& record, const Sink& sink);
  // A fetch of one of this process's DataLoader workers.
  void add_worker_fetch(const HookRecord& record);
  // Records were lost here: the step they belong to cannot be told and is left out.
  void gap(const Sink& sink);
  // The process has ended: hands on the last step.
  void finish(const Sink& sink);

  std::int64_t steps() const { return steps_; }

 private:
  struct Parts {  // exclusive nanoseconds
    std::int64_t data_wait = 0, forward = 0, backward = 0, optimizer = 0, host_sync = 0, checkpoint = 0,
                 collective = 0, validation = 0, epoch_begin = 0;
    std::int64_t host_syncs = 0;
    std::int64_t samples = -1;    // of training
    std::int64_t undecided = -1;  // fetched, and neither trained on nor validated with so far
  };
  struct Interval {  // a finished span that no longer one has enclosed yet
    std::int64_t start = 0, inclusive = 0;
  };
  struct Thread {
    std::uint32_t id = 0;
    std::int64_t first_ns = -1;  // of what was seen since the last step ended
    Parts parts;
    std::vector<Interval> open;
  };
  struct Fetch {
    std::int64_t end = 0, duration = 0, processor = 0;
    bool processor_known = false;
  };
  Thread& thread_of(std::uint32_t id);
  std::int64_t exclusive(Thread& thread, const HookRecord& record) const;
  void count(Parts& parts, const HookRecord& record, std::int64_t nanoseconds);
  void end_step(Thread& thread, const HookRecord& record, const Sink& sink);
  void begin_next(std::int64_t end_ns);
  void hand_on(const Sink& sink);

  std::int64_t pid_;
  std::int32_t rank_;
  std::int64_t step_start_ns_ = -1;  // -1 = not known: before the first span, or after a gap
  bool after_gap_ = false;
  std::vector<Thread> threads_;
  std::vector<Fetch> fetches_;
  std::optional<StepRow> pending_;
  std::vector<std::int64_t> pending_optimizers_;
  std::int64_t next_index_ = 0, steps_ = 0;
};

}  // namespace forebay
