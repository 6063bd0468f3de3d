#include "base/units.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Bytes, ReadsBinaryAndDecimalUnitsApart) {
  EXPECT_EQ(parse_bytes("16GiB")->count, 17179869184);
  EXPECT_EQ(parse_bytes("16 GB")->count, 16000000000);
  EXPECT_EQ(parse_bytes("1.5 KiB")->count, 1536);
}

TEST(Bytes, RefusesABareNumberWithASuggestion) {
  const auto result = parse_bytes("16");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().sentence().find("16GiB"), std::string::npos);
}

TEST(DurationText, ReadsCompoundForms) {
  EXPECT_EQ(parse_duration("1h30m")->nanoseconds, 5400ll * 1'000'000'000);
  EXPECT_EQ(parse_duration("250ms")->nanoseconds, 250'000'000);
  EXPECT_FALSE(parse_duration("5 parsecs"));
  EXPECT_FALSE(parse_duration("15"));
}

TEST(MoneyText, IsExactAndNeedsACurrency) {
  EXPECT_EQ(parse_money("0.1 USD")->nano, 100'000'000);
  EXPECT_EQ(parse_money("¥3.5")->currency, "CNY");
  EXPECT_FALSE(parse_money("20"));
  EXPECT_FALSE(parse_money("20 dollars"));
}

TEST(MoneyFor, RoundsHalfToEvenAtABillionth) {
  // 1 nano per hour for half an hour is exactly half a nano: to even, so 0; 3 nano gives 1.5, so 2.
  EXPECT_EQ(money_for(Money{1, "USD"}, Duration{1800ll * 1'000'000'000}).nano, 0);
  EXPECT_EQ(money_for(Money{3, "USD"}, Duration{1800ll * 1'000'000'000}).nano, 2);
  EXPECT_EQ(money_for(Money{3'600'000'000'000, "USD"}, Duration{1'000'000'000}).nano, 1'000'000'000);
}

TEST(MoneyFormat, ShowsTwoToSixDecimals) {
  EXPECT_EQ(format_money(Money{1'500'000'000, "USD"}), "1.50 USD");
  EXPECT_EQ(format_money(Money{12'345, "USD"}), "0.000012 USD");
}

TEST(InstantText, NeedsATimeZone) {
  EXPECT_EQ(parse_instant("2026-12-05T18:00+08:00")->nanoseconds,
            parse_instant("2026-12-05T10:00:00Z")->nanoseconds);
  EXPECT_FALSE(parse_instant("2026-12-05T18:00"));
}

}  // namespace
}  // namespace forebay
