#include "telemetry/gpu_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "telemetry/nvml.h"

namespace forebay {
namespace {

// Drives a watch against the scripted library, in real time but without ever asserting how long something
// took.
class GpuWatchTest : public testing::Test {
 protected:
  void use(const std::string& script, const char* library = FAKE_NVML) {
    ::setenv("FOREBAY_NVML", library, 1);
    ::setenv("FOREBAY_FAKE_NVML", script.c_str(), 1);
    GpuWatchSettings settings;
    settings.command = {GPU_READER};
    settings.device_deadline = Duration{300'000'000};
    settings.first_pause = Duration{50'000'000};
    watch.emplace(settings);
  }
  ~GpuWatchTest() override {
    ::unsetenv("FOREBAY_NVML");
    ::unsetenv("FOREBAY_FAKE_NVML");
  }
  // Pumps until `done` or ten seconds have passed.
  template <typename Done>
  bool pump(Done done) {
    const std::int64_t until = system_clock().monotonic_ns() + 10'000'000'000;
    while (!done()) {
      if (system_clock().monotonic_ns() > until) return false;
      pollfd answer{watch->descriptor(), POLLIN, 0};
      ::poll(&answer, 1, 20);
      watch->receive();
    }
    return true;
  }
  bool read_once() {
    const auto nobody = [](std::int64_t) { return false; };
    return pump([&] {
      if (!watch->is_answered()) {
        watch->request();
        return false;
      }
      const std::int64_t asked = system_clock().monotonic_ns();
      watch->request();
      pump([&] { return watch->is_answered() || watch->descriptor() < 0; });
      sample = {};
      watch->append_to(sample, asked, nobody);
      return true;
    });
  }
  std::optional<GpuWatch> watch;
  Sample sample;
};

TEST_F(GpuWatchTest, ReadsEightDevices) {
  use("gpus=8");
  ASSERT_TRUE(read_once());
  for (std::uint16_t i = 0; i < 8; ++i) {
    EXPECT_DOUBLE_EQ(sample.get(Metric::kGpuUtilizationFraction, i).value(), 0.5);
    EXPECT_DOUBLE_EQ(sample.get(Metric::kGpuPowerWatts, i).value(), 300.0 + i);
    EXPECT_DOUBLE_EQ(sample.get(Metric::kGpuMemoryReservedBytes, i).value(), 1073741824.0);
    EXPECT_DOUBLE_EQ(sample.get(Metric::kGpuMemoryUsedBytes, i).value() +
                         sample.get(Metric::kGpuMemoryFreeBytes, i).value() +
                         sample.get(Metric::kGpuMemoryReservedBytes, i).value(),
                     sample.get(Metric::kGpuMemoryTotalBytes, i).value());
    EXPECT_DOUBLE_EQ(sample.get(Metric::kGpuSmClockHertz, i).value(), 1980e6);
    EXPECT_FALSE(sample.get(Metric::kGpuLost, i).has_value());
  }
  const auto devices = watch->descriptions();
  ASSERT_EQ(devices.size(), 8u);
  EXPECT_EQ(devices[3].name, "Fake H100 80GB HBM3");
  EXPECT_EQ(devices[3].pci, "00000000:04:00.0");
  EXPECT_EQ(watch->driver_version(), "550.54.15");
  EXPECT_EQ(watch->cuda_version(), "12.4");
}

TEST_F(GpuWatchTest, WhatADriverDoesNotSupportIsAbsent) {
  use("gpus=1,sparse");
  ASSERT_TRUE(read_once());
  EXPECT_TRUE(sample.get(Metric::kGpuMemoryUsedBytes, 0).has_value());
  for (const Metric metric :
       {Metric::kGpuUtilizationFraction, Metric::kGpuPowerWatts, Metric::kGpuTemperatureCelsius,
        Metric::kGpuEnergyJoules, Metric::kGpuSmClockHertz, Metric::kGpuPowerLimitWatts,
        Metric::kGpuThrottleReasons})
    EXPECT_FALSE(sample.get(metric, 0).has_value()) << find_metric(metric)->name;
}

TEST_F(GpuWatchTest, SuccessWithNonsenseIsAbsentToo) {
  use("gpus=1,nonsense");
  ASSERT_TRUE(read_once());
  for (const SampleValue& value : sample.values)
    ADD_FAILURE() << find_metric(value.metric)->name << " = " << value.value;
}

TEST_F(GpuWatchTest, AnOldDriverWithoutTheNewerFunctionsIsEnough) {
  use("gpus=1", FAKE_NVML_OLD);
  ASSERT_TRUE(read_once());
  EXPECT_TRUE(sample.get(Metric::kGpuMemoryUsedBytes, 0).has_value());
  EXPECT_FALSE(sample.get(Metric::kGpuMemoryReservedBytes, 0).has_value());
  EXPECT_FALSE(sample.get(Metric::kGpuEnergyJoules, 0).has_value());
  EXPECT_TRUE(sample.get(Metric::kGpuUtilizationFraction, 0).has_value());
}

TEST_F(GpuWatchTest, ALostDeviceIsShownLostAndTheOthersGoOn) {
  use("gpus=3,lost=1@2");
  ASSERT_TRUE(read_once());
  EXPECT_FALSE(sample.get(Metric::kGpuLost, 1).has_value());
  ASSERT_TRUE(pump([&] { return read_once() && sample.get(Metric::kGpuLost, 1).has_value(); }));
  EXPECT_FALSE(sample.get(Metric::kGpuMemoryUsedBytes, 1).has_value()) << "no last values";
  EXPECT_FALSE(sample.get(Metric::kGpuLost, 0).has_value());
  EXPECT_TRUE(sample.get(Metric::kGpuUtilizationFraction, 0).has_value());
  EXPECT_TRUE(sample.get(Metric::kGpuUtilizationFraction, 2).has_value());
}

TEST_F(GpuWatchTest, AHungDeviceIsLeftAloneAndTheOthersGoOn) {
  use("gpus=3,hang=1@0");
  ASSERT_TRUE(pump([&] { return watch->is_described() || (watch->request(), false); }));
  const pid_t first = watch->reader_pid();
  bool others = false;
  ASSERT_TRUE(pump([&] {
    watch->request();
    sample = {};
    watch->append_to(sample, system_clock().monotonic_ns() - 1'000'000'000,
                     [](std::int64_t) { return false; });
    others = sample.get(Metric::kGpuUtilizationFraction, 0).has_value() &&
             sample.get(Metric::kGpuUtilizationFraction, 2).has_value();
    return others && sample.get(Metric::kGpuLost, 1).has_value();
  }));
  EXPECT_FALSE(sample.get(Metric::kGpuUtilizationFraction, 1).has_value());
  EXPECT_FALSE(sample.get(Metric::kGpuLost, 0).has_value());
  EXPECT_NE(watch->reader_pid(), first) << "the stuck reader was replaced";
}

TEST_F(GpuWatchTest, ADriverThatHangsWhileLoadingIsGivenUpWithoutWaiting) {
  ::setenv("FOREBAY_NVML", FAKE_NVML, 1);
  ::setenv("FOREBAY_FAKE_NVML", "hang_init", 1);
  GpuWatchSettings settings;
  settings.command = {GPU_READER};
  settings.start_deadline = Duration{200'000'000};
  settings.first_pause = Duration{3'600'000'000'000};
  watch.emplace(settings);
  watch->request();
  const pid_t reader = watch->reader_pid();
  ASSERT_GT(reader, 0);
  ASSERT_TRUE(pump([&] { return watch->descriptor() < 0; }));
  EXPECT_FALSE(watch->is_described());
  watch->request();
  EXPECT_EQ(watch->descriptor(), -1) << "not again at once";
}

TEST_F(GpuWatchTest, AVersionMismatchNamesBothVersions) {
  use("mismatch");
  watch->request();
  ASSERT_TRUE(pump([&] { return watch->problem().has_value(); }));
  const std::string sentence = render_in("en", *watch->problem());
  EXPECT_NE(sentence.find("550.54.15"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("535.104.05"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("Reboot"), std::string::npos) << sentence;
}

TEST_F(GpuWatchTest, ALibraryThatCannotBeLoadedIsSaidOnce) {
  use("", "/nonexistent/libnvidia-ml.so.1");
  watch->request();
  ASSERT_TRUE(pump([&] { return watch->problem().has_value(); }));
  watch->request();
  EXPECT_EQ(watch->descriptor(), -1) << "it does not mend itself";
}

TEST_F(GpuWatchTest, WithMigTheDeviceIsDescribedAndUtilisationIsAbsent) {
  use("gpus=1,mig");
  ASSERT_TRUE(read_once());
  EXPECT_TRUE(watch->descriptions().at(0).mig);
  EXPECT_FALSE(sample.get(Metric::kGpuUtilizationFraction, 0).has_value());
}

TEST_F(GpuWatchTest, MemoryOfOwnProcessesWhicheverSizeTheEntriesHave) {
  for (const char* script : {"gpus=2,pid=4321", "gpus=2,pid=4321,long_processes"}) {
    use(script);
    ASSERT_TRUE(read_once());
    const auto is_own = [](std::int64_t pid) { return pid == 4321; };
    Sample own;
    watch->append_to(own, 0, is_own);
    EXPECT_DOUBLE_EQ(own.get(Metric::kGpuProcessMemoryBytes, 0).value_or(-1), 1073741824.0) << script;
    EXPECT_FALSE(own.get(Metric::kGpuProcessMemoryBytes, 1).has_value()) << script;
    EXPECT_TRUE(watch->is_busy(0, is_own));
    Sample others;
    watch->append_to(others, 0, [](std::int64_t pid) { return pid == 999'999; });
    EXPECT_FALSE(others.get(Metric::kGpuProcessMemoryBytes, 0).has_value()) << "not available is not 2^64";
  }
}

TEST_F(GpuWatchTest, AnIdleDeviceIsNotBusy) {
  use("gpus=2,busy=0");
  ASSERT_TRUE(read_once());
  EXPECT_FALSE(watch->is_busy(0, [](std::int64_t) { return false; }));
}

TEST_F(GpuWatchTest, AReaderThatIsKilledIsReplaced) {
  use("gpus=1");
  ASSERT_TRUE(read_once());
  const pid_t first = watch->reader_pid();
  ::kill(first, SIGKILL);
  ASSERT_TRUE(pump([&] {
    if (watch->reader_pid() > 0 && watch->reader_pid() != first && watch->is_answered()) return true;
    watch->request();
    return false;
  }));
  EXPECT_TRUE(read_once());
}

TEST_F(GpuWatchTest, OldReadingsAreNotServed) {
  use("gpus=1");
  ASSERT_TRUE(read_once());
  Sample later;
  watch->append_to(later, system_clock().monotonic_ns() + 1, [](std::int64_t) { return false; });
  EXPECT_TRUE(later.values.empty());
}

TEST_F(GpuWatchTest, AReaderThatTalksNonsenseIsKilled) {
  GpuWatchSettings settings;
  settings.command = {"/bin/sh", "-c", "while :; do echo nonsense; done"};
  settings.first_pause = Duration{3'600'000'000'000};
  watch.emplace(settings);
  watch->request();
  EXPECT_TRUE(pump([&] { return watch->descriptor() < 0; }));
}

TEST(Nvml, FindsTheKernelModulesVersion) {
  EXPECT_EQ(kernel_module_version(std::string(FOREBAY_SOURCE_DIR) + "/tests/data/proc-machine/proc"),
            "535.104.05");
  EXPECT_EQ(kernel_module_version("/nonexistent"), "");
}

TEST(GpuMessage, TextNeverRunsOver) {
  GpuMessage message;
  message.set_text(std::string(1000, 'x'));
  EXPECT_EQ(message.get_text().size(), 168u);
  message.text_length = 4'000'000'000u;
  EXPECT_EQ(message.get_text().size(), 168u);
}

}  // namespace
}  // namespace forebay
