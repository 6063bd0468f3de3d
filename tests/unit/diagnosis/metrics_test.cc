#include "diagnosis/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "diagnosis/finding.h"
#include "diagnosis/timeline.h"
#include "record_builder.h"

namespace forebay {
namespace {

TEST(MetricSet, KeepsNoNonsense) {
  MetricSet set;
  set.add("nan", std::nan(""), "s", "test");
  set.add("infinite", std::numeric_limits<double>::infinity(), "s", "test");
  EXPECT_TRUE(set.values().empty());
}

TEST(FormatMeasure, ReadsTheSameInEveryLanguage) {
  EXPECT_EQ(format_measure(0.384, "%"), "38 %");
  EXPECT_EQ(format_measure(0.0123, "%"), "1.2 %");
  EXPECT_EQ(format_measure(0.0842, "s"), "84.2 ms");
  EXPECT_EQ(format_measure(1.236, "s"), "1.24 s");
  EXPECT_EQ(format_measure(2, "1"), "2");
  EXPECT_EQ(format_measure(1.234, "x"), "1.23×");
  EXPECT_EQ(format_measure(1e300, "s"), "?");
  EXPECT_EQ(format_measure(1e300, "B"), "?");
}

TEST(Summarise, LeavesWarmUpOut) {
  RecordBuilder builder;
  builder.steps(100, {.forward = 100, .backward = 100}, [](int i, StepShape& shape) {
    if (i < 6) shape.forward = 5000;  // the first three, and three more that compile
  });
  const MetricSet set = summarise(builder.build());
  EXPECT_EQ(set.get("warmup_steps"), 6);
  EXPECT_NEAR(*set.get("step_seconds_mean"), 0.2, 1e-9);
  EXPECT_EQ(set.find("step_seconds_median")->n, 94);
  EXPECT_NE(set.find("step_seconds_median")->origin.find("94 steps"), std::string::npos);
}

TEST(Summarise, WhatWasNotMeasuredIsAbsent) {
  const MetricSet set = summarise(RunRecord{});
  for (const char* name : {"wall_seconds", "steps", "data_wait_share", "tree_cores_used", "memory_peak_bytes",
                           "gpu_utilization_mean", "num_workers", "host_syncs_per_step", "idle_tail_seconds",
                           "model_workers", "out_of_memory", "gpu_lost_count"})
    EXPECT_FALSE(set.find(name)) << name;
}

TEST(Summarise, SharesOfAStepAddUpToOne) {
  RecordBuilder builder;
  builder.steps(50, {.data_wait = 10,
                     .forward = 20,
                     .backward = 30,
                     .optimizer = 5,
                     .host_sync = 3,
                     .checkpoint = 2,
                     .validation = 7,
                     .rest = 23});
  const MetricSet set = summarise(builder.build());
  double sum = *set.get("rest_share");
  for (const char* part : {"data_wait", "forward", "backward", "optimizer", "host_sync", "checkpoint",
                           "collective", "validation", "epoch_begin"})
    sum += *set.get(std::string(part) + "_share");
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(Summarise, RowsOfManyStepsCountAsMany) {
  RecordBuilder builder;
  builder.steps(40, {.forward = 100, .backward = 100}).change([](RunRecord& record) {
    for (StepRow& row : record.steps) {
      row.steps = 10;
      row.samples = 320;
    }
  });
  const MetricSet set = summarise(builder.build());
  EXPECT_EQ(set.get("steps"), 400);
  EXPECT_NEAR(*set.get("step_seconds_mean"), 0.02, 1e-9);
  EXPECT_NEAR(*set.get("samples_per_second"), 1600, 1);
}

TEST(Summarise, TellsCoresByPhaseOnlyWhereThePhasesVary) {
  // 5 s of waiting with one core, 5 s of computing with three, in turn.
  RecordBuilder slow;
  slow.steps(10, {.data_wait = 5000, .forward = 5000}).gauge(Metric::kTreeCpuSeconds, [](double t) {
    const double into = std::max(0.0, t - 1), whole = std::floor(into / 10), part = into - 10 * whole;
    return whole * 20 + 2 * part;  // steps spread their parts evenly: two cores on average
  });
  EXPECT_FALSE(summarise(slow.build()).find("cores_used_in_data_wait"));
  RecordBuilder alternating;
  alternating
      .steps(20, {.data_wait = 3000},
             [](int i, StepShape& shape) {
               if (i % 2 == 1) shape = {.data_wait = 0, .forward = 3000};
             })
      .gauge(Metric::kTreeCpuSeconds, [](double t) {
        const double into = std::max(0.0, t - 1), whole = std::floor(into / 6), part = into - 6 * whole;
        return whole * 12 + (part < 3 ? part : 3 + 3 * (part - 3));
      });
  const MetricSet set = summarise(alternating.build());
  ASSERT_TRUE(set.find("cores_used_in_data_wait"));
  EXPECT_NEAR(*set.get("cores_used_in_data_wait"), 1, 0.1);
  EXPECT_NEAR(*set.get("cores_used_in_compute"), 3, 0.1);
}

TEST(Summarise, LeavesOutWhatNeighboursTake) {
  RecordBuilder builder;
  builder.steps(50, {.forward = 100, .backward = 100}).cpu(1, 2);
  const MetricSet set = summarise(builder.build());
  EXPECT_NEAR(*set.get("other_cores_busy"), 2, 0.01);
  EXPECT_NEAR(*set.get("cores_available"), 2, 0.01);
}

TEST(Summarise, EveryNameIsInTheTable) {
  RecordBuilder builder;
  builder.gpus(1)
      .fact("device", "cuda:0")
      .loader("num_workers", 2)
      .steps(200,
             {.data_wait = 50, .forward = 50, .checkpoint = 1, .worker_fetch = 90, .worker_fetch_cpu = 80})
      .cpu(2)
      .memory(3)
      .gauge(Metric::kGpuUtilizationFraction, 0.5)
      .gauge(Metric::kGpuPowerWatts, 100)
      .gauge(Metric::kGpuPowerLimitWatts, 300)
      .gauge(Metric::kGpuMemoryUsedBytes, 1e9)
      .gauge(Metric::kGpuMemoryTotalBytes, 8e9)
      .gauge(Metric::kGpuMemoryUtilizationFraction, 0.1)
      .gauge(Metric::kGpuTemperatureCelsius, 50)
      .gauge(Metric::kGpuThrottleReasons, 0)
      .gauge(Metric::kGpuLost, 0)
      .gauge(Metric::kPressureCpuSome, 1)
      .gauge(Metric::kIoWaitFraction, 0.1)
      .gauge(Metric::kDiskBusySeconds, 1)
      .tail(30);
  const MetricSet set = summarise(builder.build());
  EXPECT_GT(set.values().size(), 100u);
  for (const MeasuredValue& value : set.values())
    EXPECT_NE(metric_meaning(value.name), std::string_view(value.name)) << value.name;
  for (const MeasuredFact& fact : set.facts())
    EXPECT_NE(metric_meaning(fact.name), std::string_view(fact.name)) << fact.name;
}

// A record is a file that anybody may have written: any bits in it must give an answer, not a crash (run
// under sanitizers too).
TEST(Summarise, AnyBitsGiveAnAnswer) {
  std::mt19937_64 random(3);
  const auto number = [&]() -> std::int64_t {
    switch (random() % 6) {
      case 0:
        return std::numeric_limits<std::int64_t>::min();
      case 1:
        return std::numeric_limits<std::int64_t>::max();
      case 2:
        return 0;
      case 3:
        return -1;
      default:
        return static_cast<std::int64_t>(random() % 10'000'000'000ull);
    }
  };
  const auto real = [&]() -> double {
    switch (random() % 6) {
      case 0:
        return std::nan("");
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -1e308;
      case 3:
        return 1e308;
      default:
        return static_cast<double>(random() % 1'000'000) / 1000;
    }
  };
  for (int round = 0; round < 300; ++round) {
    RunRecord record;
    for (int i = 0; i < 40; ++i) {
      StepRow row;
      row.process = static_cast<std::int32_t>(random() % 3);
      row.rank = static_cast<std::int32_t>(random() % 4) - 1;
      for (std::int64_t* field :
           {&row.first_step, &row.steps, &row.start_ns, &row.duration_ns, &row.data_wait_ns, &row.forward_ns,
            &row.backward_ns, &row.optimizer_ns, &row.host_sync_ns, &row.checkpoint_ns, &row.collective_ns,
            &row.validation_ns, &row.epoch_begin_ns, &row.samples, &row.host_syncs, &row.worker_fetch_ns,
            &row.worker_fetch_cpu_ns})
        *field = number();
      if (round % 2 == 0) row.steps = 1, row.duration_ns = 100'000'000, row.start_ns = i * 100'000'000LL;
      record.steps.push_back(row);
      Sample sample{round % 3 == 0 ? number() : i * 1'000'000'000LL, Instant{number()}, {}};
      for (int k = 0; k < 20; ++k)
        sample.add(static_cast<Metric>(random() % 95), real(), static_cast<std::uint16_t>(random() % 3));
      record.samples.push_back(sample);
    }
    Json loader = Json::object({{"num_workers", number()}, {"batch_size", real()}});
    Json facts = Json::object({{"threads", number()},
                               {"device", "cuda"},
                               {"dataloaders", Json::array().push(loader)},
                               {"parameter_bytes", real()}});
    record.hook = Json::object(
        {{"processes",
          Json::array().push(Json::object(
              {{"pid", 1}, {"facts", facts}, {"last_span", Json::object({{"end_ns", real()}})}}))}});
    record.machine = Json::object({{"cpu", Json::object({{"usable_cores", real()}})},
                                   {"memory", Json::object({{"total_bytes", real()}})}});
    record.progress = Json::object({{"last_output_ns", number()}, {"error_lines", "none"}});
    if (round % 4 != 0) {
      record.outcome = Outcome{};
      record.outcome->cause = static_cast<OutcomeCause>(random() % 14);
      record.outcome->started = Instant{number()};
      record.outcome->ended = Instant{number()};
      record.outcome->duration = Duration{number()};
    }
    const Diagnosis diagnosis = diagnose(record);
    for (const Finding& finding : diagnosis.findings) {
      if (finding.share) {
        EXPECT_TRUE(finding.share->value >= 0 && finding.share->value <= 1) << finding.id;
      }
      if (const auto gain = finding.gain()) {
        EXPECT_TRUE(gain->low <= gain->likely && gain->likely <= gain->high) << finding.id;
      }
    }
    EXPECT_FALSE(diagnosis.to_json().dump().empty());
  }
}

}  // namespace
}  // namespace forebay
