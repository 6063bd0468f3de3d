#include "telemetry/hook_ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

#include "ring_file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

class HookRingTest : public testing::Test {
 protected:
  HookRing open() { return HookRing(UniqueFd(::open(path.c_str(), O_RDONLY)), "4242.ring"); }
  Result<std::size_t> drain(HookRing& ring, std::int64_t now = 10) {
    return ring.drain([this](const HookRecord& record) { found.push_back(record.start_ns); },
                      [this] { found.push_back(-1); }, now);
  }
  TemporaryFolder folder;
  std::string path = folder.file("4242.ring");
  RingFile file{path};
  std::vector<std::int64_t> found;  // starts; -1 = a gap
};

TEST_F(HookRingTest, HandsOnEveryRecordOnceAndInOrder) {
  file.add(SpanKind::kForward, 1, 1).add(SpanKind::kBackward, 2, 1).save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring), 2u);
  EXPECT_EQ(*drain(ring), 0u);
  file.add(SpanKind::kOptimizerStep, 3, 1).save();
  EXPECT_EQ(*drain(ring), 1u);
  EXPECT_EQ(found, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(ring.header().pid, 4242);
  EXPECT_EQ(ring.header().rank, -1);
}

TEST_F(HookRingTest, CountsWhatWasOverwrittenAndTellsWhere) {
  file.add(SpanKind::kForward, 1, 1).save();
  HookRing ring = open();
  ASSERT_TRUE(drain(ring));
  for (int i = 2; i <= 31; ++i) file.add(SpanKind::kForward, i, 1);
  file.save();
  ASSERT_TRUE(drain(ring));
  EXPECT_EQ(ring.lost(), 14u);
  ASSERT_EQ(found.size(), 18u);
  EXPECT_EQ(found[1], -1);
  EXPECT_EQ(found[2], 16);
  EXPECT_EQ(found.back(), 31);
}

TEST_F(HookRingTest, WaitsForARecordThatIsAnnouncedAndNotWritten) {
  file.add(SpanKind::kForward, 1, 1).add(SpanKind::kForward, 2, 1).put<std::uint64_t>(kRingRecords, 0).save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring, 100), 0u);
  EXPECT_EQ(ring.lost(), 0u);
  file.put<std::uint64_t>(kRingRecords, 1).save();
  EXPECT_EQ(*drain(ring, 200), 2u);
  EXPECT_EQ(found, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(HookRingTest, GivesAHoleUpAfterAWhile) {
  file.add(SpanKind::kForward, 1, 1).add(SpanKind::kForward, 2, 1).put<std::uint64_t>(kRingRecords, 0).save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring, 100), 0u);
  EXPECT_EQ(*drain(ring, 100 + 6'000'000'000), 1u);
  EXPECT_EQ(ring.lost(), 1u);
  EXPECT_EQ(found, (std::vector<std::int64_t>{-1, 2}));
}

TEST_F(HookRingTest, ATornRecordIsLostAndTheNextOnesAreNot) {
  file.add(SpanKind::kForward, 1, 1)
      .add(SpanKind::kForward, 2, 1)
      .put<std::uint64_t>(kRingRecords, 99)
      .save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring), 1u);
  EXPECT_EQ(found, (std::vector<std::int64_t>{-1, 2}));
}

TEST_F(HookRingTest, RecordsThatCannotBeTrueAreRefused) {
  file.add(SpanKind::kForward, -5, 1)
      .add(SpanKind::kForward, 1, -1)
      .add(SpanKind::kForward, std::numeric_limits<std::int64_t>::max(), 1)
      .add(SpanKind::kForward, 1, std::numeric_limits<std::int64_t>::max())
      .add(static_cast<SpanKind>(200), 1, 1)
      .add(SpanKind::kForward, 7, 1)
      .save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring), 1u);
  EXPECT_EQ(ring.refused(), 5u);
  EXPECT_EQ(found, std::vector<std::int64_t>{7});
}

TEST_F(HookRingTest, IsNotReadyWithoutItsMagic) {
  std::memset(file.bytes().data(), 0, 8);
  file.save();
  HookRing ring = open();
  EXPECT_EQ(*drain(ring), 0u);
  EXPECT_FALSE(ring.is_ready());
}

TEST_F(HookRingTest, RefusesHeadersThatLie) {
  const auto refuses = [this](auto change) {
    RingFile bad(folder.file("bad.ring"));
    change(bad);
    bad.save();
    HookRing ring(UniqueFd(::open(folder.file("bad.ring").c_str(), O_RDONLY)), "bad.ring");
    return !drain(ring).has_value();
  };
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.bytes()[0] = 'X'; })) << "magic";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint32_t>(8, 2); })) << "version";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint64_t>(16, 0); })) << "pid";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint64_t>(32, 17); }))
      << "capacity not a power of two";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint64_t>(32, 32); })) << "shorter than it claims";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint64_t>(32, std::uint64_t{1} << 60); }))
      << "huge capacity";
  EXPECT_TRUE(refuses([](RingFile& bad) { bad.put<std::uint64_t>(40, ~std::uint64_t{0}); })) << "head";
  EXPECT_FALSE(refuses([](RingFile&) {}));
}

TEST_F(HookRingTest, GivesUpWhenTheFileIsCutShortOrItsHeaderChanges) {
  file.add(SpanKind::kForward, 1, 1).save();
  HookRing ring = open();
  ASSERT_TRUE(drain(ring));
  file.add(SpanKind::kForward, 2, 1).save();
  std::filesystem::resize_file(path, 8192 + 32);
  EXPECT_FALSE(drain(ring));
  std::filesystem::resize_file(path, 0);
  EXPECT_FALSE(drain(ring));
  file.put<std::uint64_t>(40, 0).save();  // the head went back
  HookRing again = open();
  ASSERT_TRUE(drain(again));
  file.put<std::uint64_t>(16, 1).save();
  EXPECT_FALSE(drain(again));
}

TEST_F(HookRingTest, TakesFactsOnlyWhenTheyStandStill) {
  file.facts(R"({"torch":"2.1"})").save();
  HookRing ring = open();
  ASSERT_TRUE(drain(ring));
  EXPECT_EQ(ring.changed_facts(), R"({"torch":"2.1"})");
  EXPECT_FALSE(ring.changed_facts().has_value());
  file.put<std::uint64_t>(80, 3).save();
  ASSERT_TRUE(drain(ring));
  EXPECT_FALSE(ring.changed_facts().has_value());
  file.put<std::uint32_t>(88, 100000).put<std::uint64_t>(80, 4).save();
  ASSERT_TRUE(drain(ring));
  EXPECT_FALSE(ring.changed_facts().has_value()) << "longer than there is room";
}

}  // namespace
}  // namespace forebay
