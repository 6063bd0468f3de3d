#include "diagnosis/expression.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

MetricSet numbers() {
  MetricSet set;
  set.add("one", 1, "1", "test");
  set.add("two", 2, "1", "test");
  set.add("zero", 0, "1", "test");
  set.add_fact("device", "cpu", "test");
  return set;
}

std::optional<double> value(const std::string& text) {
  auto expression = Expression::parse(text);
  EXPECT_TRUE(expression) << text << ": " << (expression ? "" : expression.error().sentence());
  return expression ? expression->evaluate(numbers()) : std::nullopt;
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value("1 + 2 * 3 - 4 / 2"), 5);
  EXPECT_EQ(value("(1 + 2) * -3"), -9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("--2"), 2);
  EXPECT_EQ(value("1.5e3 / 3"), 500);
  EXPECT_EQ(value("1 < 2 and 2 < 1 or 3 == 3"), 1);
  EXPECT_EQ(value("not 1 > 2"), 1);
  EXPECT_EQ(value("not not 0"), 0);
  EXPECT_EQ(value("two >= 2 and one != 2 and zero <= 0"), 1);
}

TEST(Expression, HasMinimumMaximumAndText) {
  EXPECT_EQ(value("min(3, two, 5) + max(1, 7)"), 9);
  EXPECT_EQ(value("is(device, \"cpu\")"), 1);
  EXPECT_EQ(value("is(device, \"cuda\")"), 0);
  EXPECT_EQ(value("is(nothing, \"cpu\")"), std::nullopt);
}

TEST(Expression, WhatIsUnknownStaysUnknown) {
  for (const char* text : {"nothing", "nothing + 1", "1 - nothing", "nothing * 0", "nothing < 1",
                           "min(1, nothing)", "max(nothing, 1)", "not nothing", "-nothing"})
    EXPECT_EQ(value(text), std::nullopt) << text;
}

TEST(Expression, AnOperandThatDecidesAloneDecides) {
  EXPECT_EQ(value("zero and nothing"), 0);
  EXPECT_EQ(value("nothing and zero"), 0);
  EXPECT_EQ(value("one or nothing"), 1);
  EXPECT_EQ(value("nothing or one"), 1);
  EXPECT_EQ(value("one and nothing"), std::nullopt);
  EXPECT_EQ(value("nothing or zero"), std::nullopt);
}

TEST(Expression, KnownAndEitherAreNeverUnknownByTheirFirstOperand) {
  EXPECT_EQ(value("known(one)"), 1);
  EXPECT_EQ(value("known(device)"), 1);
  EXPECT_EQ(value("known(nothing)"), 0);
  EXPECT_EQ(value("known(nothing + 1)"), 0);
  EXPECT_EQ(value("either(nothing, 7)"), 7);
  EXPECT_EQ(value("either(two, 7)"), 2);
  EXPECT_EQ(value("either(nothing, nothing)"), std::nullopt);
}

TEST(Expression, DivisionByZeroIsUnknown) {
  EXPECT_EQ(value("1 / zero"), std::nullopt);
  EXPECT_EQ(value("zero / zero"), std::nullopt);
  EXPECT_EQ(value("1e300 * 1e300"), std::nullopt);
}

TEST(Expression, SaysWhatWasMissing) {
  std::set<std::string> missing;
  EXPECT_FALSE(Expression::parse("one and (alpha > 1 or beta > 2)")->evaluate(numbers(), &missing));
  EXPECT_EQ(missing, (std::set<std::string>{"alpha", "beta"}));
  missing.clear();
  EXPECT_EQ(Expression::parse("zero and alpha > 1")->evaluate(numbers(), &missing), 0);
  EXPECT_TRUE(missing.empty());
}

TEST(Expression, ListsItsNames) {
  EXPECT_EQ(Expression::parse("max(a, b) / either(c, 1) > 2 and is(d, \"e\")")->names(),
            (std::set<std::string>{"a", "b", "c", "d"}));
}

TEST(Expression, RefusesWhatItCannotRead) {
  for (const char* text : {"",
                           "  ",
                           "1 +",
                           "(1",
                           "1)",
                           "1 2",
                           "a b",
                           "foo(1)",
                           "min()",
                           "known(1, 2)",
                           "is(one)",
                           "is(1, \"x\")",
                           "is(device, cpu)",
                           "is(device, \"cpu)",
                           "1 = 2",
                           "and",
                           "1 and",
                           "or 1",
                           "not",
                           "$",
                           "1 < 2 < 3",
                           "1e999",
                           "either(1)",
                           "\"text\""})
    EXPECT_FALSE(Expression::parse(text)) << text;
}

TEST(Expression, IsBoundedInDepthAndSize) {
  EXPECT_TRUE(Expression::parse(std::string(30, '(') + "1" + std::string(30, ')')));
  EXPECT_FALSE(Expression::parse(std::string(900, '(') + "1" + std::string(900, ')')));
  std::string calls;
  for (int i = 0; i < 300; ++i) calls += "min(";
  EXPECT_FALSE(Expression::parse(calls + "1"));
  EXPECT_FALSE(Expression::parse(std::string(100'000, '(')));
  std::string sum = "1";
  for (int i = 0; i < 600; ++i) sum += "+1";
  EXPECT_FALSE(Expression::parse(sum));
  EXPECT_TRUE(Expression::parse(std::string(1500, '-') + "1"));
}

}  // namespace
}  // namespace forebay
