#include "record/log_file.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

class LogFile : public ::testing::Test {
 protected:
  // Numbered lines of 10 bytes, so many to a chunk, in segments of about `segment_size` bytes.
  void write_lines(int count, int per_chunk, std::uint64_t segment_size) {
    auto writer = LogWriter::open(directory, segment_size);
    ASSERT_TRUE(writer) << writer.error().sentence();
    std::string chunk;
    for (int i = 0; i < count; ++i) {
      std::string number = std::to_string(i);
      chunk += "line " + std::string(4 - number.size(), '0') + number + "\n";
      if ((i + 1) % per_chunk != 0 && i + 1 != count) continue;
      ASSERT_TRUE(writer->append(LogStream::kOutput, Instant{i}, chunk));
      chunk.clear();
    }
  }

  std::string all_from(LogPosition from) {
    LogReader reader(directory, from);
    std::string text;
    while (true) {
      const auto chunk = reader.next();
      if (!chunk || !*chunk) return text;
      text += (*chunk)->bytes;
    }
  }

  TemporaryFolder folder;
  RunDirectory directory{folder.path()};
};

TEST_F(LogFile, ComesBackWholeOverManySegments) {
  write_lines(1000, 7, 500);
  const std::string text = all_from({});
  EXPECT_EQ(text.size(), 10'000u);
  EXPECT_EQ(text.substr(0, 20), "line 0000\nline 0001\n");
  EXPECT_EQ(text.substr(9'990), "line 0999\n");
  LogReader reader(directory);
  while (*reader.next()) {
  }
  EXPECT_GT(reader.position().segment, 10);
}

TEST_F(LogFile, TheTailIsTheEndWhereverTheSegmentsAreCut) {
  write_lines(1000, 7, 500);
  const std::string text = all_from({});
  for (const std::size_t bytes : {1u, 10u, 333u, 501u, 5'000u, 9'999u, 10'000u, 20'000u})
    EXPECT_EQ(read_log_tail(directory, bytes),
              text.substr(text.size() - std::min<std::size_t>(bytes, text.size())));
}

// Damage in the first segment would end a reader that began there.
TEST_F(LogFile, TheTailReadsTheLastSegmentsOnly) {
  write_lines(1000, 7, 500);
  ASSERT_TRUE(write_file_atomic(directory.log_segment(1), std::string(100, 'x'), 0600));
  EXPECT_EQ(read_log_tail(directory, 20), "line 0998\nline 0999\n");
  EXPECT_TRUE(position_of_last_lines(directory, 20));
}

TEST_F(LogFile, AnEmptyLogHasNoTail) {
  EXPECT_EQ(read_log_tail(directory, 100), "");
  EXPECT_EQ(position_of_last_lines(directory, 5).value(), (LogPosition{1, 0}));
}

TEST_F(LogFile, TheLastLinesFollowTheirPositionAndLittleElse) {
  write_lines(1000, 7, 500);
  for (const std::int64_t lines : {0, 1, 10, 49, 50, 51, 500, 999, 1000, 5000}) {
    const auto from = position_of_last_lines(directory, lines);
    ASSERT_TRUE(from);
    const std::string text = all_from(*from);
    EXPECT_GE(text.size(), static_cast<std::size_t>(std::min<std::int64_t>(lines, 1000)) * 10) << lines;
    EXPECT_LE(text.size(), static_cast<std::size_t>(lines) * 10 + 1'300) << lines;  // a segment or two more
    EXPECT_TRUE(text.ends_with("line 0999\n"));
  }
}

}  // namespace
}  // namespace forebay
