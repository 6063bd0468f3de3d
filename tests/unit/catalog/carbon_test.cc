#include "catalog/carbon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

using testing::HasSubstr;

TEST(Carbon, RegionsOfTheTableInsideTheBinary) {
  const auto table = CarbonTable::embedded();
  ASSERT_TRUE(table) << table.error().sentence();
  const auto taiwan = table->find("gcp", "asia-east1");
  ASSERT_TRUE(taiwan);
  EXPECT_DOUBLE_EQ(taiwan->grams_per_kwh, 439.29);  // Google, 2024
  EXPECT_EQ(taiwan->date, "2024");
  const auto cape_town = table->find("aws", "af-south-1");
  ASSERT_TRUE(cape_town);
  EXPECT_DOUBLE_EQ(*cape_town->usage_effectiveness, 1.24);
  EXPECT_TRUE(table->find("azure", "swedencentral"));
  EXPECT_FALSE(table->find("aws", "moon-1"));
  EXPECT_FALSE(table->find("gcp", "af-south-1"));
}

TEST(Carbon, TheBuildingIsAddedWhereItsShareIsKnown) {
  EXPECT_DOUBLE_EQ(grams_per_hour(Watts{700}, {400, 1.25, "", ""}), 350);
  EXPECT_DOUBLE_EQ(grams_per_hour(Watts{700}, {400, std::nullopt, "", ""}), 280);
}

TEST(Carbon, AFigureInTheWrongUnitIsRefusedWithItsPlace) {
  const auto tons =
      CarbonTable::parse("provider,region,grams_per_kwh,pue,source,date\naws,x,415755,,,\n", "t.csv");
  ASSERT_FALSE(tons);
  EXPECT_THAT(tons.error().sentence(), HasSubstr("t.csv:2: grams_per_kwh is 415755"));
  EXPECT_FALSE(
      CarbonTable::parse("provider,region,grams_per_kwh,pue,source,date\naws,x,400,0.9,,\n", "t.csv"));
  EXPECT_FALSE(CarbonTable::parse("", "t.csv"));
  const auto unknown =
      CarbonTable::parse("provider,region,grams_per_kwh,pue,source,date\naws,x,,1.1,,\n", "t.csv");
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(unknown->find("aws", "x")) << "unknown is not 0";
}

}  // namespace
}  // namespace forebay
