#include "telemetry/step_builder.h"

#include <gtest/gtest.h>

#include <limits>

#include "telemetry/step_summing.h"

namespace forebay {
namespace {

class StepBuilderTest : public testing::Test {
 protected:
  void span(SpanKind kind, std::int64_t start, std::int64_t end, std::optional<std::int64_t> a = {},
            std::uint32_t thread = 1, std::int64_t step = 0) {
    HookRecord record;
    record.kind = kind;
    record.thread = thread;
    record.start_ns = start;
    record.duration_ns = end - start;
    record.a = a;
    record.step = step;
    builder.add(record, sink);
  }
  void finish() { builder.finish(sink); }
  static std::int64_t parts(const StepRow& row) {
    return row.data_wait_ns + row.forward_ns + row.backward_ns + row.optimizer_ns + row.host_sync_ns +
           row.checkpoint_ns + row.collective_ns + row.validation_ns + row.epoch_begin_ns;
  }
  StepBuilder builder{4242, 3};
  std::vector<StepRow> rows;
  StepBuilder::Sink sink = [this](const StepRow& row) { rows.push_back(row); };
};

TEST_F(StepBuilderTest, AStepRunsFromTheEndOfTheOneBefore) {
  span(SpanKind::kDataWait, 0, 10, 32);
  span(SpanKind::kForward, 12, 20);
  span(SpanKind::kBackward, 20, 40);
  span(SpanKind::kOptimizerStep, 41, 50, 0);
  span(SpanKind::kDataWait, 55, 60, 32);
  span(SpanKind::kForward, 60, 70);
  span(SpanKind::kBackward, 70, 90);
  span(SpanKind::kOptimizerStep, 90, 100, 0, 1, 1);
  finish();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].process, 4242);
  EXPECT_EQ(rows[0].rank, 3);
  EXPECT_EQ(rows[0].first_step, 0);
  EXPECT_EQ(rows[0].start_ns, 0);
  EXPECT_EQ(rows[0].duration_ns, 50);
  EXPECT_EQ(rows[0].data_wait_ns, 10);
  EXPECT_EQ(rows[0].forward_ns, 8);
  EXPECT_EQ(rows[0].backward_ns, 20);
  EXPECT_EQ(rows[0].optimizer_ns, 9);
  EXPECT_EQ(rows[0].samples, 32);
  EXPECT_EQ(rows[1].first_step, 1);
  EXPECT_EQ(rows[1].start_ns, 50);
  EXPECT_EQ(rows[1].duration_ns, 50);
  EXPECT_EQ(builder.steps(), 2);
}

TEST_F(StepBuilderTest, NestedSpansAreTakenOffTheirParent) {
  // backward 0..100 contains a collective 20..50, which contains a synchronisation 30..40.
  span(SpanKind::kHostSync, 30, 40, 5);
  span(SpanKind::kCollective, 20, 50);
  span(SpanKind::kBackward, 0, 100);
  span(SpanKind::kOptimizerStep, 100, 110, 0);
  finish();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].host_sync_ns, 10);
  EXPECT_EQ(rows[0].collective_ns, 20);
  EXPECT_EQ(rows[0].backward_ns, 70);
  EXPECT_EQ(rows[0].host_syncs, 1);
  EXPECT_EQ(parts(rows[0]), rows[0].duration_ns);
}

TEST_F(StepBuilderTest, AccumulatedGradientsAreOneStepWithSeveralWaits) {
  for (int i = 0; i < 4; ++i) {
    span(SpanKind::kDataWait, i * 10, i * 10 + 2, 8);
    span(SpanKind::kForward, i * 10 + 2, i * 10 + 5);
    span(SpanKind::kBackward, i * 10 + 5, i * 10 + 10);
  }
  span(SpanKind::kOptimizerStep, 40, 45, 0);
  finish();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].data_wait_ns, 8);
  EXPECT_EQ(rows[0].samples, 32);
}

TEST_F(StepBuilderTest, SeveralOptimisersInTurnAreOneStep) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = i * 100;
    span(SpanKind::kDataWait, at, at + 10, 4);
    span(SpanKind::kBackward, at + 10, at + 30);
    span(SpanKind::kOptimizerStep, at + 30, at + 40, 0, 1, i);
    span(SpanKind::kBackward, at + 40, at + 80);
    span(SpanKind::kOptimizerStep, at + 80, at + 90, 1, 1, i);
  }
  finish();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(builder.steps(), 3);
  EXPECT_EQ(rows[1].first_step, 1);
  EXPECT_EQ(rows[1].start_ns, 90);
  EXPECT_EQ(rows[1].duration_ns, 100);
  EXPECT_EQ(rows[1].backward_ns, 60);
  EXPECT_EQ(rows[1].optimizer_ns, 20);
}

TEST_F(StepBuilderTest, ValidationBelongsToTheStepItDelaysAndItsSamplesAreNotTrainedOn) {
  span(SpanKind::kDataWait, 0, 1, 8);
  span(SpanKind::kForward, 1, 2);
  span(SpanKind::kOptimizerStep, 2, 3, 0);
  for (int i = 0; i < 5; ++i) {
    span(SpanKind::kDataWait, 10 + i * 10, 12 + i * 10, 100);
    span(SpanKind::kValidation, 12 + i * 10, 18 + i * 10);
  }
  span(SpanKind::kDataWait, 100, 101, 8);
  span(SpanKind::kForward, 101, 102);
  span(SpanKind::kOptimizerStep, 102, 103, 0, 1, 1);
  finish();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].validation_ns, 30);
  EXPECT_EQ(rows[1].samples, 8);
  EXPECT_EQ(rows[1].duration_ns, 100);
}

TEST_F(StepBuilderTest, UnknownBatchSizesStayUnknown) {
  span(SpanKind::kDataWait, 0, 1);
  span(SpanKind::kOptimizerStep, 2, 3, 0);
  finish();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].samples, -1);
  EXPECT_EQ(rows[0].worker_fetch_cpu_ns, -1);
}

TEST_F(StepBuilderTest, TheWaitThatOnlyFindsTheEndFetchesNothing) {
  span(SpanKind::kDataWait, 0, 1, 8);
  span(SpanKind::kForward, 1, 2);
  span(SpanKind::kDataWait, 3, 4, 0);
  span(SpanKind::kOptimizerStep, 4, 5, 0);
  finish();
  EXPECT_EQ(rows[0].samples, 8);
  EXPECT_EQ(rows[0].data_wait_ns, 2);
}

TEST_F(StepBuilderTest, OtherThreadsOverlapAndDoNotCount) {
  span(SpanKind::kCheckpointSave, 0, 1000, 5, 2);
  span(SpanKind::kForward, 0, 40, {}, 1);
  span(SpanKind::kOptimizerStep, 40, 50, 0, 1);
  finish();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].checkpoint_ns, 0);
  EXPECT_EQ(rows[0].duration_ns, 50);
}

TEST_F(StepBuilderTest, AGapLeavesTheBrokenStepOutAndNumbersGoOn) {
  span(SpanKind::kOptimizerStep, 0, 10, 0, 1, 0);
  span(SpanKind::kForward, 10, 15);
  builder.gap(sink);
  span(SpanKind::kBackward, 500, 600);
  span(SpanKind::kOptimizerStep, 600, 610, 0, 1, 40);
  span(SpanKind::kForward, 612, 615);
  span(SpanKind::kOptimizerStep, 620, 630, 0, 1, 41);
  finish();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].first_step, 0);
  EXPECT_EQ(rows[1].first_step, 41);
  EXPECT_EQ(rows[1].start_ns, 610);
  EXPECT_EQ(rows[1].duration_ns, 20);
}

TEST_F(StepBuilderTest, ASpanAroundTheWholeLoopDoesNotSwallowTheSteps) {
  span(SpanKind::kForward, 5, 10);
  span(SpanKind::kOptimizerStep, 10, 20, 0);
  span(SpanKind::kForward, 0, 25);  // began before the step that has ended meanwhile
  span(SpanKind::kOptimizerStep, 25, 30, 0, 1, 1);
  finish();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].forward_ns, 5);
  EXPECT_LE(parts(rows[1]), rows[1].duration_ns);
}

TEST_F(StepBuilderTest, FetchesOfWorkersGoToTheStepTheyWereFinishedBefore) {
  HookRecord fetch;
  fetch.kind = SpanKind::kWorkerFetch;
  fetch.start_ns = 0;
  fetch.duration_ns = 30;
  fetch.b = 20e-9;
  builder.add_worker_fetch(fetch);
  fetch.start_ns = 100;
  builder.add_worker_fetch(fetch);
  span(SpanKind::kOptimizerStep, 40, 50, 0);
  span(SpanKind::kOptimizerStep, 140, 150, 0, 1, 1);
  finish();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].worker_fetch_ns, 30);
  EXPECT_EQ(rows[0].worker_fetch_cpu_ns, 20);
  EXPECT_EQ(rows[1].worker_fetch_ns, 30);
}

TEST_F(StepBuilderTest, HostileNumbersStayNumbers) {
  const std::int64_t late = (std::int64_t{1} << 62) - 1;
  for (int i = 0; i < 5000; ++i)
    span(SpanKind::kForward, i % 7, late, late, static_cast<std::uint32_t>(i % 100));
  for (int i = 0; i < 100; ++i) span(SpanKind::kOptimizerStep, 0, late, i % 3, 1, late);
  finish();
  for (const StepRow& row : rows) {
    EXPECT_GE(row.duration_ns, 0);
    EXPECT_GE(row.forward_ns, 0);
    EXPECT_GE(row.first_step, 0);
  }
}

TEST(StepSumming, SingleStepsFirstThenSeconds) {
  StepSumming summing;
  std::vector<StepRow> rows;
  const auto sink = [&rows](const StepRow& row) { rows.push_back(row); };
  StepRow row;
  row.process = 1;
  row.duration_ns = 100'000'000;
  row.samples = 4;
  for (int i = 0; i < 50'000; ++i) {
    row.first_step = i;
    row.start_ns = i * std::int64_t{100'000'000};
    summing.add(row, sink);
  }
  ASSERT_EQ(rows.size(), 50'000u);
  for (int i = 50'000; i < 50'100; ++i) {
    row.first_step = i;
    row.start_ns = i * std::int64_t{100'000'000};
    summing.add(row, sink);
  }
  summing.finish_all(sink);
  ASSERT_EQ(rows.size(), 50'010u);
  EXPECT_EQ(rows.back().steps, 10);
  EXPECT_EQ(rows.back().duration_ns, 1'000'000'000);
  EXPECT_EQ(rows.back().samples, 40);
  EXPECT_EQ(rows.back().first_step, 50'090);
}

TEST(StepSumming, AWeekOfQuickStepsStaysSmall) {
  StepSumming summing;
  std::int64_t rows = 0, steps = 0;
  const auto sink = [&](const StepRow& row) {
    ++rows;
    steps += row.steps;
  };
  constexpr std::int64_t kEvery = 500'000'000;  // two a second, seven days
  for (std::int64_t i = 0; i < 7 * 86'400 * 2; ++i) {
    StepRow row;
    row.first_step = i;
    row.start_ns = i * kEvery;
    row.duration_ns = kEvery;
    summing.add(row, sink);
  }
  summing.finish_all(sink);
  EXPECT_EQ(steps, 7 * 86'400 * 2);
  EXPECT_LT(rows, 260'000);
}

TEST(StepSumming, DoesNotSumOverAHole) {
  StepSumming summing;
  std::vector<StepRow> rows;
  const auto sink = [&rows](const StepRow& row) { rows.push_back(row); };
  StepRow row;
  for (int i = 0; i < 50'000; ++i) summing.add(row, [](const StepRow&) {});
  row.first_step = 10;
  summing.add(row, sink);
  row.first_step = 12;
  summing.add(row, sink);
  summing.finish_all(sink);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].steps, 1);
}

}  // namespace
}  // namespace forebay
