#include "jobs/run_state.h"

#include <gtest/gtest.h>

#include <set>

namespace forebay {
namespace {

TEST(RunState, FollowsTheWholeLifeOfARun) {
  RunState state = RunState::kQueued;
  for (RunMove move : {RunMove::kPlan, RunMove::kProvision, RunMove::kPrepare, RunMove::kStage,
                       RunMove::kStart, RunMove::kSave, RunMove::kRelease, RunMove::kFinish}) {
    const auto after = next(state, move);
    ASSERT_TRUE(after) << run_move_name(move);
    state = *after;
  }
  EXPECT_EQ(state, RunState::kFinished);
}

TEST(RunState, NothingLeavesATerminalState) {
  for (RunState state : {RunState::kFinished, RunState::kFailed, RunState::kCancelled})
    for (const Transition& each : transitions()) EXPECT_FALSE(next(state, each.move));
}

TEST(RunState, EveryActiveStateCanReachAnEnd) {
  std::set<RunState> ending{RunState::kFinished, RunState::kFailed, RunState::kCancelled};
  for (bool grew = true; grew;) {
    grew = false;
    for (const Transition& each : transitions())
      if (ending.contains(each.to) && ending.insert(each.from).second) grew = true;
  }
  for (const Transition& each : transitions())
    EXPECT_TRUE(ending.contains(each.from)) << run_state_name(each.from);
}

TEST(RunState, RefusesAnIllegalMoveWithTheStateInTheSentence) {
  const auto refused = next(RunState::kQueued, RunMove::kSave);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().sentence().find("queued"), std::string::npos);
}

TEST(RunState, NamesRoundTrip) {
  for (const Transition& each : transitions()) EXPECT_EQ(run_state(run_state_name(each.to)), each.to);
}

}  // namespace
}  // namespace forebay
