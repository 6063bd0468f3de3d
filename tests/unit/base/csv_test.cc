#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

using testing::HasSubstr;

TEST(Csv, QuotesCommasLineEndsAndComments) {
  const auto table = CsvTable::parse(
      "\xEF\xBB\xBF# where it is from\r\nname,note,rate\r\n\r\nA,\"x, \"\"y\"\"\nz\",1.5\r\nB,,\r\n# end\n",
      "t.csv");
  ASSERT_TRUE(table) << table.error().sentence();
  ASSERT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->cell(0, 1), "x, \"y\"\nz");
  EXPECT_EQ(*table->number(0, 2), 1.5);
  EXPECT_EQ(*table->number(1, 2), std::nullopt) << "an empty cell is unknown, not 0";
  EXPECT_EQ(table->place(0), "t.csv:4");
  EXPECT_EQ(table->place(1), "t.csv:6");
}

TEST(Csv, ViewsSurviveAMove) {
  auto table = CsvTable::parse("a\nx\n", "t.csv");
  ASSERT_TRUE(table);
  const CsvTable moved = std::move(*table);
  EXPECT_EQ(moved.cell(0, 0), "x");
}

TEST(Csv, TheLastLineNeedsNoEnd) {
  const auto table = CsvTable::parse("a,b\n1,\"2\"", "t.csv");
  ASSERT_TRUE(table) << table.error().sentence();
  EXPECT_EQ(table->cell(0, 1), "2");
}

TEST(Csv, BadTablesSayWhere) {
  const auto wide = CsvTable::parse("a,b\n1,2\n1,2,3\n", "t.csv");
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().sentence(), HasSubstr("t.csv:3: it has 3 fields where the header has 2"));
  EXPECT_FALSE(CsvTable::parse("", "t.csv"));
  EXPECT_THAT(CsvTable::parse("a\n\"x", "t.csv").error().sentence(),
              HasSubstr("t.csv:2: a quoted field has no end"));
  EXPECT_THAT(CsvTable::parse("a\n\"x\"y\n", "t.csv").error().sentence(),
              HasSubstr("text follows a quoted field"));
  const auto table = CsvTable::parse("a\nx1\nnan\n", "t.csv");
  ASSERT_TRUE(table);
  EXPECT_THAT(table->number(0, 0).error().sentence(),
              HasSubstr("t.csv:2: \"x1\" in column a is not a number"));
  EXPECT_FALSE(table->number(1, 0));
  EXPECT_THAT(table->column("b").error().sentence(), HasSubstr("Its columns are: a."));
}

}  // namespace
}  // namespace forebay
