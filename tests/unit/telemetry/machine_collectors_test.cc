#include "telemetry/machine_collectors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace forebay {
namespace {

const std::string kMachine = std::string(FOREBAY_SOURCE_DIR) + "/tests/data/proc-machine";
const std::string kDamaged = std::string(FOREBAY_SOURCE_DIR) + "/tests/data/proc-damaged";
const std::string kNowhere = "/nonexistent";

struct CopiedMachine {
  CopiedMachine() {
    std::filesystem::copy(kMachine, folder.path(), std::filesystem::copy_options::recursive);
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name), std::ios::trunc) << text;
  }
  std::string proc() const { return folder.file("proc"); }
  std::string sys() const { return folder.file("sys"); }
  TemporaryFolder folder;
};

TEST(CpuLoad, IsTheShareOfTheTimeBetweenTwoSamples) {
  CopiedMachine machine;
  CpuLoad load(machine.proc());
  ReadBuffer buffer;
  Sample first;
  load.append_to(first, buffer);
  EXPECT_TRUE(first.values.empty()) << "one look tells nothing";
  machine.write("proc/stat",
                "cpu  1050 10 500 8100 250 5 15 0 0 0\ncpu0 650 5 300 3850 100 3 10 0 0 0\ncpu1 400 5 200 "
                "4250 150 2 5 0 0 0\nintr 1\n");
  Sample second;
  load.append_to(second, buffer);
  EXPECT_DOUBLE_EQ(second.get(Metric::kCoreBusyFraction, 0).value(), 0.5);
  EXPECT_DOUBLE_EQ(second.get(Metric::kCoreBusyFraction, 1).value(), 0.0);
  EXPECT_DOUBLE_EQ(second.get(Metric::kIoWaitFraction).value(), 0.25);
}

TEST(CpuLoad, SaysNothingBeforeEnoughTimeHasPassedAndThenCountsAllOfIt) {
  CopiedMachine machine;
  CpuLoad load(machine.proc());
  ReadBuffer buffer;
  Sample sample;
  machine.write("proc/stat", "cpu0 100 0 0 100 0 0 0 0\n");
  load.append_to(sample, buffer);
  machine.write("proc/stat", "cpu0 102 0 0 100 0 0 0 0\n");
  load.append_to(sample, buffer);
  EXPECT_TRUE(sample.values.empty());
  machine.write("proc/stat", "cpu0 102 0 0 102 0 0 0 0\n");
  load.append_to(sample, buffer);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kCoreBusyFraction, 0).value(), 0.5);
}

TEST(MemoryUsage, ReadsWhatIsThere) {
  MemoryUsage memory(kMachine + "/proc");
  ReadBuffer buffer;
  Sample sample;
  memory.append_to(sample, buffer);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kMemoryTotalBytes).value(), 16384000.0 * 1024);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kMemoryAvailableBytes).value(), 8192000.0 * 1024);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kSwapUsedBytes).value(), 512000.0 * 1024);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kLoadAverage1).value(), 1.25);
}

TEST(DiskUsage, CountsWholeDisksOnly) {
  DiskUsage disks(kMachine + "/proc", kMachine + "/sys");
  ReadBuffer buffer;
  Sample sample;
  disks.append_to(sample, buffer);
  EXPECT_EQ(list_disks(kMachine + "/proc", kMachine + "/sys"), (std::vector<std::string>{"nvme0n1", "sda"}));
  EXPECT_EQ(sample.values.size(), 6u);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskReadBytes, 1).value(), 20000.0 * 512);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskWriteBytes, 1).value(), 40000.0 * 512);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskBusySeconds, 1).value(), 0.7);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskReadBytes, 0).value(), 8000.0 * 512);
}

TEST(DiskUsage, KnowsPartitionsByTheirNamesWhereSysIsMissing) {
  EXPECT_EQ(list_disks(kMachine + "/proc", kNowhere), (std::vector<std::string>{"nvme0n1", "sda"}));
}

TEST(DiskUsage, ADiskThatComesLaterGetsTheNextIndex) {
  CopiedMachine machine;
  DiskUsage disks(machine.proc(), machine.sys());
  std::filesystem::create_directories(machine.folder.file("sys/block/aaa"));
  machine.write("proc/diskstats", "8 0 aaa 1 0 2 0 1 0 2 0 0 5 5\n8 0 sda 1 0 4 0 1 0 2 0 0 5 5\n");
  ReadBuffer buffer;
  Sample sample;
  disks.append_to(sample, buffer);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskReadBytes, 1).value(), 4.0 * 512) << "sda keeps its place";
  EXPECT_DOUBLE_EQ(sample.get(Metric::kDiskReadBytes, 2).value(), 2.0 * 512);
}

TEST(NetworkUsage, LeavesLoopbackOut) {
  NetworkUsage network(kMachine + "/proc");
  ReadBuffer buffer;
  Sample sample;
  network.append_to(sample, buffer);
  EXPECT_EQ(sample.values.size(), 4u);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kNetworkReceivedBytes, 0).value(), 1234567);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kNetworkSentBytes, 0).value(), 7654321);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kNetworkSentBytes, 1).value(), 6);
}

TEST(Pressure, IsInSeconds) {
  Pressure pressure(kMachine + "/proc");
  ReadBuffer buffer;
  Sample sample;
  pressure.append_to(sample, buffer);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kPressureCpuSome).value(), 2.5);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kPressureIoFull).value(), 3.0);
  EXPECT_DOUBLE_EQ(sample.get(Metric::kPressureMemoryFull).value(), 0.0005);
}

TEST(CgroupMemory, ReadsTheFirstVersionAndTheSecond) {
  ReadBuffer buffer;
  Sample first, second;
  CgroupMemory old_one({kNowhere, kMachine + "/sys/fs/cgroup/memory/jobs/one"});
  old_one.append_to(first, buffer);
  EXPECT_DOUBLE_EQ(first.get(Metric::kCgroupMemoryBytes).value(), 3000000);
  EXPECT_FALSE(first.get(Metric::kCgroupMemoryLimitBytes).has_value()) << "no limit is not a limit of 2^63";
  EXPECT_DOUBLE_EQ(old_one.used_bytes().value(), 2000000);
  CgroupMemory new_one({kMachine + "/sys/fs/cgroup/v2"});
  new_one.append_to(second, buffer);
  EXPECT_DOUBLE_EQ(second.get(Metric::kCgroupMemoryLimitBytes).value(), 8000000);
  EXPECT_DOUBLE_EQ(new_one.used_bytes().value(), 3000000);
}

TEST(PackageEnergy, AddsUpPackagesOnlyAndUndoesWraps) {
  CopiedMachine machine;
  PackageEnergy energy(machine.sys());
  ReadBuffer buffer;
  Sample first, second, third;
  energy.append_to(first, buffer);
  EXPECT_EQ(first.values.size(), 2u) << "not the core, not psys";
  machine.write("sys/class/powercap/intel-rapl:0/energy_uj", "262143000000\n");
  energy.append_to(second, buffer);
  EXPECT_NEAR(second.get(Metric::kCpuPackageEnergyJoules, 0).value(), 262142.0, 1e-6);
  machine.write("sys/class/powercap/intel-rapl:0/energy_uj", "671150\n");
  energy.append_to(third, buffer);
  EXPECT_NEAR(third.get(Metric::kCpuPackageEnergyJoules, 0).value(), 262143.0, 1e-6);
}

void append_everything(const std::string& root, Sample& sample) {
  ReadBuffer buffer;
  CpuLoad load(root + "/proc");
  MemoryUsage memory(root + "/proc");
  DiskUsage disks(root + "/proc", root + "/sys");
  NetworkUsage network(root + "/proc");
  Pressure pressure(root + "/proc");
  CgroupMemory cgroup({root + "/sys/fs/cgroup/v2"});
  PackageEnergy energy(root + "/sys");
  for (int i = 0; i < 2; ++i) {
    load.append_to(sample, buffer);
    memory.append_to(sample, buffer);
    disks.append_to(sample, buffer);
    network.append_to(sample, buffer);
    pressure.append_to(sample, buffer);
    cgroup.append_to(sample, buffer);
    energy.append_to(sample, buffer);
  }
}

TEST(Collectors, DamagedFilesGiveNothingRatherThanSomethingWrong) {
  Sample sample;
  append_everything(kDamaged, sample);
  for (const SampleValue& value : sample.values)
    ADD_FAILURE() << find_metric(value.metric)->name << " = " << value.value;
}

TEST(Collectors, MissingFilesGiveNothing) {
  Sample sample;
  append_everything(kNowhere, sample);
  EXPECT_TRUE(sample.values.empty());
}

TEST(Collectors, AFifoInThePlaceOfAFileDoesNotStopTheSampler) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("proc"));
  ASSERT_EQ(::mkfifo(folder.file("proc/meminfo").c_str(), 0600), 0);
  MemoryUsage memory(folder.file("proc"));
  ReadBuffer buffer;
  Sample sample;
  memory.append_to(sample, buffer);
  EXPECT_TRUE(sample.values.empty());
}

}  // namespace
}  // namespace forebay
