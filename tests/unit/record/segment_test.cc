#include "record/segment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

std::vector<std::string> read_all(const std::string& path) {
  std::vector<std::string> found;
  auto reader = SegmentReader::open(path, 1);
  if (!reader) return {"cannot open"};
  while (true) {
    auto frame = reader->next();
    if (!frame) {
      found.push_back("corrupt");
      break;
    }
    if (!*frame) break;
    found.emplace_back((*frame)->payload);
  }
  return found;
}

TEST(Segment, ReturnsWhatWasAppendedInOrder) {
  TemporaryFolder folder;
  auto writer = SegmentWriter::open(folder.file("a.seg"), 1);
  ASSERT_TRUE(writer);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(writer->append(1, std::to_string(i)));
  const auto found = read_all(folder.file("a.seg"));
  ASSERT_EQ(found.size(), 1000u);
  EXPECT_EQ(found[999], "999");
}

TEST(Segment, CutAtAnyByteKeepsEveryWholeFrameAndContinues) {
  TemporaryFolder folder;
  {
    auto writer = SegmentWriter::open(folder.file("whole.seg"), 1);
    for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(writer->append(1, text));
  }
  const std::string whole = *read_file(folder.file("whole.seg"));
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const std::string path = folder.file("cut.seg");
    ASSERT_TRUE(write_file_atomic(path, whole.substr(0, cut)));
    auto writer = SegmentWriter::open(path, 1);
    ASSERT_TRUE(writer) << cut;
    ASSERT_TRUE(writer->append(1, "after"));
    const auto found = read_all(path);
    const std::size_t expected = cut >= whole.size() ? 3 : cut >= 16 + 12 + 12 ? 2 : cut >= 16 + 12 ? 1 : 0;
    ASSERT_EQ(found.size(), expected + 1) << cut;
    EXPECT_EQ(found.back(), "after");
  }
}

TEST(Segment, SaysCorruptWhenAByteFlipped) {
  TemporaryFolder folder;
  {
    auto writer = SegmentWriter::open(folder.file("a.seg"), 1);
    ASSERT_TRUE(writer->append(1, "payload"));
  }
  std::string content = *read_file(folder.file("a.seg"));
  content.back() ^= 1;
  ASSERT_TRUE(write_file_atomic(folder.file("a.seg"), content));
  EXPECT_EQ(read_all(folder.file("a.seg")), std::vector<std::string>{"corrupt"});
}

TEST(Segment, RefusesAnotherKind) {
  TemporaryFolder folder;
  ASSERT_TRUE(SegmentWriter::open(folder.file("a.seg"), 2));
  EXPECT_FALSE(SegmentReader::open(folder.file("a.seg"), 1));
}

}  // namespace
}  // namespace forebay
