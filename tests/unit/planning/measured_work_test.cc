#include "planning/measured_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_record_builder.h"

namespace forebay {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string gaps_of(const MeasuredWork& work) {
  std::string all;
  for (const Text& gap : work.gaps) all += render(gap) + "\n";
  return all;
}

// Eight cores of which 1.3 work; `count` steps of about a second, the shares as given.
RunRecordBuilder training(std::int64_t count, const RunRecordBuilder::Shares& shares, int workers = 0) {
  RunRecordBuilder builder("pr0be1", "train");
  const double end = 2.5 + static_cast<double>(count) * 1.02;
  builder.samples(0, end + 1, [&](double at, Sample& sample) {
    builder.usual(at, sample, 1.3, RunRecordBuilder::kGiB, 6e6);
  });
  builder.steps(2.5, count, 1.0, shares, 32).facts(example_runs::training_facts(workers, 32), count);
  builder.outcome(OutcomeCause::kSliceSeen, end);
  return builder;
}

constexpr RunRecordBuilder::Shares kStalled{.data_wait = 0.7, .forward = 0.1, .backward = 0.15};

TEST(MeasuredWork, TheWarmUpIsLeftOutAndTheSliceEndsWhereItShould) {
  auto builder = training(60, kStalled);
  for (std::size_t i = 0; i < 5; ++i) builder.record().steps[i].duration_ns *= 20;
  for (std::size_t i = 35; i < 60; ++i) builder.record().steps[i].duration_ns *= 3;
  const auto work = measure_work(builder.build(), {.warmup_steps = 5, .steps = 30});
  ASSERT_TRUE(work.step);
  EXPECT_EQ(work.step->steps, 30);
  EXPECT_EQ(work.step->warmup_steps, 5);
  EXPECT_EQ(work.steps_seen, 60);
  EXPECT_NEAR(work.step->mean, 1.0, 0.03);
  EXPECT_NEAR(work.step->median, 1.0, 0.05);
  EXPECT_GT(work.step->warmup_seconds, 90);
}

TEST(MeasuredWork, ThePartsOfAStepAddUpToIt) {
  const auto work = measure_work(training(60, kStalled).build(), {});
  ASSERT_TRUE(work.step);
  const StepParts& parts = work.step->parts;
  EXPECT_NEAR(*parts.data_wait, 0.7 * work.step->mean, 1e-6);
  EXPECT_NEAR(parts.other, 0.05 * work.step->mean, 1e-6);
  EXPECT_NEAR(*parts.data_wait + parts.forward + parts.backward + parts.optimizer + parts.host_sync +
                  parts.collective + parts.other,
              work.step->mean, 1e-6);
  EXPECT_EQ(*work.step->samples_per_step, 32);
  EXPECT_NEAR(*work.step->samples_per_second, 32 / work.step->mean, 1e-9);
}

TEST(MeasuredWork, TheExpectedMeanIsAtLeastFivePerCentWideAndWiderWhenStepsScatter) {
  const auto calm = measure_work(training(60, kStalled).build(), {});
  EXPECT_LE(calm.step->long_mean.low, 0.95 * calm.step->mean + 1e-9);
  EXPECT_GE(calm.step->long_mean.high, 1.05 * calm.step->mean - 1e-9);
  EXPECT_LT(calm.step->long_mean.high, 1.2 * calm.step->mean);
  auto builder = training(60, kStalled);
  for (std::size_t i = 5; i < 60; i += 13) builder.record().steps[i].duration_ns *= 6;
  const auto wild = measure_work(builder.build(), {});
  EXPECT_GT(wild.step->long_mean.high / wild.step->mean, 1.2);
}

TEST(MeasuredWork, ABusyMachineMakesTheExpectationWiderAndIsSaid) {
  auto builder = training(60, kStalled);
  const auto alone = measure_work(builder.build(), {});
  for (Sample& sample : builder.record().samples)
    for (SampleValue& value : sample.values)
      if (value.metric == Metric::kCoreBusyFraction) value.value = 0.66;  // 5.3 of 8 cores, 1.3 of them ours
  const auto crowded = measure_work(builder.build(), {});
  EXPECT_NEAR(*crowded.other_cores, 4, 0.1);
  EXPECT_NEAR(crowded.step->long_mean.high / crowded.step->mean, 1.05 + 0.25 * 4 / 8, 0.01);
  EXPECT_LT(alone.step->long_mean.high, crowded.step->long_mean.high);
  EXPECT_THAT(gaps_of(crowded), HasSubstr("Other programs used 4.0 of 8 cores"));
  EXPECT_THAT(gaps_of(alone), Not(HasSubstr("Other programs")));
}

TEST(MeasuredWork, RareEventsAreKeptApartFromTheUsualStep) {
  auto builder = training(65, kStalled);
  for (const std::size_t at : {20u, 40u}) {
    builder.record().steps[at].checkpoint_ns = 4'000'000'000;
    builder.record().steps[at].duration_ns += 4'000'000'000;
  }
  const auto work = measure_work(builder.build(), {});
  ASSERT_TRUE(work.step);
  EXPECT_NEAR(work.step->mean, 1.0, 0.03);
  ASSERT_EQ(work.step->rare.size(), 1u);
  EXPECT_EQ(work.step->rare[0].kind, RareKind::kCheckpoint);
  EXPECT_EQ(work.step->rare[0].count, 2);
  EXPECT_NEAR(work.step->rare[0].seconds_each, 4, 0.1);
  EXPECT_THAT(gaps_of(work), Not(HasSubstr("Checkpoints: none")));
  EXPECT_THAT(gaps_of(work), HasSubstr("Evaluation: no evaluation"));
}

TEST(MeasuredWork, OnlyWarmUpIsNoTimePerStep) {
  const auto work = measure_work(training(4, kStalled).build(), {});
  EXPECT_FALSE(work.step);
  EXPECT_EQ(work.steps_seen, 4);
  EXPECT_THAT(gaps_of(work), HasSubstr("only 4 steps were seen"));
}

TEST(MeasuredWork, WithoutADataLoaderTheWaitIsUnknownAndNotNothing) {
  auto builder = training(40, {.forward = 0.3, .backward = 0.5});
  builder.facts(Json::object({{"torch", "2.13.0"}, {"device", "cpu"}}), 40);
  const auto work = measure_work(builder.build(), {});
  ASSERT_TRUE(work.step);
  EXPECT_FALSE(work.step->parts.data_wait);
  EXPECT_FALSE(work.feeding);
  EXPECT_TRUE(to_json(work)["step"]["parts_seconds"]["data_wait"].is_null());
  EXPECT_THAT(gaps_of(work), HasSubstr("no DataLoader was seen"));
}

TEST(MeasuredWork, AProgramWithoutStepsIsMeasuredFromOutside) {
  const auto work = measure_work(example_runs::no_python(), {});
  EXPECT_FALSE(work.step);
  EXPECT_EQ(work.steps_seen, 0);
  EXPECT_NEAR(*work.cores_used, 1.0, 0.1);
  EXPECT_GT(work.peak_memory->count, 0);
  EXPECT_NEAR(*work.read_rate, 90e6, 1e6);
  EXPECT_FALSE(work.peak_gpu_memory);
  EXPECT_THAT(gaps_of(work), HasSubstr("no step could be seen"));
}

TEST(MeasuredWork, IsolatedPythonIsNamedAsTheReason) {
  RunRecord record = example_runs::no_python();
  Json coverage = Json::object({{"python_processes", 1}, {"covered", 0}});
  record.hook = Json::object({{"coverage", coverage}});
  EXPECT_THAT(gaps_of(measure_work(record, {})), HasSubstr("did not load the hook"));
  coverage.set("not_covered", std::vector<Json>{Json::object({{"pid", 7}, {"reason", "isolated"}})});
  record.hook = Json::object({{"coverage", coverage}});
  EXPECT_THAT(gaps_of(measure_work(record, {})), HasSubstr("started isolated"));
}

TEST(MeasuredWork, AnEmptyRecordIsAllUnknown) {
  const auto work = measure_work(example_runs::nothing_measured(), {});
  EXPECT_FALSE(work.step || work.peak_memory || work.cores_used || work.gpu_utilization || work.read_rate);
  const Json json = to_json(work);
  EXPECT_TRUE(json["peak_memory_bytes"].is_null());
  EXPECT_TRUE(json["cores_used"].is_null());
  EXPECT_THAT(gaps_of(work), HasSubstr("samples.seg"));
}

TEST(MeasuredWork, AllRanksTogetherMakeTheSamples) {
  const auto work = measure_work(example_runs::gpu(), {});
  ASSERT_TRUE(work.step);
  EXPECT_EQ(work.ranks, 2);
  EXPECT_EQ(*work.step->samples_per_step, 512);
  EXPECT_NEAR(static_cast<double>(work.peak_gpu_memory->count), 41 * RunRecordBuilder::kGiB, 1);
  EXPECT_FALSE(work.was_cut);
}

TEST(MeasuredWork, AProbesOwnSettingsAreInItsRecord) {
  RunRecord record = example_runs::healthy();
  EXPECT_EQ(slice_settings(record).warmup_steps, 5);
  EXPECT_FALSE(slice_settings(record).steps);
  record.launch.set("probe", Json::object({{"steps", 40}, {"warmup_steps", 2}}));
  EXPECT_EQ(slice_settings(record).warmup_steps, 2);
  EXPECT_EQ(slice_settings(record).steps, 40);
}

TEST(JobLength, FollowsFromEpochsAndSamples) {
  const auto work = measure_work(training(60, kStalled).build(), {});
  const auto known = job_length(work, {.epochs = 3});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->steps, 225) << "2,400 samples by 32, three times";
  EXPECT_EQ(*known->steps_per_epoch, 75);
  EXPECT_EQ(job_length(work, {.epochs = 3, .samples = 33})->steps, 6);
  EXPECT_EQ(job_length(work, {.total_steps = 7, .epochs = 3})->steps, 7);
}

TEST(JobLength, ComesFromTheProgressLinesOrIsUnknown) {
  auto builder = training(60, kStalled);
  EXPECT_FALSE(job_length(measure_work(builder.build(), {}), {}))
      << "it was cut, and nothing tells the whole";
  builder.record().progress =
      Json::object({{"latest", Json::object({{"step", 60}, {"total_steps", 75}, {"total_epochs", 4}})}});
  EXPECT_EQ(job_length(measure_work(builder.build(), {}), {})->steps, 300) << "the bar is one epoch long";
  builder.record().progress = Json::object({{"latest", Json::object({{"step", 60}, {"total_steps", 9000}})}});
  EXPECT_EQ(job_length(measure_work(builder.build(), {}), {})->steps, 9000);
  builder.record().progress = Json();
  builder.record().outcome->cause = OutcomeCause::kSucceeded;
  EXPECT_EQ(job_length(measure_work(builder.build(), {}), {})->steps, 60) << "it ended by itself";
}

}  // namespace
}  // namespace forebay
