#include "telemetry/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <fmt/format.h>

#include "fake_clock.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

// A /proc of a few processes, changed at will.
class FakeProc {
 public:
  struct Process {
    int parent = 1;
    char state = 'S';
    int own = 0, reaped = 0, start = 100, pages = 10, threads = 1;
    long io = -1;  // each of the four counters; -1 = not readable
    std::string name = "python";
  };
  void put(int pid, const Process& process) {
    const std::string path = folder_.file(std::to_string(pid));
    std::filesystem::create_directories(path);
    write(path + "/stat",
          fmt::format("{} ({}) {} {} 1 1 0 -1 0 0 0 0 0 {} 0 {} 0 20 0 {} 0 {} 1000000 {} 0\n", pid,
                      process.name, process.state, process.parent, process.own, process.reaped,
                      process.threads, process.start, process.pages));
    if (process.io >= 0)
      write(path + "/io", fmt::format("rchar: {0}\nwchar: {0}\nsyscr: 1\nsyscw: 1\nread_bytes: "
                                      "{0}\nwrite_bytes: {0}\ncancelled_write_bytes: 0\n",
                                      process.io));
  }
  void put_proportional(int pid, int kibibytes) {
    write(folder_.file(std::to_string(pid)) + "/smaps_rollup",
          fmt::format("1000-2000 ---p 0 00:00 0 [rollup]\nRss: 999 kB\nPss:    {} kB\n", kibibytes));
  }
  void remove(int pid) { std::filesystem::remove_all(folder_.file(std::to_string(pid))); }
  const std::string& path() const { return folder_.path(); }

 private:
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::trunc) << text;
  }
  TemporaryFolder folder_;
};

class ProcessTreeTest : public testing::Test {
 protected:
  ProcessTreeTest() : tree(proc.path(), clock) {
    proc.put(1, {.parent = 0, .start = 1});
    proc.put(50, {.parent = 1, .start = 50, .io = 0});  // the warden
  }
  TreeUsage scan() {
    clock.monotonic += 1'000'000'000;
    return tree.scan(clock.monotonic, buffer);
  }
  double ticks(double count) const { return count / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

  FakeProc proc;
  FakeClock clock;
  ReadBuffer buffer;
  ProcessTree tree;
};

TEST_F(ProcessTreeTest, CountsDescendantsOfTheRootAndNobodyElse) {
  proc.put(60, {.parent = 50, .own = 100, .pages = 7, .threads = 3});
  proc.put(40, {.parent = 60, .own = 10, .pages = 1});  // a child with a smaller number than its parent
  proc.put(70, {.parent = 1, .own = 5000});
  tree.set_root(50);
  const TreeUsage usage = scan();
  EXPECT_EQ(usage.processes, 2);
  EXPECT_EQ(usage.threads, 4);
  EXPECT_DOUBLE_EQ(usage.cpu_seconds.value(), ticks(110));
  EXPECT_DOUBLE_EQ(usage.resident_bytes.value(), 8.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_TRUE(tree.contains(40));
  EXPECT_FALSE(tree.contains(70));
  EXPECT_FALSE(tree.contains(50));
}

TEST_F(ProcessTreeTest, CpuTimeOfReapedProcessesStays) {
  proc.put(60, {.parent = 50, .own = 100});
  tree.set_root(50);
  scan();
  proc.remove(60);
  proc.put(
      50,
      {.parent = 1, .reaped = 130, .start = 50});  // the warden has waited for it; it had used more by then
  const TreeUsage usage = scan();
  EXPECT_EQ(usage.processes, 0);
  EXPECT_DOUBLE_EQ(usage.cpu_seconds.value(), ticks(130));
}

TEST_F(ProcessTreeTest, WhatTheRootHadReapedBeforeIsNotTheJobs) {
  proc.put(50, {.parent = 1, .reaped = 9000, .start = 50});
  proc.put(60, {.parent = 50, .own = 5});
  tree.set_root(50);
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(5));
}

TEST_F(ProcessTreeTest, CpuTimeNeverGoesBackwardsWhenNobodyWaited) {
  proc.put(60, {.parent = 50, .own = 100});
  tree.set_root(50);
  scan();
  proc.remove(60);  // its parent ignored SIGCHLD: the kernel forgets its time
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(100));
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(100));
  proc.put(61, {.parent = 50, .own = 7, .start = 300});
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(107));
}

TEST_F(ProcessTreeTest, AProcessCaughtBetweenDyingAndBeingCountedIsNotCountedTwice) {
  proc.put(60, {.parent = 50, .own = 100});
  tree.set_root(50);
  scan();
  proc.remove(60);
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(100));
  proc.put(50, {.parent = 1, .reaped = 100, .start = 50});
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(100));
}

TEST_F(ProcessTreeTest, ANumberThatIsUsedAgainIsAnotherProcess) {
  proc.put(60, {.parent = 50, .own = 100, .start = 100});
  tree.set_root(50);
  scan();
  proc.put(60, {.parent = 1, .own = 9999, .start = 777});  // somebody else's
  const TreeUsage usage = scan();
  EXPECT_EQ(usage.processes, 0);
  EXPECT_FALSE(tree.contains(60));
  EXPECT_DOUBLE_EQ(usage.cpu_seconds.value(), ticks(100));
}

TEST_F(ProcessTreeTest, AForeignProcessThatIsReplacedByOneOfOursIsFound) {
  proc.put(60, {.parent = 1, .start = 100});
  tree.set_root(50);
  EXPECT_EQ(scan().processes, 0);
  proc.remove(60);
  proc.put(60, {.parent = 50, .start = 200});
  int scans = 0;
  while (scan().processes == 0 && scans < 70) ++scans;
  EXPECT_LT(scans, 70);
}

TEST_F(ProcessTreeTest, ZombiesKeepTheirTimeAndAreNotCountedAsRunning) {
  proc.put(60, {.parent = 50, .state = 'Z', .own = 100, .pages = 0});
  tree.set_root(50);
  const TreeUsage usage = scan();
  EXPECT_EQ(usage.processes, 0);
  EXPECT_DOUBLE_EQ(usage.cpu_seconds.value(), ticks(100));
}

TEST_F(ProcessTreeTest, NamesWithBracketsAndBlanksDoNotConfuse) {
  proc.put(60, {.parent = 50, .own = 3, .name = "a) R 1 (b"});
  tree.set_root(50);
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(3));
}

TEST_F(ProcessTreeTest, IoOfEndedProcessesStaysWithTheRoot) {
  proc.put(60, {.parent = 50, .io = 1000});
  tree.set_root(50);
  EXPECT_DOUBLE_EQ(scan().read_bytes.value(), 1000);
  proc.remove(60);
  proc.put(50, {.parent = 1, .start = 50, .io = 1500});
  EXPECT_DOUBLE_EQ(scan().read_bytes.value(), 1500);
}

TEST_F(ProcessTreeTest, IoThatNobodyMayReadIsAbsent) {
  FakeProc other;
  other.put(1, {.parent = 0});
  other.put(50, {.parent = 1});
  other.put(60, {.parent = 50});
  ProcessTree unreadable(other.path(), clock);
  unreadable.set_root(50);
  const TreeUsage usage = unreadable.scan(clock.monotonic, buffer);
  EXPECT_TRUE(usage.cpu_seconds.has_value());
  EXPECT_FALSE(usage.read_bytes.has_value());
  Sample sample;
  unreadable.append_to(sample);
  EXPECT_FALSE(sample.get(Metric::kTreeReadBytes).has_value());
}

TEST_F(ProcessTreeTest, ProportionalSizeIsReadNowAndThenAndOnlyWhenComplete) {
  const auto page = static_cast<int>(::sysconf(_SC_PAGESIZE) / 1024);
  proc.put(60, {.parent = 50, .pages = 100});
  proc.put(61, {.parent = 50, .pages = 100});
  proc.put_proportional(60, 60 * page);
  tree.set_root(50);
  EXPECT_FALSE(scan().proportional_bytes.has_value());
  scan();
  EXPECT_FALSE(scan().proportional_bytes.has_value()) << "61 cannot be read: a sum without it would be wrong";
  proc.put_proportional(61, 50 * page);
  std::optional<double> found;
  TreeUsage usage;
  for (int i = 0; i < 20 && !found; ++i) {
    usage = scan();
    found = usage.proportional_bytes;
  }
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(*found, 110.0 * page * 1024);
  EXPECT_DOUBLE_EQ(usage.memory_estimate.value(), 110.0 * page * 1024) << "shared pages counted once";
  EXPECT_FALSE(scan().proportional_bytes.has_value());
}

TEST_F(ProcessTreeTest, NoRootMeansNothingIsKnown) {
  const TreeUsage usage = scan();
  EXPECT_FALSE(usage.cpu_seconds.has_value());
  EXPECT_FALSE(usage.resident_bytes.has_value());
}

TEST_F(ProcessTreeTest, AnotherRootGoesOnFromWhereTheCounterStands) {
  proc.put(60, {.parent = 50, .own = 100});
  proc.put(51, {.parent = 1, .reaped = 70, .start = 51});
  tree.set_root(50);
  scan();
  proc.put(61, {.parent = 51, .own = 5});
  tree.set_root(51);
  EXPECT_DOUBLE_EQ(scan().cpu_seconds.value(), ticks(105));
}

TEST_F(ProcessTreeTest, ManyMoreProcessesThanFilesMayStayOpen) {
  for (int pid = 100; pid < 400; ++pid) proc.put(pid, {.parent = 50, .own = 1, .io = 1});
  tree.set_root(50);
  for (int i = 0; i < 3; ++i) {
    const TreeUsage usage = scan();
    EXPECT_EQ(usage.processes, 300);
    EXPECT_DOUBLE_EQ(usage.cpu_seconds.value(), ticks(300));
    EXPECT_DOUBLE_EQ(usage.write_bytes.value(), 300);
  }
}

TEST(StatLine, RefusesWhatIsCutShortOrNotNumbers) {
  const std::string whole = "7 (x) S 1 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 5 6 7 8";
  ASSERT_TRUE(parse_stat_line(whole).has_value());
  EXPECT_FALSE(parse_stat_line("").has_value());
  EXPECT_FALSE(parse_stat_line("7 (x").has_value());
  EXPECT_FALSE(parse_stat_line("7 (x) S one 1 1 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 5 6 7 8").has_value());
  EXPECT_FALSE(parse_stat_line("7 (x) S 1 1 1 0 -1 0 0 0 0 0 99999999999999999999999 2 3 4 20 0 1 0 5 6 7 8")
                   .has_value());
  for (std::size_t cut = 0; cut < whole.size() - 4; ++cut)
    EXPECT_FALSE(parse_stat_line(whole.substr(0, cut)).has_value()) << cut;
}

TEST(ProcessTreeOnThisMachine, SeesItsOwnChildAndWhatItUsed) {
  ProcessTree tree("/proc", system_clock());
  tree.set_root(::getpid());
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(gate[1]);
    char byte = 0;
    (void)!::read(gate[0], &byte, 1);
    ::_exit(0);
  }
  ReadBuffer buffer;
  tree.scan(1, buffer);
  EXPECT_TRUE(tree.contains(child));
  EXPECT_GE(tree.usage().processes, 1);
  EXPECT_GT(tree.usage().resident_bytes.value(), 0);
  ::close(gate[0]);
  ::close(gate[1]);
  ::waitpid(child, nullptr, 0);
  tree.scan(2, buffer);
  EXPECT_FALSE(tree.contains(child));
}

}  // namespace
}  // namespace forebay
