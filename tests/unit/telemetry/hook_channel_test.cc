#include "telemetry/hook_channel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "ring_file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class HookChannelTest : public testing::Test {
 protected:
  void poll() {
    now += 11 * kSecond;
    channel.poll(now, sink, [this](std::int64_t, std::uint64_t) { return running; });
  }
  TemporaryFolder folder;
  HookChannel channel{folder.path()};
  std::vector<StepRow> rows;
  HookChannel::StepSink sink = [this](const StepRow& row) { rows.push_back(row); };
  std::int64_t now = kSecond;
  bool running = true;
};

TEST_F(HookChannelTest, BuildsStepsAndKeepsFacts) {
  RingFile ring(folder.file("10.ring"), 16, 10);
  ring.put<std::int32_t>(64, 2).facts(R"({"torch": "2.13", "parameters": 7})");
  ring.add(SpanKind::kForward, 100, 50).add(SpanKind::kOptimizerStep, 150, 10, 0).save();
  poll();
  channel.finish(now, sink);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].process, 10);
  EXPECT_EQ(rows[0].rank, 2);
  const Json processes = channel.processes();
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes.at(0)["facts"]["parameters"].as_integer(), 7);
  EXPECT_EQ(processes.at(0)["rank"].as_integer(), 2);
  EXPECT_EQ(processes.at(0)["steps"].as_integer(), 1);
}

TEST_F(HookChannelTest, FetchesOfAWorkerGoToItsParentsStep) {
  RingFile worker(folder.file("11.ring"), 16, 11), other(folder.file("20.ring"), 16, 20),
      parent(folder.file("10.ring"), 16, 10);
  worker.put<std::uint32_t>(92, 10).add(SpanKind::kWorkerFetch, 10, 40, 0, 30e-9).save();
  other.add(SpanKind::kOptimizerStep, 140, 10, 0).save();
  parent.add(SpanKind::kOptimizerStep, 150, 10, 0).save();
  poll();
  poll();
  // The worker's ring is known as one only after its first record; a second fetch then comes before the
  // steps.
  worker.add(SpanKind::kWorkerFetch, 100, 40, 0, 30e-9).save();
  parent.add(SpanKind::kOptimizerStep, 250, 10, 0, 0, 1).save();
  poll();
  channel.finish(now, sink);
  std::int64_t fetched = 0;
  for (const StepRow& row : rows) {
    if (row.process == 20) {
      EXPECT_EQ(row.worker_fetch_ns, 0);
    } else {
      fetched += row.worker_fetch_ns;
    }
  }
  EXPECT_EQ(fetched, 80);
  EXPECT_EQ(channel.data_loader_workers(), 1u);
  EXPECT_EQ(channel.processes().size(), 2u) << "a worker is not a training process";
}

TEST_F(HookChannelTest, RingsOfEndedProcessesAreReadAndRemoved) {
  RingFile ring(folder.file("10.ring"), 16, 10);
  ring.add(SpanKind::kOptimizerStep, 150, 10, 0).save();
  poll();
  running = false;
  poll();
  EXPECT_TRUE(std::filesystem::exists(folder.file("10.ring"))) << "not at once";
  poll();
  EXPECT_FALSE(std::filesystem::exists(folder.file("10.ring")));
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(channel.steps(), 1);
  EXPECT_EQ(channel.processes().size(), 1u) << "what it was stays known";
}

TEST_F(HookChannelTest, TheMostStepsAreThoseOfOneProcess) {
  RingFile first(folder.file("10.ring"), 16, 10), second(folder.file("11.ring"), 16, 11);
  first.add(SpanKind::kOptimizerStep, 150, 10, 0).add(SpanKind::kOptimizerStep, 250, 10, 0).save();
  second.add(SpanKind::kOptimizerStep, 150, 10, 0).save();
  poll();
  EXPECT_EQ(channel.steps(), 3);
  EXPECT_EQ(channel.most_steps(), 2);
  running = false;
  poll();
  poll();
  poll();
  EXPECT_EQ(channel.most_steps(), 2) << "also when it has ended";
}

TEST_F(HookChannelTest, ARingWhoseStartIsUnknownIsNeverRemoved) {
  RingFile ring(folder.file("10.ring"), 16, 10);
  ring.put<std::uint64_t>(24, 0).save();
  running = false;
  for (int i = 0; i < 5; ++i) poll();
  EXPECT_TRUE(std::filesystem::exists(folder.file("10.ring")));
}

TEST_F(HookChannelTest, LinksFoldersAndFifosAreNotOpened) {
  std::filesystem::create_symlink("/etc/passwd", folder.file("1.ring"));
  std::filesystem::create_directory(folder.file("2.ring"));
  ASSERT_EQ(::mkfifo(folder.file("3.ring").c_str(), 0600), 0);
  poll();
  poll();
  EXPECT_FALSE(channel.has_rings());
  EXPECT_EQ(channel.damaged().size(), 3u) << channel.damaged().dump();
}

TEST_F(HookChannelTest, AnotherUsersFileIsNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  RingFile ring(folder.file("10.ring"));
  ring.save();
  ASSERT_EQ(::chown(folder.file("10.ring").c_str(), 12345, 12345), 0);
  poll();
  EXPECT_FALSE(channel.has_rings());
  EXPECT_EQ(channel.damaged().at(0)["reason"].string_or_empty(), "it belongs to another user");
}

TEST_F(HookChannelTest, ADamagedRingIsNamedOnceAndTheOthersGoOn) {
  RingFile bad(folder.file("1.ring"), 16, 1), good(folder.file("2.ring"), 16, 2);
  bad.put<std::uint64_t>(32, 17).save();
  good.add(SpanKind::kOptimizerStep, 10, 10, 0).save();
  for (int i = 0; i < 3; ++i) poll();
  channel.finish(now, sink);
  EXPECT_EQ(channel.damaged().size(), 1u);
  EXPECT_EQ(rows.size(), 1u);
}

TEST_F(HookChannelTest, HeadersAnnouncedLaterAreLookedAtLater) {
  RingFile ring(folder.file("10.ring"), 16, 10);
  const std::string whole = ring.bytes();
  std::ofstream(folder.file("10.ring")).close();
  poll();
  EXPECT_TRUE(channel.damaged().items().empty());
  ring.add(SpanKind::kOptimizerStep, 10, 10, 0).save();
  poll();
  channel.finish(now, sink);
  EXPECT_EQ(rows.size(), 1u);
}

TEST_F(HookChannelTest, SeenFilesAreCountedAndNonsenseIsNot) {
  for (const char* name :
       {"12.seen", "13.seen", "x.seen", "-1.seen", "99999999999999999999999.seen", "14.other"})
    std::ofstream(folder.file(name)).close();
  poll();
  EXPECT_EQ(channel.seen(), (std::set<std::int64_t>{12, 13}));
}

TEST_F(HookChannelTest, FactsThatAreNotAnObjectAreNoFacts) {
  RingFile ring(folder.file("10.ring"), 16, 10);
  ring.facts("[[[[[[1").save();
  poll();
  EXPECT_TRUE(channel.processes().at(0)["facts"].is_object());
}

TEST_F(HookChannelTest, ThousandsOfRingsDoNotExhaustDescriptors) {
  for (int i = 1; i <= 400; ++i) {
    std::string name = std::to_string(i) + ".ring";
    RingFile ring(folder.file(name), 16, static_cast<std::uint64_t>(i));
    ring.add(SpanKind::kOptimizerStep, i, 1, 0).save();
  }
  running = false;
  for (int i = 0; i < 12; ++i) poll();
  channel.finish(now, sink);
  EXPECT_EQ(rows.size(), 400u) << "room comes when others end";
}

TEST_F(HookChannelTest, AMissingFolderIsNoHook) {
  HookChannel nowhere("/nonexistent/hook");
  nowhere.poll(now, sink, [](std::int64_t, std::uint64_t) { return true; });
  nowhere.finish(now, sink);
  EXPECT_FALSE(nowhere.has_rings());
}

}  // namespace
}  // namespace forebay
