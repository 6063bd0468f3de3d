#include "planning/capacity_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

constexpr double kHour = 3600, kDay = 86'400;

CapacityAdvice advice(double seconds, const CapacityNeeds& needs) {
  return advise_capacity(ExpectedRange{seconds * 0.9, seconds}, needs);
}

std::string reasons(const CapacityAdvice& given) {
  std::string all;
  for (const Text& reason : given.reasons) all += render(reason) + "\n";
  return all;
}

constexpr CapacityNeeds kResumes{.has_checkpoint = true, .checkpoint_seconds = 20, .restart_seconds = 120};
constexpr CapacityNeeds kStartsAnew{.restart_seconds = 120};

TEST(CapacityAdvice, AJobThatResumesIsForSpot) {
  for (const double hours : {0.5, 10.0, 500.0}) {
    const auto given = advice(hours * kHour, kResumes);
    EXPECT_EQ(given.kind, CapacityKind::kSpot) << hours;
    EXPECT_GT(*given.spot_cost_ratio, 0.41);
    EXPECT_LT(*given.spot_cost_ratio, 0.63);
  }
}

TEST(CapacityAdvice, WithoutACheckpointOnlyAShortJobIs) {
  EXPECT_EQ(advice(0.5 * kHour, kStartsAnew).kind, CapacityKind::kSpot);
  const auto long_one = advice(20 * kHour, kStartsAnew);
  EXPECT_EQ(long_one.kind, CapacityKind::kOnDemand);
  EXPECT_THAT(reasons(long_one), testing::HasSubstr("FOREBAY_RESUME"));
  const auto endless = advice(3000 * kHour, kStartsAnew);
  EXPECT_FALSE(endless.spot_cost_ratio);
  EXPECT_EQ(endless.kind, CapacityKind::kOnDemand);
}

TEST(CapacityAdvice, WhatMustNotBeInterruptedIsNot) {
  CapacityNeeds needs = kResumes;
  needs.may_be_interrupted = false;
  EXPECT_EQ(advice(10 * kHour, needs).kind, CapacityKind::kOnDemand);
  EXPECT_EQ(advice(300 * kDay, needs).kind, CapacityKind::kLongTerm);
}

TEST(CapacityAdvice, ACommitmentIsWorthItOnceItsShareOfTheTermIsUsed) {
  CapacityNeeds needs{.may_be_interrupted = false};
  EXPECT_EQ(advice(0.62 * 365 * kDay, needs).kind, CapacityKind::kOnDemand);
  EXPECT_EQ(advice(0.64 * 365 * kDay, needs).kind, CapacityKind::kLongTerm);
}

TEST(CapacityAdvice, AnUnknownLengthIsNoAdvice) {
  const auto given = advise_capacity(std::nullopt, kResumes);
  EXPECT_EQ(given.kind, CapacityKind::kUnknown);
  EXPECT_FALSE(given.spot_cost_ratio);
  EXPECT_THAT(reasons(given), testing::HasSubstr("not known"));
  EXPECT_TRUE(to_json(given)["spot_cost_ratio"].is_null());
}

}  // namespace
}  // namespace forebay
