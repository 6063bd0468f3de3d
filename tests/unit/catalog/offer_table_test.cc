#include "catalog/offer_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/offer_store.h"

namespace forebay {
namespace {

using ::testing::HasSubstr;

const std::string kHeader =
    "provider,instance_type,region,area,gpu,gpu_count,gpu_memory_mib,vcpu,memory_mib,local_nvme_gb,network_"
    "gbps,rdma,"
    "currency,on_demand,spot,committed_1y,committed_3y,derived,interruption,source,date\n";

std::string row(const std::string& count, const std::string& price, const std::string& date = "2026-07-14") {
  return "acme,big.8,eu-1,eu,H100-SXM-80GB," + count + ",81559,96,1024,,400,EFA,USD," + price +
         ",,,,,<5%,price list," + date + "\n";
}

std::optional<Offer> find(const OfferTable& table, std::string_view type, std::string_view region) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (const Offer offer = table.offer(i); offer.instance_type == type && offer.region == region)
      return offer;
  return std::nullopt;
}

std::string error_of(const std::string& csv) {
  OfferTable table;
  const auto added = table.add_csv(csv, "list.csv");
  EXPECT_FALSE(added.has_value());
  EXPECT_EQ(table.size(), 0u);
  return added ? std::string() : added.error().sentence();
}

class BuiltInOffers : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = built_in_offers();
    ASSERT_TRUE(loaded) << loaded.error().sentence();
    table_ = *std::move(loaded);
  }
  OfferTable table_;
};

TEST_F(BuiltInOffers, AnEighthOfAnL4IsAnEighthThoughAwsSaysZero) {
  const auto offer = find(table_, "g6f.large", "us-east-1");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->gpu, "L4");
  EXPECT_DOUBLE_EQ(offer->gpu_count, 0.125);
  EXPECT_EQ(offer->gpu_memory, Bytes{3072ll << 20});
  EXPECT_EQ(offer->price(PriceKind::kOnDemand), (Money{202'000'000, "USD"}));
  EXPECT_EQ(offer->price_per_gpu(PriceKind::kOnDemand), (Money{1'616'000'000, "USD"}));
}

TEST_F(BuiltInOffers, MemoryIsWhatDriversReportAndNotTheNumberOnTheBox) {
  const auto mib = [&](std::string_view type, std::string_view region) {
    const auto offer = find(table_, type, region);
    return offer && offer->gpu_memory ? offer->gpu_memory->count >> 20 : -1;
  };
  EXPECT_EQ(mib("g5.xlarge", "us-east-1"), 23028);       // A10G
  EXPECT_EQ(mib("g6e.xlarge", "us-east-1"), 46068);      // L40S
  EXPECT_EQ(mib("p5.48xlarge", "us-east-1"), 81559);     // H100
  EXPECT_EQ(mib("p5en.48xlarge", "us-east-1"), 143771);  // H200
  EXPECT_EQ(mib("g4dn.xlarge", "us-east-1"), 15360);     // T4 with ECC
}

TEST_F(BuiltInOffers, AzuresNcH100IsAnNvl) {
  const auto offer = find(table_, "Standard_NC40ads_H100_v5", "eastus");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->gpu, "H100-NVL-94GB");
  EXPECT_EQ(offer->gpu_memory, Bytes{95830ll << 20});
}

TEST_F(BuiltInOffers, P5CostsWhatItCostsNow) {
  const auto offer = find(table_, "p5.48xlarge", "us-east-1");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->price(PriceKind::kOnDemand), (Money{55'040'000'000, "USD"}));
  EXPECT_EQ(offer->rdma, Rdma::kEfa);
  EXPECT_EQ(offer->interruption, Interruption::kAbove20);
  // Its price has moved since the old export: the old ratio says nothing of a commitment.
  EXPECT_FALSE(offer->price(PriceKind::kCommitted1y));
}

TEST_F(BuiltInOffers, ARatioIsMarkedWhereItMadeThePrice) {
  const auto offer = find(table_, "g4dn.xlarge", "us-east-1");
  ASSERT_TRUE(offer);
  EXPECT_FALSE(offer->derived(PriceKind::kOnDemand));
  EXPECT_TRUE(offer->derived(PriceKind::kSpot));
  EXPECT_TRUE(offer->derived(PriceKind::kCommitted1y));
}

TEST_F(BuiltInOffers, UnknownPricesAreAbsentAndEveryRowHasSourceAndDate) {
  std::size_t without_price = 0;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const Offer offer = table_.offer(i);
    EXPECT_FALSE(offer.source.empty());
    EXPECT_TRUE(days_old(offer.date, Instant{}).has_value()) << offer.date;
    EXPECT_FALSE(offer.area.empty()) << offer.region;
    const auto& price = offer.price(PriceKind::kOnDemand);
    if (price)
      EXPECT_GT(price->nano, 0);
    else
      ++without_price;
  }
  EXPECT_GT(without_price, 0u);  // AWS outside us-east-1: there is no list with a date
  EXPECT_GT(table_.size() - without_price, 1000u);
}

TEST_F(BuiltInOffers, WhatIsWrittenReadsBackTheSame) {
  const std::string csv = offers_as_csv(table_);
  OfferTable again;
  const auto added = again.add_csv(csv, "again.csv");
  ASSERT_TRUE(added) << added.error().sentence();
  EXPECT_EQ(offers_as_csv(again), csv);
}

TEST(OfferTable, DamageIsSaidWithItsPlaceAndAddsNothing) {
  EXPECT_THAT(error_of(kHeader + row("8", "1") + row("8", "-3")), HasSubstr("list.csv:3"));
  EXPECT_THAT(error_of(kHeader + row("8", "-3")), HasSubstr("-3 USD per hour"));
  EXPECT_THAT(error_of(kHeader + row("8", "10001")), HasSubstr("10001 USD per hour"));
  EXPECT_THAT(error_of(kHeader + row("8", "0")), HasSubstr("makes no sense"));
  EXPECT_THAT(error_of(kHeader + row("0", "3")), HasSubstr("not a number of GPUs"));
  EXPECT_THAT(error_of(kHeader + row("8", "3", "1970-01-01")), HasSubstr("1970-01-01"));
  EXPECT_THAT(error_of(kHeader + row("8", "3", "2026-02-31")), HasSubstr("2026-02-31"));
  const std::string whole = kHeader + row("8", "3");
  for (std::size_t length = 1; length < whole.size(); ++length)
    if (whole[length - 1] != '\n') {
      EXPECT_THAT(error_of(whole.substr(0, length)), HasSubstr("cut off")) << length;
    }
  EXPECT_THAT(error_of("provider,region\n"), HasSubstr("instance_type"));
}

TEST(OfferTable, ANewerRowReplacesTheSameMachineInTheSameRegion) {
  OfferTable table, newer;
  ASSERT_TRUE(table.add_csv(
      kHeader + row("8", "3") + "acme,big.8,eu-2,eu,H100-SXM-80GB,8,,,,,,,USD,4,,,,,,list,2026-07\n", "a"));
  ASSERT_TRUE(newer.add_csv(kHeader + row("8", "2", "2026-12-01"), "b"));
  table.overlay(newer);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(find(table, "big.8", "eu-1")->price(PriceKind::kOnDemand), (Money{2'000'000'000, "USD"}));
  EXPECT_EQ(find(table, "big.8", "eu-1")->date, "2026-12-01");
  EXPECT_EQ(find(table, "big.8", "eu-2")->price(PriceKind::kOnDemand), (Money{4'000'000'000, "USD"}));
  EXPECT_FALSE(find(table, "big.8", "eu-2")->gpu_memory);
}

TEST(GpuCount, FractionsReadAndShowAsFractions) {
  EXPECT_EQ(parse_gpu_count("1/8"), 0.125);
  EXPECT_EQ(format_gpu_count(1.0 / 3), "1/3");
  EXPECT_EQ(format_gpu_count(8), "8");
  EXPECT_EQ(parse_gpu_count("0"), std::nullopt);
  EXPECT_EQ(parse_gpu_count("1/0"), std::nullopt);
  EXPECT_EQ(parse_gpu_count("-1"), std::nullopt);
  EXPECT_EQ(parse_gpu_count("8x"), std::nullopt);
}

TEST(DaysOld, AMonthCountsFromItsLastDay) {
  const Instant now = *parse_instant("2026-12-01T12:00Z");
  EXPECT_EQ(days_old("2026-07-14", now), 140);
  EXPECT_EQ(days_old("2026-07", now), 123);
  EXPECT_EQ(days_old("2026-12-02", now), -1);
  EXPECT_EQ(days_old("2026-13", now), std::nullopt);
  EXPECT_EQ(days_old("yesterday!", now), std::nullopt);
}

}  // namespace
}  // namespace forebay
