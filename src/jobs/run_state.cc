#include "jobs/run_state.h"

#include <array>

#include <fmt/format.h>

namespace forebay {
namespace {

using enum RunState;

constexpr std::array<std::pair<RunState, std::string_view>, 13> kStateNames{{{kQueued, "queued"},
                                                                             {kPlanning, "planning"},
                                                                             {kProvisioning, "provisioning"},
                                                                             {kPreparing, "preparing"},
                                                                             {kStaging, "staging"},
                                                                             {kRunning, "running"},
                                                                             {kSaving, "saving"},
                                                                             {kReleasing, "releasing"},
                                                                             {kFinished, "finished"},
                                                                             {kFailed, "failed"},
                                                                             {kCancelled, "cancelled"},
                                                                             {kRecovering, "recovering"},
                                                                             {kUnreachable, "unreachable"}}};

constexpr std::array<std::pair<RunMove, std::string_view>, 14> kMoveNames{
    {{RunMove::kPlan, "plan"},
     {RunMove::kProvision, "provision"},
     {RunMove::kPrepare, "prepare"},
     {RunMove::kStage, "stage"},
     {RunMove::kStart, "start"},
     {RunMove::kSave, "save"},
     {RunMove::kRelease, "release"},
     {RunMove::kFinish, "finish"},
     {RunMove::kFail, "fail"},
     {RunMove::kCancel, "cancel"},
     {RunMove::kLoseContact, "lose-contact"},
     {RunMove::kRegainContact, "regain-contact"},
     {RunMove::kRecover, "recover"},
     {RunMove::kRetry, "retry"}}};

constexpr std::array kTransitions = std::to_array<Transition>({
    {kQueued, RunMove::kPlan, kPlanning},
    {kPlanning, RunMove::kProvision, kProvisioning},
    {kProvisioning, RunMove::kPrepare, kPreparing},
    {kPreparing, RunMove::kStage, kStaging},
    {kStaging, RunMove::kStart, kRunning},
    {kRunning, RunMove::kSave, kSaving},
    {kSaving, RunMove::kRelease, kReleasing},
    // What was rented is given back whatever happened before.
    {kPlanning, RunMove::kRelease, kReleasing},
    {kProvisioning, RunMove::kRelease, kReleasing},
    {kPreparing, RunMove::kRelease, kReleasing},
    {kStaging, RunMove::kRelease, kReleasing},
    {kRunning, RunMove::kRelease, kReleasing},
    {kReleasing, RunMove::kFinish, kFinished},
    {kReleasing, RunMove::kFail, kFailed},
    {kReleasing, RunMove::kCancel, kCancelled},
    // Nothing was held yet.
    {kQueued, RunMove::kFail, kFailed},
    {kQueued, RunMove::kCancel, kCancelled},
    // Remote machines.
    {kRunning, RunMove::kLoseContact, kUnreachable},
    {kUnreachable, RunMove::kRegainContact, kRunning},
    {kUnreachable, RunMove::kRecover, kRecovering},
    {kUnreachable, RunMove::kRelease, kReleasing},
    {kRunning, RunMove::kRecover, kRecovering},
    {kRecovering, RunMove::kRetry, kProvisioning},
    {kRecovering, RunMove::kRelease, kReleasing},
});

}  // namespace

std::string_view run_state_name(RunState state) {
  for (const auto& [each, name] : kStateNames)
    if (each == state) return name;
  return "failed";
}

std::vector<std::string> run_state_names() {
  std::vector<std::string> names;
  for (const auto& [state, name] : kStateNames) names.emplace_back(name);
  return names;
}

std::optional<RunState> run_state(std::string_view text) {
  for (const auto& [each, name] : kStateNames)
    if (name == text) return each;
  return std::nullopt;
}

std::string_view run_move_name(RunMove move) {
  for (const auto& [each, name] : kMoveNames)
    if (each == move) return name;
  return "?";
}

bool is_terminal(RunState state) {
  return state == kFinished || state == kFailed || state == kCancelled;
}

std::span<const Transition> transitions() {
  return kTransitions;
}

Result<RunState> next(RunState state, RunMove move) {
  for (const Transition& each : kTransitions)
    if (each.from == state && each.move == move) return each.to;
  return make_error(ErrorCode::kConflict,
                    run_move_name(move) == "?" ? "move" : std::string(run_move_name(move)), "a run",
                    fmt::format("it is {}", run_state_name(state)));
}

}  // namespace forebay
