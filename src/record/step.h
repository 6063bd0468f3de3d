// Training steps as the hook saw them, summed per step (or per second, once a run has very many).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

// One row of steps.seg. All times are nanoseconds, `start_ns` on CLOCK_MONOTONIC. The parts are exclusive of
// each other and sum to at most `duration_ns`; what is left over is Python and everything the hook does not
// see.
struct StepRow {
  std::int32_t process = 0;      // pid of the script's process
  std::int32_t rank = -1;        // distributed rank, -1 = not distributed
  std::int64_t first_step = 0;   // index of the (first) step in this row
  std::int64_t steps = 1;        // how many steps are summed here; 1 unless the run has very many
  std::int64_t start_ns = 0;     // end of the step before (for the first step: of the first span seen)
  std::int64_t duration_ns = 0;  // start to the end of optimizer.step(), summed over `steps`
  std::int64_t data_wait_ns = 0;
  std::int64_t forward_ns = 0;
  std::int64_t backward_ns = 0;
  std::int64_t optimizer_ns = 0;
  std::int64_t host_sync_ns = 0;
  std::int64_t checkpoint_ns = 0;
  std::int64_t collective_ns = 0;
  std::int64_t validation_ns = 0;
  std::int64_t epoch_begin_ns = 0;        // making iterators, starting workers
  std::int64_t samples = -1;              // training samples consumed, -1 = not known
  std::int64_t host_syncs = 0;            // how many
  std::int64_t worker_fetch_ns = 0;       // in DataLoader workers, summed over workers; overlaps the step
  std::int64_t worker_fetch_cpu_ns = -1;  // CPU time of that, -1 = not known
};

std::string encode_step(const StepRow& step);
Result<StepRow> decode_step(std::string_view payload);

}  // namespace forebay
