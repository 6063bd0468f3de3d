#include "telemetry/recorder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "record/run_record.h"
#include "record/segment.h"
#include "ring_file.h"
#include "telemetry/sample_thinning.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

// A child with a child of its own that burns half a second of processor time, however late somebody looks,
// and then reads until its standard input closes.
class Warden {
 public:
  Warden() {
    if (::pipe(gate_) != 0) return;
    pid_ = ::fork();
    if (pid_ != 0) {
      ::close(gate_[0]);
      return;
    }
    ::close(gate_[1]);
    if (::fork() == 0) {
      while (::clock() < CLOCKS_PER_SEC / 2) asm volatile("" ::: "memory");
      char byte = 0;
      (void)!::read(gate_[0], &byte, 1);
      ::_exit(0);
    }
    ::wait(nullptr);
    ::_exit(0);
  }
  ~Warden() { end(); }
  void end() {
    if (pid_ <= 0) return;
    ::close(gate_[1]);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  int gate_[2] = {-1, -1};
  pid_t pid_ = 0;
};

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    (void)create_run_directory(directory);
    std::filesystem::create_directory(directory.hook_channel());
  }
  RecorderSettings settings(std::int64_t root) const {
    RecorderSettings found(directory);
    found.root_pid = root;
    found.interval = Duration{20'000'000};
    found.hook_channel = directory.hook_channel();
    return found;
  }
  template <typename Done>
  static bool eventually(Done done) {
    for (int i = 0; i < 1000; ++i) {
      if (done()) return true;
      system_clock().sleep(Duration{10'000'000});
    }
    return false;
  }
  RunRecord record() const { return load_run_record(directory).value_or(RunRecord{}); }
  TemporaryFolder folder;
  RunDirectory directory{folder.file("run")};
};

TEST_F(RecorderTest, WritesSamplesStepsFactsAndProgress) {
  Warden warden;
  RingFile ring(directory.hook_channel() + "/10.ring", 16, 10);
  ring.facts(R"({"torch": "2.13"})")
      .add(SpanKind::kForward, 100, 50)
      .add(SpanKind::kOptimizerStep, 150, 10, 0)
      .save();
  auto recorder = Recorder::start(settings(warden.pid()));
  ASSERT_TRUE(recorder);
  (*recorder)->feed_log("Epoch 1/2\nstep=3/10 loss=0.5\nValueError: bad\n");
  ASSERT_TRUE(eventually([&] {
    const Activity now = (*recorder)->activity();
    return now.last_cpu_ns && now.last_log_ns && now.last_progress_ns && now.last_step_ns &&
           now.processes == 1;
  }));
  warden.end();
  ASSERT_TRUE((*recorder)->stop());
  const Activity activity = (*recorder)->activity();
  EXPECT_TRUE(activity.cpu_known);
  EXPECT_GT(activity.cpu_seconds.value(), 0);
  EXPECT_GT(activity.peak_memory_bytes.value(), 0);
  EXPECT_EQ(activity.steps, 1);
  const RunRecord found = record();
  EXPECT_TRUE(found.damage.empty());
  ASSERT_GE(found.samples.size(), 2u);
  double cpu = 0;
  for (const Sample& sample : found.samples) {
    EXPECT_GE(sample.get(Metric::kTreeCpuSeconds).value_or(0), cpu) << "never backwards";
    cpu = sample.get(Metric::kTreeCpuSeconds).value_or(0);
    EXPECT_TRUE(sample.get(Metric::kMemoryTotalBytes).has_value());
    EXPECT_TRUE(sample.get(Metric::kSamplerResidentBytes).has_value());
  }
  ASSERT_EQ(found.steps.size(), 1u);
  EXPECT_EQ(found.steps[0].forward_ns, 50);
  EXPECT_EQ(found.hook["processes"].at(0)["facts"]["torch"].string_or_empty(), "2.13");
  EXPECT_TRUE(found.hook["coverage"].is_object());
  EXPECT_EQ(found.progress["latest"]["step"].as_integer(), 3);
  EXPECT_EQ(found.progress["error_lines"].at(0)["kind"].string_or_empty(), "exception");
}

TEST_F(RecorderTest, TheRootMayComeLater) {
  auto recorder = Recorder::start(settings(0));
  ASSERT_TRUE(recorder);
  EXPECT_FALSE((*recorder)->activity().cpu_seconds.has_value());
  Warden warden;
  (*recorder)->watch(warden.pid());
  EXPECT_TRUE(eventually([&] { return (*recorder)->activity().processes == 1; }));
}

TEST_F(RecorderTest, StopsOnceAndTwiceAndWithoutBeingAsked) {
  auto recorder = Recorder::start(settings(::getpid()));
  ASSERT_TRUE(recorder);
  EXPECT_TRUE((*recorder)->stop());
  EXPECT_TRUE((*recorder)->stop());
  (*recorder)->feed_log("after the end");
  auto other = Recorder::start(settings(::getpid()));
  ASSERT_TRUE(other);
  other->reset();
}

TEST_F(RecorderTest, AHookFolderFullOfRubbishDoesNotStopIt) {
  for (int i = 0; i < 50; ++i) {
    RingFile ring(directory.hook_channel() + "/" + std::to_string(i) + ".ring");
    ring.put<std::uint64_t>(static_cast<std::size_t>(i * 2), 0x4141414141414141u).save();
  }
  std::filesystem::create_symlink("/dev/zero", directory.hook_channel() + "/a.ring");
  auto recorder = Recorder::start(settings(::getpid()));
  ASSERT_TRUE(recorder);
  EXPECT_TRUE(eventually([&] { return (*recorder)->activity().sampled_ns.has_value(); }));
  EXPECT_TRUE((*recorder)->stop());
  EXPECT_GT(record().hook["damaged"].size(), 0u);
}

TEST_F(RecorderTest, FeedingFromAnotherThreadWhileItReads) {
  auto recorder = Recorder::start(settings(::getpid()));
  ASSERT_TRUE(recorder);
  std::thread feeder([&] {
    for (int i = 0; i < 20'000; ++i) (*recorder)->feed_log("step=" + std::to_string(i) + " loss=1.0\n");
  });
  std::thread asker([&] {
    for (int i = 0; i < 2'000; ++i) (void)(*recorder)->activity();
  });
  feeder.join();
  asker.join();
  EXPECT_TRUE((*recorder)->stop());
  EXPECT_EQ(record().progress["latest"]["step"].as_integer(), 19'999) << "the last line counts";
}

TEST_F(RecorderTest, SamplesGpusThroughItsReader) {
  ::setenv("FOREBAY_NVML", FAKE_NVML, 1);
  ::setenv("FOREBAY_FAKE_NVML", "gpus=2", 1);
  RecorderSettings with_gpus = settings(::getpid());
  with_gpus.gpu_reader_command = {GPU_READER};
  auto recorder = Recorder::start(with_gpus);
  ASSERT_TRUE(recorder);
  EXPECT_TRUE(eventually([&] { return (*recorder)->activity().last_gpu_ns.has_value(); }));
  EXPECT_TRUE((*recorder)->stop());
  ::unsetenv("FOREBAY_NVML");
  ::unsetenv("FOREBAY_FAKE_NVML");
  EXPECT_TRUE((*recorder)->activity().gpu_known);
  EXPECT_DOUBLE_EQ(record().samples.back().get(Metric::kGpuUtilizationFraction, 1).value_or(-1), 0.5);
}

TEST_F(RecorderTest, ARecordThatCannotBeWrittenIsAnErrorAtTheStart) {
  EXPECT_FALSE(Recorder::start(RecorderSettings(RunDirectory("/nonexistent/run"))));
}

TEST(SampleThinning, KeepsFewerTheLongerARunIs) {
  SampleThinning thinning;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < 200'000; ++i) kept += thinning.keep();
  EXPECT_EQ(kept, 200'000);
  for (std::int64_t i = 0; i < 2'000'000; ++i) kept += thinning.keep();
  EXPECT_EQ(kept, 400'000);
}

}  // namespace
}  // namespace forebay
