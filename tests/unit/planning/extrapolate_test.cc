#include "planning/extrapolate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

// A step of a second, 0.6 of which waits for data that is loaded in the main process.
MeasuredWork stalled(bool on_gpu) {
  MeasuredWork work;
  work.on_gpu = on_gpu;
  work.cores_usable = 4;
  work.startup_seconds = 10;
  StepMeasure step;
  step.steps = step.usual_steps = 50;
  step.warmup_steps = 5;
  step.warmup_seconds = 15;
  step.mean = step.median = 1.0;
  step.long_mean = {0.9, 1.1};
  step.parts = {.data_wait = 0.6, .forward = 0.15, .backward = 0.2, .other = 0.05};
  step.samples_per_step = 32;
  work.step = step;
  FeedingInputs feeding;
  feeding.compute_seconds = 0.4;
  feeding.fetch_seconds = feeding.fetch_cpu_seconds = 0.6;
  feeding.cpu_seconds = on_gpu ? 0.7 : 1.0;
  feeding.cores_available = 4;
  feeding.step_seconds = 1.0;
  work.feeding = feeding;
  return work;
}

// Fed by two workers that keep up: compute is all there is.
MeasuredWork fed(double utilization) {
  MeasuredWork work = stalled(true);
  work.gpu_utilization = utilization;
  work.step->parts = {.data_wait = 0.0, .forward = 0.4, .backward = 0.5, .other = 0.1};
  work.feeding->workers = 2;
  work.feeding->compute_seconds = 1.0;
  work.feeding->cpu_seconds = 0.9;
  return work;
}

TargetMachine gpu(double vcpus, double low, double high) {
  TargetMachine target;
  target.vcpus = vcpus;
  target.accelerator_speed = ExpectedRange{low, high};
  target.core_speed = ExpectedRange{1, 1};
  return target;
}

std::string reasons(const Extrapolation& result) {
  std::string all;
  for (const Text& reason : result.reasons) all += render(reason) + "\n";
  return all;
}

TEST(Extrapolate, TheMeasuredMachineGetsTheMeasurement) {
  for (const bool on_gpu : {false, true}) {
    const MeasuredWork work = stalled(on_gpu);
    const auto result = extrapolate(work, measured_machine(work), std::nullopt);
    ASSERT_TRUE(result.step_seconds);
    EXPECT_EQ(*result.step_seconds, work.step->long_mean);
    EXPECT_NEAR(*result.samples_per_second_high, 32 / 0.9, 1e-9);
  }
}

TEST(Extrapolate, LoadingInTheMainProcessIsNotMadeFasterByAnAccelerator) {
  const auto result = extrapolate(stalled(true), gpu(4, 4, 4), std::nullopt);
  ASSERT_TRUE(result.step_seconds);
  EXPECT_GE(result.step_seconds->low, 0.6 + 0.36 / 4 - 1e-9);
  EXPECT_LE(result.step_seconds->high, 1.1);
  EXPECT_EQ(result.bound, StepBound::kLoading);
}

TEST(Extrapolate, WorkersOverlapLoadingWithComputing) {
  TargetMachine target = gpu(8, 1, 1);
  target.workers = 4;
  const auto result = extrapolate(stalled(true), target, std::nullopt);
  ASSERT_TRUE(result.step_seconds);
  EXPECT_NEAR(result.step_seconds->low, 0.36, 1e-9) << "compute alone";
  EXPECT_LT(result.step_seconds->high, 0.75) << "not the sum any more";
  EXPECT_EQ(result.bound, StepBound::kCompute);
}

TEST(Extrapolate, AFastAcceleratorWaitsForItsWorkers) {
  const auto result = extrapolate(fed(1.0), gpu(4, 10, 10), std::nullopt);
  ASSERT_TRUE(result.step_seconds);
  EXPECT_NEAR(result.step_seconds->low, 0.3, 1e-9) << "0.6 s to fetch a batch, two workers";
  EXPECT_EQ(result.bound, StepBound::kLoading);
}

TEST(Extrapolate, OnlyTheBusyShareOfTheGpuGainsForCertain) {
  const auto busy = extrapolate(fed(1.0), gpu(64, 2, 2), std::nullopt),
             half = extrapolate(fed(0.5), gpu(64, 2, 2), std::nullopt);
  MeasuredWork work = fed(0.5);
  work.gpu_utilization.reset();
  const auto unknown = extrapolate(work, gpu(64, 2, 2), std::nullopt);
  EXPECT_NEAR(busy.step_seconds->low, 0.45, 1e-9);
  EXPECT_LT(busy.step_seconds->high, half.step_seconds->high);
  EXPECT_LT(half.step_seconds->high, unknown.step_seconds->high + 1e-12);
  EXPECT_NEAR(unknown.step_seconds->high, 1.1, 1e-9) << "nothing is certain but that it is not slower";
}

TEST(Extrapolate, ASlowerAcceleratorCostsInFull) {
  const auto result = extrapolate(fed(0.5), gpu(4, 0.5, 0.5), std::nullopt);
  EXPECT_GE(result.step_seconds->high, 2.2 - 1e-9);
  EXPECT_GE(result.step_seconds->low, 0.9) << "nowhere faster, so not faster";
}

TEST(Extrapolate, FewCoresAreALimitOfTheirOwn) {
  const auto result = extrapolate(fed(1.0), gpu(0.5, 1, 1), std::nullopt);
  EXPECT_GE(result.step_seconds->low, 0.9 / 0.5 - 1e-9) << "0.9 s of processor time on half a core";
  EXPECT_EQ(result.bound, StepBound::kCores);
}

TEST(Extrapolate, ProcessorWorkScalesWithCoresWithinBounds) {
  MeasuredWork work = stalled(false);
  work.feeding.reset();
  work.step->parts.data_wait.reset();
  TargetMachine target;
  target.core_speed = ExpectedRange{1, 1};
  target.vcpus = 8;
  const auto more = extrapolate(work, target, std::nullopt);
  EXPECT_NEAR(more.step_seconds->low, 0.45, 1e-9);
  EXPECT_NEAR(more.step_seconds->high, 1.1, 1e-9);
  target.vcpus = 1;
  const auto fewer = extrapolate(work, target, std::nullopt);
  EXPECT_NEAR(fewer.step_seconds->low, 0.9, 1e-9);
  EXPECT_NEAR(fewer.step_seconds->high, 4.4, 1e-9);
  EXPECT_THAT(reasons(fewer), testing::HasSubstr("could not be told from computing"));
}

TEST(Extrapolate, WhatIsNotKnownStaysUnknownAndSaysWhy) {
  TargetMachine target;
  target.vcpus = 8;
  const auto speed = extrapolate(stalled(true), target, JobLength{100, std::nullopt, {}});
  EXPECT_FALSE(speed.step_seconds || speed.total_seconds);
  EXPECT_THAT(reasons(speed), testing::HasSubstr("accelerator"));
  target = gpu(8, 2, 2);
  target.vcpus.reset();
  EXPECT_THAT(reasons(extrapolate(stalled(true), target, std::nullopt)), testing::HasSubstr("processors"));
  MeasuredWork none = stalled(true);
  none.step.reset();
  EXPECT_THAT(reasons(extrapolate(none, gpu(8, 2, 2), std::nullopt)),
              testing::HasSubstr("no step was measured"));
  const auto length = extrapolate(stalled(true), gpu(8, 2, 2), std::nullopt);
  EXPECT_FALSE(length.total_seconds);
  EXPECT_THAT(reasons(length), testing::HasSubstr("--total-steps"));
  EXPECT_TRUE(to_json(length)["total_seconds"].is_null());
}

TEST(Extrapolate, NonsenseSpeedsAreNotUsed) {
  for (const ExpectedRange speed : {ExpectedRange{0, 2}, ExpectedRange{-1, 1}, ExpectedRange{3, 2}})
    EXPECT_FALSE(extrapolate(stalled(true), gpu(8, speed.low, speed.high), std::nullopt).step_seconds);
}

TEST(Extrapolate, TheTotalHoldsStartUpWarmUpStepsAndEnd) {
  const MeasuredWork work = stalled(true);
  const auto result = extrapolate(work, measured_machine(work), JobLength{1000, std::nullopt, {}});
  ASSERT_TRUE(result.total_seconds);
  EXPECT_NEAR(result.total_seconds->low, 1000 * 0.9 + 10 / 1.25 + 10, 1e-6);
  EXPECT_NEAR(result.total_seconds->high, 1000 * 1.1 + 10 * 1.25 + 10 + 5, 1e-6);
}

TEST(Extrapolate, EventsAtEvenDistancesAreCountedBetweenOneLessAndOneMore) {
  MeasuredWork work = stalled(true);
  const auto plain = extrapolate(work, measured_machine(work), JobLength{1000, std::nullopt, {}});
  work.step->rare = {{RareKind::kCheckpoint, 3, 2.0}};
  const auto with = extrapolate(work, measured_machine(work), JobLength{1000, std::nullopt, {}});
  EXPECT_NEAR(with.total_seconds->low - plain.total_seconds->low, 1000.0 * 2 / 50 * 2, 1e-6);
  EXPECT_NEAR(with.total_seconds->high - plain.total_seconds->high, 1000.0 * 4 / 50 * 2, 1e-6);
  work.step->rare = {{RareKind::kEpochBegin, 1, 2.0}};
  const auto epochs = extrapolate(work, measured_machine(work), JobLength{1000, 100.0, {}});
  EXPECT_NEAR(epochs.total_seconds->low - plain.total_seconds->low, 20, 1e-6) << "ten epochs, as is known";
}

}  // namespace
}  // namespace forebay
