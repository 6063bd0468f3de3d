#include "record/line_stamper.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

constexpr Instant kFirst{1'700'000'000'250'999'999}, kSecond{1'700'000'001'000'000'000};
constexpr const char* kFirstText = "2023-11-14T22:13:20.250Z ";
constexpr const char* kSecondText = "2023-11-14T22:13:21.000Z ";

TEST(LineTime, IsUtcToTheMillisecondAlsoBeforeTheEpoch) {
  EXPECT_EQ(line_time(kFirst), "2023-11-14T22:13:20.250Z");
  EXPECT_EQ(line_time(Instant{-1'000'000}), "1969-12-31T23:59:59.999Z");
}

TEST(LineStamper, StampsEveryLineOfAChunk) {
  LineStamper stamper;
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kFirst, "a\n\nb"),
            std::string(kFirstText) + "a\n" + kFirstText + "\n" + kFirstText + "b");
}

TEST(LineStamper, ALineInPiecesCarriesTheTimeOfItsFirstByte) {
  LineStamper stamper;
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kFirst, "be"), std::string(kFirstText) + "be");
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kSecond, "gun\nnext\n"),
            std::string("gun\n") + kSecondText + "next\n");
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kSecond, ""), "");
}

TEST(LineStamper, OutputAndErrorAreLinesOfTheirOwn) {
  LineStamper stamper;
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kFirst, "out"), std::string(kFirstText) + "out");
  EXPECT_EQ(stamper.stamp(LogStream::kError, kSecond, "err\n"), std::string(kSecondText) + "err\n");
  EXPECT_EQ(stamper.stamp(LogStream::kOutput, kSecond, "put\n"), "put\n");
}

}  // namespace
}  // namespace forebay
