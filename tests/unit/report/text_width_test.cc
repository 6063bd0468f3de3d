#include "report/text_width.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(DisplayWidth, ChineseTakesTwoColumnsAndMarksNone) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("等待数据"), 8);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);  // e and a combining acute accent
  EXPECT_EQ(display_width("，"), 2);         // fullwidth comma
  EXPECT_EQ(display_width("█▌░…×→·"), 7);
  EXPECT_EQ(display_width("\xF0\x9F\x9A\x80"), 2);  // an emoji
}

TEST(DisplayWidth, DamagedBytesCountAsOneEach) {
  EXPECT_EQ(display_width("\xE7\xAD\xFF"), 3);
}

TEST(Printable, NothingCanSteerTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "2Jb"),
            "a\uFFFD2Jb");  // C1 control sequence introducer
  EXPECT_EQ(printable("one\r\ntwo\tthree\rfour"), "one two three four");
  EXPECT_EQ(printable("abc\u202Edef"), "abc\uFFFDdef");  // right-to-left override
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(printable("\xFF"), "\uFFFD");
  EXPECT_EQ(printable("照片 é"), "照片 é");
}

TEST(Cut, NeverWiderAndNeverHalfACharacter) {
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 5), "abcd…");
  EXPECT_EQ(cut_to_width("等待数据", 6), "等待…");
  EXPECT_EQ(cut_to_width("abcdef", 5, false), "ab...");
  EXPECT_EQ(cut_to_width("abcdef", 0), "");
  for (int width = 0; width < 30; ++width) {
    EXPECT_LE(display_width(cut_to_width("等a待b数c据def等待", width)), width);
    EXPECT_LE(display_width(cut_middle_to_width("等a待b数c据def等待", width)), width);
  }
  EXPECT_EQ(cut_middle_to_width("/home/ada/photos/checkpoints/last.pt", 20), "/home/a…ints/last.pt");
}

TEST(Wrap, BreaksAtSpacesAndKeepsNumbersWithTheirUnits) {
  EXPECT_EQ(wrap_to_width("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap_to_width("it took 318 ms", 11), (std::vector<std::string>{"it took", "318 ms"}));
  EXPECT_EQ(wrap_to_width("", 8), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap_to_width("abcdefghij", 4), (std::vector<std::string>{"abcd", "efgh", "ij"}));
}

TEST(Wrap, ChineseBreaksAnywhereButNotBeforeClosingPunctuation) {
  EXPECT_EQ(wrap_to_width("等待数据。", 8), (std::vector<std::string>{"等待数", "据。"}));
  for (int width = 4; width < 40; ++width)
    for (const std::string& line :
         wrap_to_width("每一步有 71 % 的时间在等待数据（num_workers=0），八个核里只有一个在工作。", width))
      EXPECT_LE(display_width(line), width) << line;
}

}  // namespace
}  // namespace forebay
