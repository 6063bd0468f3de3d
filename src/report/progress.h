// The live lines of `forebay run` on a terminal. Pure: state in, one line out (no line end, no cursor
// movement); the caller erases and redraws, about ten times a second at most.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "report/style.h"

namespace forebay {

// Something Forebay itself does before or after the job: building an environment, copying outputs.
struct ProgressState {
  std::string doing;                  // translated: "installing 12 packages"
  std::optional<double> done, total;  // in `unit`; unknown total: a spinner and the amount
  enum class Unit { kItems, kBytes, kSeconds } unit = Unit::kItems;
  Duration elapsed;  // since it began
};
// Bar, share, rate and time left once it has lasted for over a second; a spinner and the elapsed time
// otherwise.
std::string render_progress(const ProgressState& state, const TerminalStyle& style);

// The job itself while it runs.
struct LiveState {
  Duration elapsed;
  std::optional<std::int64_t> step, total_steps;
  std::optional<double> loss;
  std::optional<double> steps_per_second;
  std::optional<double> data_wait_share;  // 0..1 of the last steps
  std::optional<double> cpu_cores_busy;   // of the run's tree
  std::optional<double> gpu_utilization;  // 0..1, mean over devices
  std::optional<Bytes> memory, memory_limit;
  std::optional<Duration> quiet_for;  // no step, no log line, no I/O since
  std::optional<Money> spent;
};
// Fields are left out from the least important one on until the line fits; what is unknown is not shown.
std::string render_live(const LiveState& state, const TerminalStyle& style);

}  // namespace forebay
