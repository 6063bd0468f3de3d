#include "cost/bill.h"

#include <gtest/gtest.h>

#include <random>

namespace forebay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kBegin = 1'790'000'000 * kSecond;

RunEvent state(double seconds, const char* to) {
  return {Instant{kBegin + static_cast<std::int64_t>(seconds * 1e9)}, "state", Json::object({{"to", to}})};
}
RunRecord finished() {
  RunRecord record;
  record.events = {state(0, "preparing"), state(30, "running"), state(630, "saving"), state(650, "releasing"),
                   state(651, "finished")};
  Outcome outcome;
  outcome.duration = Duration{600 * kSecond};
  outcome.ended = Instant{kBegin + 630 * kSecond};
  record.outcome = outcome;
  return record;
}
Money usd(std::int64_t nano) {
  return {nano, "USD"};
}

TEST(Bill, SplitsTheTimeIntoPhases) {
  const Bill bill = compute_bill(finished());
  ASSERT_EQ(bill.lines.size(), 4u);
  EXPECT_EQ(bill.lines[0].id, "preparing");
  EXPECT_EQ(bill.lines[1].id, "running");
  EXPECT_EQ(bill.lines[1].duration.nanoseconds, 600 * kSecond);
  EXPECT_EQ(bill.duration.nanoseconds, 651 * kSecond);
}

TEST(Bill, ASetupThatFailedIsPreparingAndNeverTheCommand) {
  RunRecord record;
  record.events = {state(0, "preparing"), state(40, "releasing"), state(41, "failed")};
  record.outcome = Outcome{};
  record.outcome->cause = OutcomeCause::kSetupFailed;
  record.outcome->duration = Duration{39 * kSecond};  // of the setup command, as older records have it
  record.outcome->ended = Instant{kBegin + 40 * kSecond};
  const Bill bill = compute_bill(record, usd(3'600'000'000));
  ASSERT_EQ(bill.lines.size(), 2u);
  EXPECT_EQ(bill.lines[0].id, "preparing");
  EXPECT_EQ(bill.lines[0].duration.nanoseconds, 40 * kSecond);
  EXPECT_EQ(bill.lines[1].id, "releasing");
  EXPECT_EQ(bill.duration.nanoseconds, 41 * kSecond);
  record.events.clear();  // nothing but the outcome is left: its time is all there is
  EXPECT_EQ(compute_bill(record).duration.nanoseconds, 39 * kSecond);
}

TEST(Bill, AnUnknownPriceIsUnknownMoney) {
  const Bill bill = compute_bill(finished());
  EXPECT_FALSE(bill.total);
  EXPECT_FALSE(bill.lines[0].money);
  EXPECT_TRUE(bill.to_json()["total"].is_null());
  EXPECT_TRUE(bill.to_json()["lines"].at(0)["money"].is_null());
  EXPECT_FALSE(bill.remarks.empty());
}

TEST(Bill, APriceOfNothingIsKnown) {
  const Bill bill = compute_bill(finished(), usd(0));
  ASSERT_TRUE(bill.total);
  EXPECT_EQ(bill.total->nano, 0);
}

TEST(Bill, ANegativeOrAbsurdPriceIsNone) {
  EXPECT_FALSE(compute_bill(finished(), usd(INT64_MAX)).total);
  EXPECT_FALSE(compute_bill(finished(), usd(-5)).total);
}

TEST(Bill, IsExact) {
  const Bill bill = compute_bill(finished(), usd(2'500'000'000));
  // 2.5 × 651 / 3600 = 0.452083333…
  EXPECT_EQ(bill.total->nano, 452'083'333);
  std::int64_t sum = 0;
  for (const BillLine& line : bill.lines) sum += line.money->nano;
  EXPECT_EQ(sum, bill.total->nano);
}

TEST(Bill, LinesAlwaysAddUpExactly) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 500; ++round) {
    RunRecord record;
    std::int64_t time = kBegin;
    for (const char* to : {"provisioning", "preparing", "staging", "running", "saving", "running", "saving",
                           "releasing", "finished"}) {
      record.events.push_back({Instant{time}, "state", Json::object({{"to", to}})});
      time += static_cast<std::int64_t>(random() % (100'000ull * kSecond));
    }
    record.outcome = Outcome{};
    const Bill bill = compute_bill(record, usd(static_cast<std::int64_t>(random() % 100'000'000'000ull)));
    std::int64_t sum = 0;
    for (const BillLine& line : bill.lines) {
      sum += line.money->nano;
      // Each line is its own exact product, to within a billionth.
      EXPECT_LE(std::abs(line.money->nano - money_for(*bill.price_per_hour, line.duration).nano), 2);
    }
    ASSERT_EQ(sum, bill.total->nano);
    ASSERT_EQ(bill.total->nano, money_for(*bill.price_per_hour, bill.duration).nano);
  }
}

TEST(Bill, TakesThePriceOfTheRecord) {
  RunRecord record = finished();
  record.machine = Json::object(
      {{"price", Json::object({{"per_hour", "3 CNY"}, {"source", "price list"}, {"date", "2026-11-30"}})}});
  EXPECT_EQ(compute_bill(record).price_per_hour, (Money{3'000'000'000, "CNY"}));
  EXPECT_NE(compute_bill(record).price_source.find("2026-11-30"), std::string::npos);
  record.launch = Json::object({{"price_per_hour", Json::object({{"nano", 5}, {"currency", "USD"}})}});
  EXPECT_EQ(compute_bill(record).price_per_hour, usd(5));
  EXPECT_EQ(compute_bill(record, usd(7)).price_per_hour, usd(7));
  record.launch = Json::object({{"price_per_hour", "garbage"}});
  record.machine = Json();
  EXPECT_FALSE(compute_bill(record).total);
}

TEST(Bill, QueueingCostsNothing) {
  RunRecord record;
  record.events = {state(0, "queued"), state(1000, "planning"), state(1001, "running"),
                   state(1011, "finished"), state(5000, "note")};
  record.outcome = Outcome{};
  EXPECT_EQ(compute_bill(record).duration.nanoseconds, 10 * kSecond);
}

TEST(Bill, OfARunThatGoesOnReachesToTheLastSample) {
  RunRecord record;
  record.events = {state(0, "running")};
  record.samples.push_back({5 * kSecond, Instant{kBegin + 5 * kSecond}, {}});
  record.samples.push_back({90 * kSecond, Instant{kBegin + 90 * kSecond}, {}});
  const Bill bill = compute_bill(record);
  EXPECT_EQ(bill.duration.nanoseconds, 90 * kSecond);
  EXPECT_NE(render_in("en", bill.remarks.front()).find("goes on"), std::string::npos);
}

TEST(Bill, WithoutEventsTheCommandsTimeIsBilled) {
  RunRecord record;
  record.outcome = Outcome{};
  record.outcome->duration = Duration{7 * kSecond};
  EXPECT_EQ(compute_bill(record).duration.nanoseconds, 7 * kSecond);
  EXPECT_EQ(compute_bill(RunRecord{}).duration.nanoseconds, 0);
  EXPECT_TRUE(compute_bill(RunRecord{}).lines.empty());
}

TEST(Bill, AClockSetBackOrDamagedBillsNothingTwice) {
  RunRecord record;
  record.events = {state(100, "preparing"), state(50, "running"), state(80, "finished")};
  record.outcome = Outcome{};
  EXPECT_EQ(compute_bill(record).duration.nanoseconds, 30 * kSecond);
  record.events.push_back({Instant{INT64_MAX}, "state", Json::object({{"to", "running"}})});
  record.events.push_back({Instant{INT64_MIN}, "state", Json::object({{"to", "finished"}})});
  EXPECT_EQ(compute_bill(record).duration.nanoseconds, 30 * kSecond);
}

TEST(Bill, EnergyComesFromCountersOnly) {
  RunRecord record = finished();
  for (int i = 0; i <= 10; ++i) {
    Sample sample{i * kSecond, Instant{kBegin + i * kSecond}, {}};
    sample.add(Metric::kGpuPowerWatts, 300);
    record.samples.push_back(sample);
  }
  EXPECT_FALSE(compute_bill(record).energy);
  for (int i = 0; i <= 10; ++i) {
    record.samples[static_cast<std::size_t>(i)].add(Metric::kGpuEnergyJoules, 1e6 + 300 * i, 0);
    // The second GPU's counter is reset in the middle.
    record.samples[static_cast<std::size_t>(i)].add(Metric::kGpuEnergyJoules,
                                                    i < 5 ? 100.0 * i : 100.0 * (i - 5), 1);
  }
  const Bill bill = compute_bill(record);
  ASSERT_TRUE(bill.gpu_energy);
  EXPECT_DOUBLE_EQ(bill.gpu_energy->value, 3000 + 400 + 500);
  EXPECT_FALSE(bill.cpu_energy);
  EXPECT_DOUBLE_EQ(bill.energy->value, 3900);
}

TEST(Bill, UnitCostsAndWaste) {
  RunRecord record = finished();
  for (int i = 0; i < 600; ++i) {
    StepRow row;
    row.process = 7;
    row.samples = 32;
    row.epoch_begin_ns = i % 300 == 0 ? 1 : 0;
    record.steps.push_back(row);
  }
  record.findings = Json::object(
      {{"findings",
        Json::array()
            .push(Json::object(
                {{"id", "data-stall"}, {"share", 0.5}, {"title", Json::object({{"msgid", "t"}})}}))
            .push(Json::object({{"id", "risk"}, {"share", Json()}}))}});
  const Bill bill = compute_bill(record, usd(3'600'000'000));  // a thousandth a second
  ASSERT_EQ(bill.unit_costs.size(), 3u);
  EXPECT_EQ(bill.unit_costs[0].unit, "step");
  EXPECT_EQ(bill.unit_costs[0].money->nano, 651'000'000 / 600);
  EXPECT_EQ(bill.unit_costs[1].count, 2);
  EXPECT_NEAR(bill.unit_costs[2].count, 19.2, 1e-9);
  ASSERT_EQ(bill.wasted.size(), 1u);
  EXPECT_EQ(bill.wasted[0].money->nano, 300'000'000);
  record.steps[5].samples = -1;  // not known: no cost per sample is invented
  EXPECT_EQ(compute_bill(record).unit_costs.size(), 2u);
}

TEST(Bill, BudgetNeedsTheSameCurrency) {
  RunRecord record = finished();
  record.job = Json::object({{"policy", Json::object({{"budget", "1 USD"}})}});
  EXPECT_NEAR(compute_bill(record, usd(3'600'000'000)).budget_used->value, 0.651, 1e-9);
  EXPECT_FALSE(compute_bill(record, Money{3'600'000'000, "CNY"}).budget_used);
  EXPECT_FALSE(compute_bill(record).budget_used);
}

TEST(Bill, SurvivesJson) {
  const Bill bill = compute_bill(finished(), usd(2'500'000'001));
  const Json json = bill.to_json();
  const auto again = Bill::from_json(*Json::parse(json.dump(), "test"));
  EXPECT_EQ(again.to_json(), json);
  EXPECT_EQ(again.total, bill.total);
}

}  // namespace
}  // namespace forebay
