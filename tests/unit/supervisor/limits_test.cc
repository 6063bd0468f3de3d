#include "supervisor/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1000 * kSecond;

std::int64_t at(int seconds) {
  return kStart + seconds * kSecond;
}

// A job everything is known of and that does nothing since its start.
Activity quiet(int now) {
  Activity activity;
  activity.sampled_ns = at(now);
  activity.cpu_known = activity.io_known = activity.gpu_known = true;
  return activity;
}

Limits idle(int seconds) {
  Limits limits;
  limits.idle_stop = Duration{seconds * kSecond};
  return limits;
}

Limits hang(int seconds) {
  Limits limits;
  limits.hang_stop = Duration{seconds * kSecond};
  return limits;
}

StopReason judged(const Limits& limits, const std::optional<Activity>& activity, int now) {
  const auto reached = reached_limit(limits, activity, kStart, at(now));
  return reached ? reached->reason : StopReason::kNone;
}

TEST(Limits, DurationsNeedNoActivity) {
  Limits limits;
  limits.max_duration = Duration{10 * kSecond};
  EXPECT_EQ(judged(limits, std::nullopt, 9), StopReason::kNone);
  EXPECT_EQ(judged(limits, std::nullopt, 10), StopReason::kMaxDuration);
  limits.budget = Duration{5 * kSecond};
  EXPECT_EQ(judged(limits, std::nullopt, 5), StopReason::kBudget);
}

TEST(Limits, ASliceIsOverAfterItsStepsOrItsTime) {
  Limits limits;
  limits.slice_steps = 55;
  Activity activity = quiet(3);
  activity.steps = 110;  // two ranks
  activity.most_steps = 54;
  EXPECT_EQ(judged(limits, activity, 3), StopReason::kNone);
  EXPECT_EQ(judged(limits, std::nullopt, 99), StopReason::kNone) << "without a recorder nothing is counted";
  activity.most_steps = 55;
  EXPECT_EQ(judged(limits, activity, 3), StopReason::kSlice);
  limits.slice_duration = Duration{10 * kSecond};
  activity.most_steps = 0;
  EXPECT_EQ(judged(limits, activity, 9), StopReason::kNone);
  EXPECT_EQ(judged(limits, std::nullopt, 10), StopReason::kSlice);
  limits.max_duration = Duration{10 * kSecond};
  EXPECT_EQ(judged(limits, activity, 10), StopReason::kMaxDuration) << "the job's own limit is a failure";
}

TEST(Limits, NothingIsJudgedWithoutLimits) {
  EXPECT_EQ(judged({}, quiet(99999), 99999), StopReason::kNone);
}

TEST(Limits, AQuietJobIsIdleAfterTheTimeAndSaysWhich) {
  EXPECT_EQ(judged(idle(60), quiet(59), 59), StopReason::kNone);
  EXPECT_EQ(judged(idle(60), quiet(60), 60), StopReason::kIdle);
  EXPECT_THAT(reached_limit(idle(60), quiet(60), kStart, at(60))->sentence, testing::HasSubstr("idle_stop"));
}

TEST(Limits, AnySignOfLifeResetsIdle) {
  for (auto Activity::* sign :
       {&Activity::last_cpu_ns, &Activity::last_io_ns, &Activity::last_gpu_ns, &Activity::last_step_ns,
        &Activity::last_log_ns, &Activity::last_progress_ns}) {
    Activity activity = quiet(100);
    activity.*sign = at(50);
    EXPECT_EQ(judged(idle(60), activity, 100), StopReason::kNone);
    EXPECT_EQ(judged(idle(50), activity, 100), StopReason::kIdle);
  }
}

TEST(Limits, ABusyLoopIsNotIdleButHangs) {
  Activity activity = quiet(100);
  activity.last_cpu_ns = at(100);
  EXPECT_EQ(judged(idle(60), activity, 100), StopReason::kNone);
  EXPECT_EQ(judged(hang(60), activity, 100), StopReason::kHang);
}

TEST(Limits, AStepALineOrInputAndOutputShowThatNothingHangs) {
  for (auto Activity::* sign : {&Activity::last_io_ns, &Activity::last_step_ns, &Activity::last_log_ns,
                                &Activity::last_progress_ns}) {
    Activity activity = quiet(100);
    activity.*sign = at(41);
    EXPECT_EQ(judged(hang(60), activity, 100), StopReason::kNone);
  }
}

TEST(Limits, WhatIsNotKnownIsNotHeldAgainstTheJob) {
  Activity activity = quiet(100);
  activity.cpu_known = false;
  EXPECT_EQ(judged(idle(60), activity, 100), StopReason::kNone);
  activity = quiet(100);
  activity.io_known = false;
  EXPECT_EQ(judged(hang(60), activity, 100), StopReason::kNone);
  EXPECT_EQ(judged(idle(60), std::nullopt, 100), StopReason::kNone);
}

TEST(Limits, ASamplerThatIsLateProvesNothing) {
  EXPECT_EQ(judged(idle(60), quiet(40), 100), StopReason::kNone);
  Activity never = quiet(0);
  never.sampled_ns.reset();
  EXPECT_EQ(judged(hang(60), never, 100), StopReason::kNone);
}

}  // namespace
}  // namespace forebay
