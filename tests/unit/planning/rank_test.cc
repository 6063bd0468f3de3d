#include "planning/rank.h"

#include <gtest/gtest.h>

#include <random>

namespace forebay {
namespace {

constexpr std::int64_t kUnit = 1'000'000'000;

Duration hours(double value) {
  return Duration::from_seconds(value * 3600);
}

Candidate on_demand(double price, double work_hours) {
  Candidate one;
  one.fits = MemoryFit::kYes;
  one.price_nano = static_cast<std::int64_t>(price * kUnit);
  one.work = hours(work_hours);
  return one;
}

Candidate spot(double price, double work_hours, double hours_between) {
  Candidate one = on_demand(price, work_hours);
  one.purchase = Purchase::kSpot;
  one.between_interruptions = hours(hours_between);
  return one;
}

const Assessment& of(const std::vector<Assessment>& ranking, std::uint32_t place) {
  for (const Assessment& one : ranking)
    if (one.candidate == place) return one;
  return ranking.front();
}

TEST(Rank, TheCheapestWinsByCostAndTheFastestByTime) {
  const std::vector<Candidate> all{on_demand(2, 10), on_demand(8, 2), on_demand(30, 1)};
  const auto by_cost = rank(all, {}, {});
  EXPECT_EQ(by_cost[0].candidate, 1u);
  EXPECT_EQ(*by_cost[0].cost_nano, 16 * kUnit);
  EXPECT_EQ(*by_cost[0].score, 1);
  EXPECT_EQ(by_cost[0].objection, Objection::kNone);
  EXPECT_EQ(by_cost[1].objection, Objection::kWorse);
  EXPECT_DOUBLE_EQ(*by_cost[1].score, 20.0 / 16);
  EXPECT_EQ(rank(all, {}, {0, 1, 0})[0].candidate, 2u);
}

TEST(Rank, TheFirstReasonWhyALoserLost) {
  Candidate no_price = on_demand(1, 1), no_time = on_demand(1, 1), too_small = on_demand(1, 1);
  no_price.price_nano.reset();
  no_time.work.reset();
  too_small.fits = MemoryFit::kNo;
  too_small.price_nano.reset();
  Candidate many = on_demand(1, 1);
  many.nodes = 4;
  many.nodes_allowed = 2;
  Candidate unknown_rate = spot(1, 1, 1);
  unknown_rate.between_interruptions.reset();
  PlanConditions conditions;
  conditions.deadline = hours(20);
  conditions.budget = Money{100 * kUnit, "USD"};
  conditions.checkpoint = {hours(0.01), hours(5), std::nullopt};
  const auto ranking = rank({on_demand(2, 10), no_price, no_time, too_small, many, unknown_rate,
                             on_demand(1, 30), on_demand(50, 3), spot(0.1, 10, 0.01)},
                            conditions, {});
  EXPECT_EQ(ranking[0].candidate, 0u);
  EXPECT_EQ(of(ranking, 1).objection, Objection::kPriceUnknown);
  EXPECT_EQ(of(ranking, 2).objection, Objection::kTimeUnknown);
  EXPECT_EQ(of(ranking, 3).objection, Objection::kDoesNotFit);
  EXPECT_EQ(of(ranking, 4).objection, Objection::kOverQuota);
  EXPECT_EQ(of(ranking, 5).objection, Objection::kRateUnknown);
  EXPECT_EQ(of(ranking, 6).objection, Objection::kPastDeadline);
  EXPECT_EQ(of(ranking, 7).objection, Objection::kOverBudget);
  EXPECT_EQ(of(ranking, 8).objection, Objection::kNeverDone);
  EXPECT_FALSE(of(ranking, 1).cost_nano) << "unknown, not 0";
}

TEST(Rank, SpotPaysForItsInterruptions) {
  PlanConditions conditions;
  conditions.checkpoint = {hours(0.02), hours(0.2), hours(1)};
  const auto ranking = rank({on_demand(3, 10), spot(1, 10, 50), spot(1, 10, 1)}, conditions, {});
  EXPECT_EQ(ranking[0].candidate, 1u);
  EXPECT_GT(*of(ranking, 1).time, hours(10));
  EXPECT_LT(*of(ranking, 1).cost_nano, 30 * kUnit);
  EXPECT_GT(*of(ranking, 2).time, *of(ranking, 1).time);
  conditions.may_be_interrupted = false;
  EXPECT_EQ(of(rank({on_demand(3, 10), spot(1, 10, 50)}, conditions, {}), 1).objection,
            Objection::kInterruptible);
}

TEST(Rank, MoreNodesAreInterruptedMoreOften) {
  Candidate four = spot(1, 10, 40);
  four.nodes = 4;
  PlanConditions conditions;
  conditions.checkpoint = {hours(0.01), hours(0.1), hours(0.5)};
  const auto ranking = rank({spot(1, 10, 40), four, spot(1, 10, 10)}, conditions, {});
  EXPECT_GT(of(ranking, 1).time, of(ranking, 0).time);
  EXPECT_EQ(of(ranking, 1).time, of(ranking, 2).time);
}

TEST(Rank, PreparationMinimumBillingAndFixedCostsCount) {
  PlanConditions conditions;
  conditions.preparation = hours(0.25);
  conditions.minimum_billing = hours(1);
  conditions.fixed_nano = 2 * kUnit;
  const auto ranking = rank({on_demand(4, 0.25), on_demand(4, 2)}, conditions, {});
  EXPECT_EQ(*of(ranking, 0).cost_nano, 6 * kUnit);   // one whole hour is paid
  EXPECT_EQ(*of(ranking, 1).cost_nano, 11 * kUnit);  // 2.25 h × 4 + 2
  EXPECT_EQ(of(ranking, 0).time, hours(0.5));
}

TEST(Rank, CarbonCountsOnlyWhereItIsKnown) {
  Candidate green = on_demand(3, 10), dirty = on_demand(2, 10), unknown = on_demand(1, 10);
  green.grams_per_hour = 50;
  dirty.grams_per_hour = 700;
  const auto by_carbon = rank({green, dirty, unknown}, {}, {0, 0, 1});
  EXPECT_EQ(by_carbon[0].candidate, 0u);
  EXPECT_DOUBLE_EQ(*by_carbon[0].grams, 500);
  EXPECT_EQ(of(by_carbon, 2).objection, Objection::kCarbonUnknown);
  EXPECT_EQ(rank({green, dirty, unknown}, {}, {})[0].candidate, 2u);
}

TEST(Rank, TheFrontHoldsWhatNoOtherBeats) {
  const auto ranking = rank({on_demand(2, 10), on_demand(8, 2), on_demand(30, 1), on_demand(9, 2.5)}, {}, {});
  EXPECT_FALSE(of(ranking, 0).is_on_front);
  EXPECT_TRUE(of(ranking, 1).is_on_front);
  EXPECT_TRUE(of(ranking, 2).is_on_front);
  EXPECT_FALSE(of(ranking, 3).is_on_front);
}

TEST(Rank, TheFrontIsWhatComparingAllPairsGives) {
  std::mt19937 random(3);
  std::vector<Candidate> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(on_demand(1 + static_cast<double>(random() % 40), 1 + static_cast<double>(random() % 40)));
    all.back().grams_per_hour = static_cast<double>(random() % 40);
  }
  for (const double carbon : {0.0, 1.0}) {
    const auto ranking = rank(all, {}, {1, 1, carbon});
    for (const Assessment& one : ranking) {
      bool is_beaten = false;
      for (const Assessment& other : ranking)
        is_beaten |= other.cost_nano <= one.cost_nano && other.time <= one.time &&
                     (carbon == 0 || other.grams <= one.grams) &&
                     (other.cost_nano < one.cost_nano || other.time < one.time ||
                      (carbon > 0 && other.grams < one.grams));
      EXPECT_EQ(one.is_on_front, !is_beaten);
    }
  }
}

TEST(Rank, TheSameInputGivesTheSameOrder) {
  const std::vector<Candidate> all(50, on_demand(2, 2));
  const auto ranking = rank(all, {}, {});
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(ranking[i].candidate, i);
  EXPECT_TRUE(rank({}, {}, {}).empty());
}

}  // namespace
}  // namespace forebay
