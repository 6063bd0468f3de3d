#include "planning/interruption.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace forebay {
namespace {

Duration seconds(double value) {
  return Duration::from_seconds(value);
}

TEST(Interruption, AMonthlyShareGivesAMeanTime) {
  // Half of them within 30 days: the half-life is 30 days, the mean 30 / ln 2.
  EXPECT_NEAR(mean_time_between_interruptions({0.5})->seconds(), 30 * 86'400 / std::log(2.0), 1);
  EXPECT_FALSE(mean_time_between_interruptions({0}));
  EXPECT_FALSE(mean_time_between_interruptions({1}));
  EXPECT_FALSE(mean_time_between_interruptions({std::nan("")}));
}

TEST(Interruption, TheBestIntervalIsCloseToYoungsForCheapCheckpoints) {
  const double best = best_checkpoint_interval(seconds(36'000), seconds(5)).seconds();
  EXPECT_NEAR(best, std::sqrt(2 * 5 * 36'000.0), 10);
  EXPECT_EQ(best_checkpoint_interval(seconds(100), seconds(300)).seconds(), 100);
  EXPECT_EQ(best_checkpoint_interval(seconds(100), seconds(0)).seconds(), 0);
}

TEST(Interruption, NoOtherIntervalIsBetterThanTheBest) {
  const double mean = 4 * 3600, cost = 60;
  CheckpointHabit habit{seconds(cost), seconds(300), std::nullopt};
  const double best = expected_time(seconds(48 * 3600), seconds(mean), habit)->seconds();
  for (const double interval : {60.0, 300.0, 600.0, 1200.0, 2400.0, 7200.0}) {
    habit.interval = seconds(interval);
    EXPECT_GE(expected_time(seconds(48 * 3600), seconds(mean), habit)->seconds(), best * 0.9999) << interval;
  }
}

// The formula beside a simulation of the process it describes.
TEST(Interruption, TheExpectedTimeIsTheMeanOfManySimulatedJobs) {
  const double mean = 7200, restart = 600, cost = 30, interval = 1800, work = 36'000;
  std::mt19937 random(1);
  std::exponential_distribution<double> until_failure(1 / mean);
  double total = 0;
  constexpr int kJobs = 20'000;
  for (int job = 0; job < kJobs; ++job) {
    double done = 0, next_failure = until_failure(random), now = 0;
    while (done < work) {
      const double need = interval + cost;
      if (now + need <= next_failure) {
        now += need;
        done += interval;
        continue;
      }
      now = next_failure;
      for (bool is_back = false; !is_back;) {  // restarts are interrupted too
        next_failure = now + until_failure(random);
        is_back = now + restart <= next_failure;
        now = is_back ? now + restart : next_failure;
      }
    }
    total += now;
  }
  const CheckpointHabit habit{seconds(cost), seconds(restart), seconds(interval)};
  EXPECT_NEAR(expected_time(seconds(work), seconds(mean), habit)->seconds(), total / kJobs,
              0.01 * total / kJobs);
}

TEST(Interruption, WhatNeverEndsIsUnknown) {
  const CheckpointHabit habit{seconds(60), seconds(3600 * 10), std::nullopt};
  EXPECT_FALSE(expected_time(seconds(3600 * 1000), seconds(60), habit));
  EXPECT_EQ(expected_time(seconds(0), seconds(60), habit), seconds(0));
}

TEST(Interruption, WithoutInterruptionsInSightOnlyTheCheckpointsCost) {
  const CheckpointHabit habit{seconds(6), seconds(60), seconds(600)};
  EXPECT_NEAR(expected_time(seconds(6000), seconds(1e9), habit)->seconds(), 6060, 1);
}

}  // namespace
}  // namespace forebay
