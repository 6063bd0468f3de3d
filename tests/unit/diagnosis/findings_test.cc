// Each rule on made-up runs: it fires where it should, is silent where it should, and says "unknown" where
// its inputs are missing.
#include <gtest/gtest.h>

#include "diagnosis/finding.h"
#include "record_builder.h"

namespace forebay {
namespace {

const Finding* find(const Diagnosis& diagnosis, const std::string& id) {
  for (const Finding& finding : diagnosis.findings)
    if (finding.id == id) return &finding;
  return nullptr;
}
bool fires(const RecordBuilder& builder, const std::string& id) {
  return find(diagnose(builder.build()), id) != nullptr;
}
const NotJudged* unjudged(const Diagnosis& diagnosis, const std::string& id) {
  for (const NotJudged& rule : diagnosis.not_judged)
    if (rule.rule == id) return &rule;
  return nullptr;
}
std::string ids(const Diagnosis& diagnosis) {
  std::string all;
  for (const Finding& finding : diagnosis.findings) all += finding.id + " ";
  return all;
}
bool says(const Finding& finding, const std::string& words) {
  for (const Text& line : finding.evidence)
    if (render_in("en", line).find(words) != std::string::npos) return true;
  return false;
}

// A healthy run on 4 cores: 100 steps of 200 ms without waiting.
RecordBuilder healthy() {
  RecordBuilder builder;
  return builder.steps(100, {.data_wait = 2, .forward = 80, .backward = 100, .optimizer = 10, .rest = 8})
      .cpu(3.5)
      .memory(4);
}
// Without workers 120 of 200 ms are spent loading; while computing it uses two of 4 cores.
RecordBuilder stalled() {
  RecordBuilder builder;
  return builder.fact("threads", 2)
      .steps(100, {.data_wait = 120, .forward = 30, .backward = 40, .optimizer = 10})
      .cpu(1.4)
      .memory(4);
}
RecordBuilder with_workers(int workers, double wait, double fetch, double fetch_cpu, double cores_used) {
  RecordBuilder builder;
  return builder.loader("num_workers", workers)
      .loader("persistent_workers", true)
      .fact("threads", 1)
      .steps(100, {.data_wait = wait,
                   .forward = 30,
                   .backward = 40,
                   .optimizer = 10,
                   .worker_fetch = fetch,
                   .worker_fetch_cpu = fetch_cpu})
      .cpu(cores_used)
      .memory(4);
}
RecordBuilder on_gpu(double utilization, StepShape shape, double cpu = 1) {
  RecordBuilder builder;
  return builder.gpus(1)
      .fact("device", "cuda:0")
      .loader("num_workers", 2)
      .loader("pin_memory", true)
      .loader("persistent_workers", true)
      .steps(200, shape)
      .cpu(cpu)
      .memory(4)
      .gauge(Metric::kGpuUtilizationFraction, utilization)
      .gauge(Metric::kGpuMemoryUsedBytes, 10 * kGiB)
      .gauge(Metric::kGpuMemoryTotalBytes, 40 * kGiB)
      .gauge(Metric::kGpuPowerWatts, 300)
      .gauge(Metric::kGpuPowerLimitWatts, 400)
      .gauge(Metric::kGpuTemperatureCelsius, 60);
}

TEST(Findings, NothingWrongIsAnAnswer) {
  const Diagnosis diagnosis = diagnose(healthy().build());
  EXPECT_EQ(diagnosis.verdict, Verdict::kNothingWrong) << ids(diagnosis);
  EXPECT_TRUE(diagnosis.findings.empty()) << ids(diagnosis);
}

TEST(Findings, AnEmptyRecordIsNotEnoughEvidence) {
  RunRecord empty;
  empty.outcome = Outcome{};
  const Diagnosis diagnosis = diagnose(empty);
  EXPECT_EQ(diagnosis.verdict, Verdict::kNotEnoughEvidence);
  EXPECT_TRUE(diagnosis.findings.empty()) << ids(diagnosis);
  ASSERT_NE(unjudged(diagnosis, "data-stall-main-process"), nullptr);
  EXPECT_NE(render_in("en", unjudged(diagnosis, "data-stall-main-process")->reason).find("was not measured"),
            std::string::npos);
}

TEST(Findings, ARunThatGoesOnSaysSo) {
  EXPECT_EQ(diagnose(healthy().running().build()).verdict, Verdict::kRunning);
}

TEST(Findings, MainProcessLoadingIsNamedWithShareFixAndGain) {
  const Diagnosis diagnosis = diagnose(stalled().build());
  ASSERT_EQ(diagnosis.verdict, Verdict::kFindings);
  const Finding& finding = diagnosis.findings.front();
  ASSERT_EQ(finding.id, "data-stall-main-process") << ids(diagnosis);
  EXPECT_NEAR(finding.share->value, 0.57, 0.02);  // 120 of 200 ms in 20 of 21 s
  EXPECT_NEAR(finding.seconds_lost->seconds(), 12, 0.1);
  ASSERT_TRUE(finding.gain());
  EXPECT_TRUE(says(finding, "60 %"));
  ASSERT_FALSE(finding.fixes[0].settings.empty());
  EXPECT_EQ(finding.fixes[0].settings[0].first, "num_workers");
  // Compute takes 80 ms, and two workers fetch 120 ms of work in 60: nothing can be faster than 80 ms, and it
  // is reached.
  EXPECT_EQ(finding.fixes[0].settings[0].second, "2");
  EXPECT_NEAR(finding.gain()->predicted_step->low.seconds(), 0.080, 1e-6);
  EXPECT_GT(finding.gain()->low, 1.2);
  EXPECT_LE(finding.gain()->high, 2.5 + 1e-9);
  EXPECT_EQ(finding.confidence, Confidence::kHigh);
}

TEST(Findings, ADataStallUnderFivePercentIsSilent) {
  const auto with_wait = [](double wait) {
    RecordBuilder builder;
    return builder.steps(100, {.data_wait = wait, .forward = 100, .backward = 100 - wait})
        .startup(0)
        .cpu(1.4)
        .memory(4);
  };
  EXPECT_FALSE(fires(with_wait(9), "data-stall-main-process"));  // 4.5 % of the step
  EXPECT_TRUE(fires(with_wait(30), "data-stall-main-process"));  // 15 %
  // 6 % of the step, but workers would not win the 5 % that are worth a finding.
  EXPECT_FALSE(fires(with_wait(12), "data-stall-main-process"));
}

TEST(Findings, WithTooFewStepsADataStallIsNotJudged) {
  RecordBuilder builder;
  builder.steps(8, {.data_wait = 120, .forward = 80}).cpu(1.4).memory(4);
  const Diagnosis diagnosis = diagnose(builder.build());
  EXPECT_EQ(find(diagnosis, "data-stall-main-process"), nullptr);
  ASSERT_NE(unjudged(diagnosis, "data-stall-main-process"), nullptr);
  EXPECT_EQ(diagnosis.verdict, Verdict::kNotEnoughEvidence);
}

TEST(Findings, WithoutProcessorSamplesTheStallIsNamedButNoGainIsInvented) {
  RecordBuilder builder;
  builder.steps(100, {.data_wait = 120, .forward = 30, .backward = 40, .optimizer = 10}).memory(4);
  const Diagnosis diagnosis = diagnose(builder.build());
  const Finding* finding = find(diagnosis, "data-stall-main-process");
  ASSERT_NE(finding, nullptr);
  EXPECT_FALSE(finding->gain());
  EXPECT_NE(unjudged(diagnosis, "data-stall-all-cores-busy"), nullptr);
}

TEST(Findings, TooFewWorkers) {
  // One worker fetches 160 ms for every 80 ms of compute: it is busy all the time; 4 cores, under 2 used.
  const Diagnosis diagnosis = diagnose(with_workers(1, 80, 158, 155, 1.6).build());
  const Finding* finding = find(diagnosis, "data-stall-too-few-workers");
  ASSERT_NE(finding, nullptr) << ids(diagnosis);
  EXPECT_EQ(finding->fixes[0].settings[0].second, "2");
  EXPECT_GT(finding->gain()->likely, 1.5);
  EXPECT_FALSE(fires(with_workers(2, 1, 158, 155, 2.6), "data-stall-too-few-workers"));
}

TEST(Findings, AllCoresBusyDoesNotAskForMoreWorkers) {
  const Diagnosis diagnosis = diagnose(with_workers(4, 80, 560, 550, 3.9).build());
  EXPECT_EQ(find(diagnosis, "data-stall-too-few-workers"), nullptr);
  const Finding* finding = find(diagnosis, "data-stall-all-cores-busy");
  ASSERT_NE(finding, nullptr) << ids(diagnosis);
  EXPECT_TRUE(finding->fixes[0].settings.empty());
  // The same without workers on a single core that is busy all the time.
  RecordBuilder builder;
  builder.cores(1).fact("threads", 1).steps(100, {.data_wait = 120, .forward = 80}).cpu(0.98).memory(4);
  EXPECT_TRUE(fires(builder, "data-stall-all-cores-busy"));
  EXPECT_FALSE(fires(builder, "data-stall-main-process"));
}

TEST(Findings, StorageIsToldFromDecoding) {
  auto disk = with_workers(2, 80, 300, 30, 0.6)
                  .gauge(Metric::kIoWaitFraction, 0.4)
                  .gauge(Metric::kDiskBusySeconds, [](double t) { return 0.9 * t; });
  const Diagnosis diagnosis = diagnose(disk.build());
  ASSERT_NE(find(diagnosis, "data-stall-storage"), nullptr) << ids(diagnosis);
  EXPECT_EQ(find(diagnosis, "data-stall-too-few-workers"), nullptr);
  EXPECT_TRUE(says(*find(diagnosis, "data-stall-storage"), "90 %"));
  // The same waiting with idle disks and no traffic: something else.
  EXPECT_TRUE(
      fires(with_workers(2, 80, 300, 30, 0.6).gauge(Metric::kIoWaitFraction, 0.01), "data-stall-latency"));
  EXPECT_FALSE(
      fires(with_workers(2, 80, 300, 30, 0.6).gauge(Metric::kIoWaitFraction, 0.01), "data-stall-storage"));
  // With num_workers=0: the whole step uses 0.2 cores, so the wait cannot be decoding.
  RecordBuilder main_process;
  main_process.steps(100, {.data_wait = 120, .forward = 80})
      .cpu(0.2)
      .memory(4)
      .gauge(Metric::kIoWaitFraction, 0.3);
  EXPECT_TRUE(fires(main_process, "data-stall-storage"));
  EXPECT_FALSE(fires(main_process, "data-stall-main-process"));
}

TEST(Findings, WaitingWithIdleWorkersIsTheHandOver) {
  EXPECT_TRUE(fires(with_workers(4, 80, 160, 155, 1.6), "data-stall-hand-over"));
  EXPECT_FALSE(fires(with_workers(4, 80, 160, 155, 1.6), "data-stall-too-few-workers"));
  EXPECT_FALSE(fires(with_workers(4, 2, 160, 155, 1.6), "data-stall-hand-over"));
}

TEST(Findings, EpochsThatRestartWorkers) {
  const auto epochs = [](double begin, bool persistent) {
    RecordBuilder builder;
    return builder.loader("num_workers", 2)
        .loader("persistent_workers", persistent)
        .steps(100,
               {.data_wait = 2, .forward = 80, .backward = 100, .worker_fetch = 100, .worker_fetch_cpu = 95},
               [begin](int i, StepShape& shape) {
                 if (i % 20 != 0) return;
                 shape.epoch_begin = begin;
                 shape.data_wait = begin;
               })
        .cpu(3)
        .memory(4);
  };
  const Diagnosis diagnosis = diagnose(epochs(400, false).build());
  ASSERT_NE(find(diagnosis, "epoch-restarts-workers"), nullptr) << ids(diagnosis);
  // What the first batches wait for is not counted a second time as a data stall.
  EXPECT_EQ(ids(diagnosis), "epoch-restarts-workers ");
  EXPECT_FALSE(fires(epochs(400, true), "epoch-restarts-workers"));
  EXPECT_FALSE(fires(epochs(30, false), "epoch-restarts-workers"));
}

TEST(Findings, ThreadOversubscription) {
  const auto ranks = [](int threads, double busy) {
    RecordBuilder builder;
    builder.fact("threads", threads);
    for (int rank = 0; rank < 4; ++rank)
      builder.process(100 + rank, rank).steps(100, {.forward = 100, .backward = 100});
    return builder.cpu(busy).memory(4);
  };
  EXPECT_TRUE(fires(ranks(4, 3.9), "thread-oversubscription"));
  EXPECT_FALSE(fires(ranks(1, 3.9), "thread-oversubscription"));
  EXPECT_FALSE(fires(ranks(4, 2.0), "thread-oversubscription"));  // cores are free: it costs nothing
  const Diagnosis diagnosis = diagnose(ranks(4, 3.9).build());
  EXPECT_EQ(find(diagnosis, "thread-oversubscription")->fixes[0].settings[0].second, "1");
  RecordBuilder unknown = ranks(4, 3.9);
  unknown.fact("threads", Json());
  EXPECT_NE(unjudged(diagnose(unknown.build()), "thread-oversubscription"), nullptr);
}

TEST(Findings, CrowdedMachine) {
  RecordBuilder builder = healthy();
  EXPECT_FALSE(fires(builder, "crowded-machine"));
  RecordBuilder crowded;
  crowded.steps(100, {.forward = 100, .backward = 100})
      .cpu(2, 2)
      .memory(4)
      .gauge(Metric::kPressureCpuSome, [](double t) { return 0.6 * t; });
  EXPECT_TRUE(fires(crowded, "crowded-machine"));
  // It says how far the times can be trusted; a cause in the job itself comes before it.
  RecordBuilder stalled_too;
  stalled_too.fact("threads", 2)
      .cores(2)
      .steps(100, {.data_wait = 120, .forward = 80})
      .cpu(0.2, 1.75)
      .memory(4);
  const Diagnosis diagnosis = diagnose(stalled_too.build());
  ASSERT_EQ(diagnosis.findings.size(), 2u) << ids(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].id, "data-stall-main-process");
  EXPECT_EQ(diagnosis.findings[1].id, "crowded-machine");
}

TEST(Findings, HostSynchronisation) {
  const StepShape synced{
      .data_wait = 2, .forward = 20, .backward = 20, .host_sync = 10, .rest = 48, .host_syncs = 5};
  EXPECT_TRUE(fires(on_gpu(0.5, synced), "host-synchronisation"));
  EXPECT_FALSE(fires(on_gpu(0.95, synced), "host-synchronisation"));  // the GPU never runs dry
  StepShape seldom = synced;
  seldom.host_syncs = 0;
  EXPECT_FALSE(fires(on_gpu(0.5, seldom), "host-synchronisation"));
  RecordBuilder blind;
  blind.gpus(1).fact("device", "cuda:0").steps(100, synced).cpu(1).memory(4);
  const Diagnosis diagnosis = diagnose(blind.build());
  ASSERT_NE(unjudged(diagnosis, "host-synchronisation"), nullptr);
  EXPECT_EQ(unjudged(diagnosis, "host-synchronisation")->missing,
            std::vector<std::string>{"gpu_utilization_mean"});
}

TEST(Findings, WithoutAGpuNoGpuRuleComplains) {
  for (const NotJudged& rule : diagnose(healthy().build()).not_judged)
    EXPECT_EQ(rule.rule.find("gpu"), std::string::npos) << rule.rule;
}

TEST(Findings, GpuRules) {
  RecordBuilder unused = healthy();
  EXPECT_TRUE(fires(unused.gpus(2).gauge(Metric::kGpuUtilizationFraction, 0.0), "gpu-not-used"));
  EXPECT_FALSE(fires(healthy(), "gpu-not-used"));
  RecordBuilder idle;
  EXPECT_TRUE(
      fires(idle.no_hook().gpus(1).tail(100).cpu(1).gauge(Metric::kGpuUtilizationFraction, 0.0), "gpu-idle"));
  const StepShape plain{.data_wait = 2, .forward = 60, .backward = 30, .optimizer = 8};
  EXPECT_TRUE(fires(on_gpu(0.3, plain), "gpu-waits-for-processor"));
  EXPECT_FALSE(fires(on_gpu(0.3, plain, 0.3), "gpu-waits-for-processor"));
  EXPECT_FALSE(fires(on_gpu(0.8, plain), "gpu-waits-for-processor"));
  EXPECT_FALSE(fires(on_gpu(0.99, plain), "gpu-busy-but-light"));
  RecordBuilder light = on_gpu(0.99, plain)
                            .gauge(Metric::kGpuPowerWatts, 90, 1)
                            .gauge(Metric::kGpuUtilizationFraction, 0.99, 1)
                            .gauge(Metric::kGpuPowerLimitWatts, 400, 1)
                            .gauge(Metric::kGpuProcessMemoryBytes, 1e9, 1);
  EXPECT_TRUE(fires(light, "gpu-busy-but-light"));
  EXPECT_TRUE(fires(on_gpu(0.99, plain).gauge(Metric::kGpuThrottleReasons, 0x40), "gpu-slowed-down"));
  EXPECT_FALSE(fires(on_gpu(0.99, plain).gauge(Metric::kGpuThrottleReasons, 0x5),
                     "gpu-slowed-down"));  // idle, power cap
  EXPECT_TRUE(fires(on_gpu(0.99, plain).gauge(Metric::kGpuLost, 1), "gpu-lost"));
  EXPECT_FALSE(fires(on_gpu(0.99, plain), "gpu-lost"));
  EXPECT_FALSE(fires(on_gpu(0.99, plain), "gpu-memory-near-limit"));
  EXPECT_TRUE(fires(on_gpu(0.99, plain)
                        .gauge(Metric::kGpuMemoryUsedBytes, 39 * kGiB, 1)
                        .gauge(Metric::kGpuMemoryTotalBytes, 40 * kGiB, 1)
                        .gauge(Metric::kGpuProcessMemoryBytes, 1e9, 1),
                    "gpu-memory-near-limit"));
}

TEST(Findings, SlowRankAndCollectives) {
  const auto two = [](double data_1, double collective_0) {
    RecordBuilder builder;
    builder.process(100, 0).steps(
        100, {.data_wait = 5, .forward = 50, .backward = 45, .collective = collective_0});
    return builder.process(101, 1)
        .steps(100,
               {.data_wait = data_1, .forward = 50, .backward = 45, .collective = collective_0 - data_1 + 5})
        .cpu(2)
        .memory(4);
  };
  const Diagnosis diagnosis = diagnose(two(45, 50).build());
  ASSERT_NE(find(diagnosis, "slow-rank"), nullptr) << ids(diagnosis);
  EXPECT_TRUE(says(*find(diagnosis, "slow-rank"), "rank 1"));
  EXPECT_FALSE(fires(two(6, 50), "slow-rank"));
  EXPECT_TRUE(fires(two(6, 50), "collective-cost"));
  EXPECT_FALSE(fires(healthy(), "slow-rank"));
}

TEST(Findings, CheckpointCost) {
  const auto saving = [](double each) {
    RecordBuilder builder;
    return builder
        .steps(100, {.forward = 100, .backward = 100},
               [each](int i, StepShape& shape) {
                 if (i % 10 == 9) shape.checkpoint = each;
               })
        .cpu(3.5)
        .memory(4);
  };
  const Diagnosis diagnosis = diagnose(saving(200).build());
  const Finding* finding = find(diagnosis, "checkpoint-cost");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->share->value, 2.0 / 23, 0.005);
  EXPECT_GT(finding->gain()->likely, 1.05);
  EXPECT_FALSE(fires(saving(50), "checkpoint-cost"));
}

TEST(Findings, ValidationAndUnseenTime) {
  RecordBuilder validating;
  validating.steps(100, {.forward = 100, .backward = 100, .validation = 100}).cpu(3.5).memory(4);
  EXPECT_TRUE(fires(validating, "validation-cost"));
  EXPECT_FALSE(fires(healthy(), "validation-cost"));
  RecordBuilder unseen;
  unseen.no_loader().steps(100, {.forward = 40, .backward = 40, .rest = 120}).cpu(1).memory(4);
  const Diagnosis diagnosis = diagnose(unseen.build());
  ASSERT_NE(find(diagnosis, "unseen-time"), nullptr);
  EXPECT_NE(unjudged(diagnosis, "data-stall-main-process"), nullptr);  // data wait was not measured: not "0"
}

// 100 steps of 200 ms of which `rest` are spent in code of the loop's own.
RecordBuilder with_own_code(double rest, double cores) {
  RecordBuilder builder;
  const double compute = (200 - rest) / 2;
  return builder.steps(100, {.forward = compute, .backward = compute, .rest = rest}).cpu(cores).memory(4);
}

TEST(Findings, TimeInOwnPythonCode) {
  const Diagnosis waiting = diagnose(with_own_code(150, 0.25).build());
  const Finding* finding = find(waiting, "unseen-time");
  ASSERT_NE(finding, nullptr) << ids(waiting);
  EXPECT_TRUE(says(*finding, "75 % of every step"));
  EXPECT_TRUE(says(*finding, "150 ms of every step of 200 ms"));
  EXPECT_TRUE(says(*finding, "0.33 cores were in use meanwhile: it mostly waits"));
  ASSERT_GE(finding->fixes.size(), 2u);
  EXPECT_NE(render_in("en", finding->fixes[0].text).find("py-spy record"), std::string::npos);
  EXPECT_NE(render_in("en", finding->fixes[1].text).find("--idle"), std::string::npos);

  const Diagnosis busy = diagnose(with_own_code(150, 3.5).build());
  ASSERT_NE(find(busy, "unseen-time"), nullptr);
  EXPECT_FALSE(says(*find(busy, "unseen-time"), "it mostly waits"));
  EXPECT_EQ(find(busy, "unseen-time")->fixes.size(), 1u);

  EXPECT_FALSE(fires(healthy(), "unseen-time"));
  EXPECT_TRUE(fires(with_own_code(42, 3.5), "unseen-time"));   // 21 % of the step
  EXPECT_FALSE(fires(with_own_code(38, 3.5), "unseen-time"));  // 19 %
  // 30 % of the step, but little of a run that does something else for most of its time.
  RecordBuilder rare;
  rare.startup(60).steps(100, {.forward = 70, .backward = 70, .rest = 60}).cpu(3.5).memory(4);
  EXPECT_FALSE(fires(rare, "unseen-time"));
}

TEST(Findings, TimeInOwnPythonCodeNeedsStepsToBeJudged) {
  RecordBuilder few;
  const Diagnosis diagnosis =
      diagnose(few.steps(8, {.forward = 20, .backward = 20, .rest = 160}).cpu(0.3).memory(4).build());
  EXPECT_EQ(find(diagnosis, "unseen-time"), nullptr);
  EXPECT_NE(unjudged(diagnosis, "unseen-time"), nullptr);
}

TEST(Findings, SlowStart) {
  RecordBuilder slow;
  slow.startup(40).steps(100, {.forward = 100, .backward = 100}).cpu(3.5).memory(4);
  const Diagnosis diagnosis = diagnose(slow.build());
  ASSERT_NE(find(diagnosis, "slow-start"), nullptr);
  EXPECT_NEAR(find(diagnosis, "slow-start")->share->value, 41.0 / 61, 0.01);
  RecordBuilder quick;
  EXPECT_FALSE(fires(quick.startup(10).steps(100, {.forward = 100, .backward = 100}).cpu(3.5).memory(4),
                     "slow-start"));
}

TEST(Findings, TheStartEndsWithTheVeryFirstStepAlsoWhenALaterAttemptTrainedLonger) {
  RunRecord record = RecordBuilder().steps(400, {.forward = 100, .backward = 100}).cpu(3.5).memory(4).build();
  const double before = *summarise(record).get("startup_seconds");
  for (std::size_t i = 20; i < record.steps.size(); ++i) record.steps[i].process = 999;  // a second attempt
  EXPECT_NEAR(*summarise(record).get("startup_seconds"), before, 1e-6);
  record.samples.clear();
  EXPECT_FALSE(summarise(record).get("startup_seconds"));
}

// Works for 21 s, then stands still.
RecordBuilder standing_still(double seconds, double cores = 0) {
  RecordBuilder builder;
  return builder.steps(100, {.forward = 100, .backward = 100})
      .tail(seconds)
      .memory(4)
      .gauge(Metric::kTreeCpuSeconds,
             [cores](double t) { return t < 21 ? 3.5 * t : 3.5 * 21 + cores * (t - 21); })
      .gauge(Metric::kTreeReadCharacters, [](double t) { return 1e6 * std::min(t, 21.0); })
      .gauge(Metric::kTreeReadBytes, [](double) { return 1e6; });
}

TEST(Findings, IdleTail) {
  const Diagnosis diagnosis = diagnose(standing_still(60).build());
  const Finding* finding = find(diagnosis, "idle-tail");
  ASSERT_NE(finding, nullptr) << ids(diagnosis);
  EXPECT_NEAR(finding->share->value, 60.0 / 81, 0.02);
  EXPECT_EQ(find(diagnosis, "hang"), nullptr);
  EXPECT_FALSE(fires(standing_still(60, 0.5), "idle-tail"));  // it computes
  EXPECT_FALSE(fires(standing_still(5), "idle-tail"));
  EXPECT_FALSE(fires(healthy(), "idle-tail"));
}

TEST(Findings, Hang) {
  auto hung = standing_still(400).outcome(OutcomeCause::kHang).change([](RunRecord& record) {
    record.progress = Json::object({{"last_output_ns", kWallStart + 20'000'000'000}});
  });
  const Diagnosis diagnosis = diagnose(hung.build());
  const Finding* finding = find(diagnosis, "hang");
  ASSERT_NE(finding, nullptr) << ids(diagnosis);
  EXPECT_EQ(diagnosis.findings.front().id, "hang");
  EXPECT_EQ(find(diagnosis, "idle-tail"), nullptr);
  EXPECT_TRUE(says(*finding, "it waits"));
  auto spinning = standing_still(400, 1.0).outcome(OutcomeCause::kCancelled);
  ASSERT_TRUE(fires(spinning, "hang"));
  EXPECT_TRUE(says(*find(diagnose(spinning.build()), "hang"), "it spins"));
  EXPECT_TRUE(fires(standing_still(400).running(), "hang"));
  EXPECT_FALSE(fires(standing_still(100).running(), "hang"));
  EXPECT_FALSE(fires(standing_still(400), "hang"));  // it ended by itself
  EXPECT_FALSE(fires(healthy().outcome(OutcomeCause::kCancelled), "hang"));
  // Output in between: it is alive.
  auto talking = standing_still(400).outcome(OutcomeCause::kCancelled).change([](RunRecord& record) {
    record.progress = Json::object({{"last_output_ns", kWallStart + 400'000'000'000}});
  });
  EXPECT_FALSE(fires(talking, "hang"));
}

TEST(Findings, OutOfGpuMemory) {
  auto failed = on_gpu(0.9, {.forward = 60, .backward = 40})
                    .outcome(OutcomeCause::kJobFailed)
                    .fact("out_of_memory", Json::object({{"message",
                                                          "CUDA out of memory. Tried to allocate 2.00 GiB. "
                                                          "GPU 0 has a total capacity of 40.00 GiB"},
                                                         {"requested_bytes", 2 * kGiB},
                                                         {"allocated_bytes", 36 * kGiB},
                                                         {"reserved_bytes", 39 * kGiB}}));
  const Diagnosis diagnosis = diagnose(failed.build());
  ASSERT_EQ(diagnosis.findings.front().id, "out-of-gpu-memory") << ids(diagnosis);
  const Finding& finding = diagnosis.findings.front();
  EXPECT_EQ(finding.kind, FindingKind::kFailure);
  EXPECT_TRUE(says(finding, "asked for 2.00 GiB"));
  EXPECT_TRUE(says(finding, "after 200 steps, with a batch size of 32"));
  // 3 GiB lay reserved and unused, more than was asked for: fragmentation is the first thing to fix.
  EXPECT_NE(finding.fixes[0].text.msgid.find("expandable_segments"), std::string::npos);
  // The same mark in a run that went on by itself is no failure.
  EXPECT_FALSE(fires(failed.outcome(OutcomeCause::kSucceeded), "out-of-gpu-memory"));
}

TEST(Findings, OutOfHostMemory) {
  RecordBuilder killed;
  killed.loader("num_workers", 4)
      .steps(100, {.forward = 300, .backward = 300})
      .cpu(3)
      .outcome(OutcomeCause::kOutOfMemory)
      .gauge(Metric::kCgroupMemoryBytes, [](double t) { return (1 + 0.1 * t) * kGiB; })
      .gauge(Metric::kCgroupMemoryLimitBytes, 8 * kGiB);
  const Diagnosis diagnosis = diagnose(killed.build());
  ASSERT_EQ(diagnosis.findings.front().id, "out-of-host-memory") << ids(diagnosis);
  const Finding& finding = diagnosis.findings.front();
  EXPECT_TRUE(says(finding, "killed by the kernel"));
  EXPECT_TRUE(says(finding, "of 8.00 GiB"));
  EXPECT_TRUE(says(finding, "grew steadily"));
  EXPECT_EQ(find(diagnosis, "memory-near-limit"), nullptr);
  // From a log line alone, in a process that the hook did not see.
  RecordBuilder logged;
  logged.no_hook().tail(30).cpu(1).memory(15).outcome(OutcomeCause::kJobFailed).change([](RunRecord& record) {
    record.progress = Json::object(
        {{"error_lines", Json::array().push(Json::object(
                             {{"kind", "out_of_memory"},
                              {"line",
                               "RuntimeError: [enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: "
                               "can't allocate memory: you tried to allocate 40000000000 bytes."}}))}});
  });
  const Diagnosis from_log = diagnose(logged.build());
  ASSERT_NE(find(from_log, "out-of-host-memory"), nullptr) << ids(from_log);
  EXPECT_TRUE(says(*find(from_log, "out-of-host-memory"), "37.3 GiB failed"));
}

TEST(Findings, MemoryRisks) {
  EXPECT_TRUE(fires(healthy()
                        .memory(4)
                        .gauge(Metric::kCgroupMemoryBytes, 7.3 * kGiB)
                        .gauge(Metric::kCgroupMemoryLimitBytes, 8 * kGiB),
                    "memory-near-limit"));
  EXPECT_FALSE(fires(healthy()
                         .gauge(Metric::kCgroupMemoryBytes, 7.1 * kGiB)
                         .gauge(Metric::kCgroupMemoryLimitBytes, 8 * kGiB),
                     "memory-near-limit"));
  RecordBuilder growing;
  growing.steps(300, {.forward = 200, .backward = 200})
      .cpu(3)
      .gauge(Metric::kCgroupMemoryBytes, [](double t) { return (4 + 0.001 * t) * kGiB; })
      .gauge(Metric::kMemoryTotalBytes, 16 * kGiB);
  EXPECT_TRUE(fires(growing, "memory-grows"));
  EXPECT_FALSE(fires(healthy(), "memory-grows"));
  EXPECT_TRUE(fires(healthy().gauge(Metric::kPressureMemoryFull, [](double t) { return 0.05 * t; }),
                    "memory-pressure"));
  EXPECT_FALSE(fires(healthy().gauge(Metric::kPressureMemoryFull, [](double t) { return 0.01 * t; }),
                     "memory-pressure"));
  EXPECT_NE(unjudged(diagnose(healthy().build()), "memory-pressure"), nullptr);
}

TEST(Findings, AreRankedFailuresFirstThenByShare) {
  auto both = stalled()
                  .gauge(Metric::kCgroupMemoryBytes, 7.9 * kGiB)
                  .gauge(Metric::kCgroupMemoryLimitBytes, 8 * kGiB);
  const Diagnosis diagnosis = diagnose(both.build());
  EXPECT_EQ(ids(diagnosis), "data-stall-main-process memory-near-limit ");
  EXPECT_NE(render_in("en", diagnosis.summary).find("num_workers=0"), std::string::npos);
}

TEST(Findings, SurviveJson) {
  const Diagnosis diagnosis = diagnose(stalled().build());
  const Diagnosis again = Diagnosis::from_json(*Json::parse(diagnosis.to_json().dump(), "test"));
  EXPECT_EQ(again.to_json(), diagnosis.to_json());
  EXPECT_EQ(again.findings.size(), diagnosis.findings.size());
  EXPECT_TRUE(Diagnosis::from_json(Json("nonsense")).findings.empty());
}

TEST(Findings, CoverageIsRemarked) {
  auto record = healthy().build();
  record.hook.set("lost_records", 12);
  record.hook.set("coverage",
                  Json::object({{"python_processes", 2},
                                {"not_covered",
                                 Json::array().push(Json::object({{"pid", 7}, {"reason", "isolated"}}))}}));
  record.damage = {"samples.seg: checksum"};
  std::string remarks;
  for (const Text& remark : diagnose(record).remarks) remarks += render_in("en", remark) + "\n";
  EXPECT_NE(remarks.find("12 of the hook's records"), std::string::npos);
  EXPECT_NE(remarks.find("process 7 runs Python with -I"), std::string::npos);
  EXPECT_NE(remarks.find("checksum"), std::string::npos);
}

}  // namespace
}  // namespace forebay
