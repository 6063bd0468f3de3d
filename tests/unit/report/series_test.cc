#include "report/series.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/step_parts.h"
#include "run_record_builder.h"

namespace forebay {
namespace {

RunRecord with_cpu(const std::vector<std::pair<double, std::optional<double>>>& values) {
  RunRecordBuilder builder;
  for (const auto& [at, value] : values)
    builder.samples(at, at + 0.5, [&](double, Sample& sample) {
      if (value) sample.add(Metric::kTreeCpuSeconds, *value);
    });
  return builder.build();
}

TEST(RateSeries, DividesDifferencesAndShowsAbsenceAsGap) {
  const Series series = rate_series(with_cpu({{0, 0.0}, {1, 2.0}, {2, std::nullopt}, {3, 6.0}, {4, 7.0}}),
                                    Metric::kTreeCpuSeconds, "cpu", "CPU", "cores");
  ASSERT_EQ(series.points.size(), 5u);
  EXPECT_FALSE(series.points[0].value);
  EXPECT_DOUBLE_EQ(*series.points[1].value, 2.0);
  EXPECT_FALSE(series.points[2].value);
  EXPECT_FALSE(series.points[3].value);  // no rate across a gap
  EXPECT_DOUBLE_EQ(*series.points[4].value, 1.0);
}

TEST(RateSeries, ACounterThatWentBackIsAGap) {
  const Series series =
      rate_series(with_cpu({{0, 5.0}, {1, 1.0}, {2, 2.0}}), Metric::kTreeCpuSeconds, "cpu", "CPU", "cores");
  EXPECT_FALSE(series.points[1].value);
  EXPECT_DOUBLE_EQ(*series.points[2].value, 1.0);
}

// A run of 2 cores for two seconds; the last look finds nobody, and its counter stands still.
TEST(RateSeries, TheLookAfterTheEndIsNoZero) {
  RunRecordBuilder builder;
  builder.samples(0, 4, [&](double at, Sample& sample) {
    sample.add(Metric::kTreeCpuSeconds, std::min(2 * at, 4.0));
    sample.add(Metric::kTreeProcesses, at > 2.5 ? 0 : 3);
  });
  const Series series = rate_series(builder.build(), Metric::kTreeCpuSeconds, "cpu", "CPU", "cores");
  ASSERT_EQ(series.points.size(), 4u);
  EXPECT_DOUBLE_EQ(*series.points[2].value, 2.0);
  EXPECT_FALSE(series.points[3].value);
  EXPECT_DOUBLE_EQ(*series.mean(), 2.0);
}

TEST(GaugeSeries, APauseInSamplingIsAGap) {
  RunRecordBuilder builder;
  for (const double at : {0.0, 1.0, 2.0, 3.0, 60.0, 61.0})
    builder.samples(at, at + 0.5, [](double, Sample& sample) { sample.add(Metric::kTreeResidentBytes, 5); });
  const Series series =
      gauge_series(builder.build(), Metric::kTreeResidentBytes, -1, "memory", "memory", "B");
  ASSERT_EQ(series.points.size(), 7u);
  EXPECT_FALSE(series.points[4].value);
}

TEST(ThinPoints, KeepsPeaksAndGaps) {
  std::vector<SeriesPoint> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({static_cast<double>(i), 1.0});
  points[54'321].value = 99;
  points[77'777].value = std::nullopt;
  const auto thinned = thin_points(points, 2000);
  EXPECT_LE(thinned.size(), 2000u);
  EXPECT_TRUE(std::ranges::any_of(thinned, [](const SeriesPoint& point) { return point.value == 99; }));
  EXPECT_TRUE(std::ranges::any_of(thinned, [](const SeriesPoint& point) { return !point.value; }));
  EXPECT_TRUE(std::ranges::is_sorted(thinned, {}, &SeriesPoint::seconds));
}

TEST(StepParts, AddUpToTheStepAndSurviveDamage) {
  StepRow row;
  row.duration_ns = 100;
  row.data_wait_ns = 70;
  row.forward_ns = 50;  // more than is left
  row.backward_ns = -3;
  const auto parts = parts_of(row);
  EXPECT_DOUBLE_EQ(parts[0], 70);
  EXPECT_DOUBLE_EQ(parts[2], 30);
  double sum = 0;
  for (const double part : parts) {
    EXPECT_GE(part, 0);
    sum += part;
  }
  EXPECT_DOUBLE_EQ(sum, 100);
}

TEST(StepParts, SummaryOfAStall) {
  const auto summary = summarise_parts(example_runs::data_stall().steps);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->steps, 130);
  EXPECT_NEAR(summary->share(0), 0.71, 0.01);
  EXPECT_NEAR(summary->samples_per_second.value_or(0), 32 / 1.02, 0.5);
  EXPECT_NEAR(summary->median_step->seconds(), 1.02, 0.03);
  EXPECT_FALSE(summarise_parts({}));
}

TEST(StepParts, BucketsKeepTheTotals) {
  const auto record = example_runs::data_stall();
  const auto buckets = bucket_steps(record.steps, time_origin(record), 20);
  ASSERT_EQ(buckets.size(), 20u);
  std::int64_t steps = 0;
  for (const StepBucket& bucket : buckets) steps += bucket.steps;
  EXPECT_EQ(steps, 130);
  EXPECT_LE(buckets[0].end, buckets[1].begin + 1e-6);
}

TEST(StepParts, HostileRowsDoNotOverflow) {
  StepRow row;
  row.steps = INT64_MAX;
  row.duration_ns = INT64_MAX;
  row.start_ns = INT64_MIN;
  StepRow other = row;
  other.steps = 1;
  other.start_ns = INT64_MAX;
  const std::vector<StepRow> rows{row, other, other};
  EXPECT_EQ(summarise_parts(rows)->steps, 2);
  EXPECT_FALSE(bucket_steps(rows, INT64_MIN, 10).empty());
}

}  // namespace
}  // namespace forebay
