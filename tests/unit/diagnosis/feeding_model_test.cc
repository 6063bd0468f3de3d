#include "diagnosis/feeding_model.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

// 60 ms of loading and 40 of compute in turn, two threads on two cores, 140 ms of processor time.
FeedingInputs two_cores() {
  FeedingInputs inputs;
  inputs.compute_seconds = 0.040;
  inputs.fetch_seconds = 0.060;
  inputs.cpu_seconds = 0.140;
  inputs.cores_available = 2;
  inputs.compute_threads = 2;
  inputs.step_seconds = 0.100;
  return inputs;
}

int workers_for(const FeedingInputs& inputs, double usable) {
  return best_feeding(inputs, usable).workers;
}

// Measured on two cores (examples/photos): 1098 ms with 710 ms of waiting; with two workers and one compute
// thread 742 ms.
TEST(FeedingModel, WhereWorkersAndThreadsShareFewCoresThreadsMakeRoom) {
  FeedingInputs inputs;
  inputs.step_seconds = 1.098;
  inputs.compute_seconds = 0.388;
  inputs.fetch_seconds = inputs.fetch_cpu_seconds = 0.710;
  inputs.cpu_seconds = 0.710 + 2 * 0.388;
  inputs.cores_available = 2;
  inputs.compute_threads = 2;
  inputs.can_lower_threads = true;
  const FeedingPlan plan = best_feeding(inputs, 2);
  EXPECT_EQ(plan.workers, 2);
  EXPECT_DOUBLE_EQ(plan.threads, 1);
  const FeedingPrediction prediction = predict_feeding(inputs, 2, 1);
  EXPECT_NEAR(prediction.low, 1.098 / 2, 1e-9);
  EXPECT_LT(prediction.low, 0.742);
  EXPECT_GT(prediction.high, 0.742);
  EXPECT_LT(prediction.likely, predict_feeding(inputs, 2).likely);
  inputs.can_lower_threads = false;  // on a GPU the threads are not what computes
  EXPECT_DOUBLE_EQ(best_feeding(inputs, 2).threads, 2);
}

TEST(FeedingModel, WithFreeCoresNoThreadIsTaken) {
  FeedingInputs inputs;
  inputs.step_seconds = 1;
  inputs.compute_seconds = 0.4;
  inputs.fetch_seconds = inputs.fetch_cpu_seconds = 0.6;
  inputs.cpu_seconds = 0.6 + 8 * 0.4;
  inputs.cores_available = 16;
  inputs.compute_threads = 8;
  inputs.can_lower_threads = true;
  EXPECT_DOUBLE_EQ(best_feeding(inputs, 16).threads, 8);
}

TEST(FeedingModel, NoStepBeatsItsProcessorTime) {
  const FeedingPrediction prediction = predict_feeding(two_cores(), 2);
  EXPECT_DOUBLE_EQ(prediction.low, 0.070);
  EXPECT_EQ(prediction.bound, FeedingBound::kCores);
  EXPECT_LE(prediction.low, prediction.likely);
  EXPECT_LE(prediction.likely, prediction.high);
}

TEST(FeedingModel, OneWorkerIsNoFasterThanItsFetch) {
  FeedingInputs inputs = two_cores();
  inputs.cores_available = 16;
  EXPECT_DOUBLE_EQ(predict_feeding(inputs, 1).low, 0.060);
  EXPECT_EQ(predict_feeding(inputs, 1).bound, FeedingBound::kWorkers);
  EXPECT_DOUBLE_EQ(predict_feeding(inputs, 2).low, 0.040);
  EXPECT_EQ(predict_feeding(inputs, 2).bound, FeedingBound::kCompute);
}

TEST(FeedingModel, WithFreeCoresTheIntervalIsNarrow) {
  FeedingInputs inputs = two_cores();
  inputs.cores_available = 16;
  const FeedingPrediction prediction = predict_feeding(inputs, 4);
  EXPECT_NEAR(prediction.high / prediction.low, 1.10, 1e-9);
}

TEST(FeedingModel, WithoutWorkersTodayItIsNeverMuchSlowerThanToday) {
  FeedingInputs inputs = two_cores();
  inputs.cores_available = 0.5;  // neighbours take the rest
  inputs.cpu_seconds = 0.050;
  EXPECT_LE(predict_feeding(inputs, 2).high, 0.110 + 1e-12);
}

TEST(FeedingModel, AdvisesTheFewestWorkersThatAreEnough) {
  FeedingInputs inputs = two_cores();
  inputs.cores_available = 64;
  EXPECT_EQ(workers_for(inputs, 64), 2);
  inputs.fetch_seconds = 0.400;
  EXPECT_EQ(workers_for(inputs, 64), 10);
  inputs.fetch_seconds = 100;
  EXPECT_EQ(workers_for(inputs, 64), 16);  // never more
  inputs.cores_available = 4;
  EXPECT_LE(workers_for(inputs, 4), 4);  // nor more than cores
  inputs.ranks = 4;
  EXPECT_EQ(workers_for(inputs, 4), 1);  // which the ranks share
  EXPECT_EQ(workers_for(inputs, 0.5), 1);
}

// OpenMP threads spin while the main process decodes: that time is used, but not needed.
TEST(FeedingModel, SpinningThreadsAreNoDemand) {
  MetricSet set;
  for (const auto& [name, value] : {std::pair{"plain_step_seconds", 0.127},
                                    {"steady_data_wait_seconds", 0.090},
                                    {"cpu_seconds_per_step", 0.203},
                                    {"cores_available", 1.6},
                                    {"cores_usable", 2.0},
                                    {"other_cores_busy", 0.4},
                                    {"num_workers", 0.0},
                                    {"torch_threads", 2.0}})
    set.add(name, value, "s", "test");
  const auto inputs = feeding_inputs(set);
  ASSERT_TRUE(inputs);
  EXPECT_NEAR(inputs->cpu_seconds, 0.090 + 2 * 0.037, 1e-9);
  const FeedingPrediction prediction = predict_feeding(*inputs, 2);
  EXPECT_NEAR(prediction.low, 0.164 / 1.8, 1e-9);
  EXPECT_LT(prediction.likely, 0.127 / 1.05);  // worth a finding: two workers measured 87 to 108 ms
}

TEST(FeedingModel, NeedsEveryInput) {
  MetricSet set;
  for (const auto& [name, value] : {std::pair{"plain_step_seconds", 0.1},
                                    {"steady_data_wait_seconds", 0.06},
                                    {"cpu_seconds_per_step", 0.14},
                                    {"cores_available", 2.0}})
    set.add(name, value, "s", "test");
  EXPECT_FALSE(feeding_inputs(set));  // number of workers unknown: not 0
  set.add("num_workers", 0, "1", "test");
  ASSERT_TRUE(feeding_inputs(set));
  EXPECT_DOUBLE_EQ(feeding_inputs(set)->fetch_seconds, 0.06);
  set.add("num_workers", 2, "1", "test");
  EXPECT_FALSE(feeding_inputs(set));  // with workers their fetch time must be known
}

}  // namespace
}  // namespace forebay
