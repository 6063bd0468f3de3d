// The states of a run and the one table of legal moves (docs/run-states.md is drawn from it).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace forebay {

enum class RunState {
  kQueued,
  kPlanning,
  kProvisioning,
  kPreparing,
  kStaging,
  kRunning,
  kSaving,
  kReleasing,
  kFinished,
  kFailed,
  kCancelled,
  kRecovering,   // the attempt is lost, another will be made
  kUnreachable,  // the machine does not answer; it may well be running
};

enum class RunMove {
  kPlan,
  kProvision,
  kPrepare,
  kStage,
  kStart,
  kSave,
  kRelease,
  kFinish,
  kFail,
  kCancel,
  kLoseContact,
  kRegainContact,
  kRecover,
  kRetry,
};

struct Transition {
  RunState from;
  RunMove move;
  RunState to;
};

std::string_view run_state_name(RunState state);
std::optional<RunState> run_state(std::string_view name);
std::vector<std::string> run_state_names();
std::string_view run_move_name(RunMove move);
bool is_terminal(RunState state);
std::span<const Transition> transitions();
// The state after `move`, or kConflict with a sentence when the table does not allow it.
Result<RunState> next(RunState state, RunMove move);

}  // namespace forebay
