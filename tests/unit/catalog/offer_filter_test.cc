#include "catalog/offer_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kOffers =
    R"(provider,instance_type,region,area,gpu,gpu_count,gpu_memory_mib,vcpu,memory_mib,local_nvme_gb,network_gbps,rdma,currency,on_demand,spot,committed_1y,committed_3y,derived,interruption,source,date
aws,eighth,us-east-1,us,L4,1/8,3072,2,8192,,,none,USD,0.2,,,,,,list,2026-07
aws,whole,us-east-1,us,L4,1,23034,4,16384,,,none,USD,0.8,0.4,,,,>20%,list,2026-07
aws,l40s,eu-west-1,eu,L40S,1,46068,4,32768,,,none,USD,,,,,,,list,2026-07
azure,h100,westeurope,eu,H100-SXM-80GB,8,81559,96,,,,InfiniBand,USD,98.32,,,,,,list,2026-07
aws,h100,us-east-1,us,H100-SXM-80GB,8,81559,192,2097152,,3200,EFA,USD,55.04,26,,,,>20%,list,2026-07
azure,nvl,eastus,us,H100-NVL-94GB,1,95830,40,,,,none,USD,6.98,,,,,,list,2026-07
azure,a100,eastus,us,A100-PCIe-80GB,4,81920,96,,,,none,USD,14.7,,,,,,list,2026-07
local,cheap,shanghai,,A10,1,23028,8,,,,,CNY,5,,,,,,list,2026-07
)";

class Selecting : public ::testing::Test {
 protected:
  Selecting() {
    const auto added = table_.add_csv(std::string(kOffers), "offers.csv");
    EXPECT_TRUE(added) << added.error().sentence();
    EXPECT_TRUE(rates_.state("CNY=7"));
  }
  std::vector<std::string> chosen(std::size_t limit = 0) {
    auto selection = select_offers(table_, filter_, rates_, limit);
    EXPECT_TRUE(selection) << selection.error().sentence();
    std::vector<std::string> names;
    if (!selection) return names;
    for (const auto row : selection->rows) names.emplace_back(table_.offer(row).instance_type);
    last_ = *std::move(selection);
    return names;
  }
  void gpu(std::string_view text) {
    auto wish = parse_gpu_wish(text);
    ASSERT_TRUE(wish) << wish.error().sentence();
    filter_.gpus.push_back(*std::move(wish));
  }
  OfferTable table_;
  ExchangeRates rates_ = *ExchangeRates::parse("currency,per_usd,date,source\nUSD,1,,\nCNY,,,\n", "rates");
  OfferFilter filter_;
  OfferSelection last_;
};

TEST_F(Selecting, SortsByPriceWithUnknownPricesLast) {
  EXPECT_THAT(chosen(), ElementsAre("eighth", "cheap", "whole", "nvl", "a100", "h100", "h100", "l40s"));
}

TEST_F(Selecting, PricePerGpuOfAnEighthIsThatOfAWhole) {
  filter_.order = OfferOrder::kPricePerGpu;
  EXPECT_THAT(chosen(), ElementsAre("cheap", "whole", "eighth", "a100", "h100", "nvl", "h100", "l40s"));
}

TEST_F(Selecting, MemoryPutsTheMostFirst) {
  filter_.order = OfferOrder::kMemory;
  EXPECT_THAT(chosen(3), ElementsAre("nvl", "a100", "h100"));
  EXPECT_EQ(last_.matching, 8u);
}

TEST_F(Selecting, ABareNameMeansEveryFormOfThePart) {
  gpu("h100");
  EXPECT_THAT(chosen(), ElementsAre("nvl", "h100", "h100"));
  filter_.gpus.clear();
  gpu("A100-80GB");
  EXPECT_THAT(chosen(), ElementsAre("a100"));
  filter_.gpus.clear();
  gpu("L4");  // not the L40S
  EXPECT_THAT(chosen(), ElementsAre("eighth", "whole"));
}

TEST_F(Selecting, CountsAreExactAtLeastOrBetween) {
  gpu("H100:8");
  EXPECT_THAT(chosen(), ElementsAre("h100", "h100"));
  filter_.gpus.clear();
  gpu("*100*:4+");
  EXPECT_THAT(chosen(), ElementsAre("a100", "h100", "h100"));
  filter_.gpus.clear();
  gpu("*:2..7");
  EXPECT_THAT(chosen(), ElementsAre("a100"));
  filter_.gpus.clear();
  gpu("L4:1/8");
  gpu("A10:1");
  EXPECT_THAT(chosen(), ElementsAre("eighth", "cheap"));
}

TEST_F(Selecting, MemoryInGiBIsTheNumberOnTheBoxAndInMiBTheUsableOne) {
  const auto memory = [&](std::string_view text) {
    filter_.gpu_memory = *parse_gpu_memory_wish(text);
    return chosen();
  };
  EXPECT_THAT(memory("80GiB+"), ElementsAre("nvl", "a100", "h100", "h100"));  // an H100 reports 79.6 GiB
  EXPECT_THAT(memory("81920MiB+"), ElementsAre("nvl", "a100"));
  EXPECT_THAT(memory("24GiB"), ElementsAre("cheap", "whole"));
  EXPECT_THAT(memory("48GiB"), ElementsAre("l40s"));
  EXPECT_THAT(memory("16GiB..48GiB"), ElementsAre("cheap", "whole", "l40s"));
}

TEST_F(Selecting, RegionsMatchByNameAndByArea) {
  filter_.regions = {"EU-*"};
  EXPECT_THAT(chosen(), ElementsAre("h100", "l40s"));  // westeurope is in Europe too
  filter_.regions = {"eastus"};
  EXPECT_THAT(chosen(), ElementsAre("nvl", "a100"));
}

TEST_F(Selecting, ProvidersTypesAndSizes) {
  filter_.providers = {"aws"};
  filter_.vcpu = *parse_number_range("4+", "vCPUs");
  EXPECT_THAT(chosen(), ElementsAre("whole", "h100", "l40s"));
  filter_.memory = *parse_bytes_range("32GiB+");
  EXPECT_THAT(chosen(), ElementsAre("h100", "l40s"));
  filter_.types = {"l*"};
  EXPECT_THAT(chosen(), ElementsAre("l40s"));
}

TEST_F(Selecting, WhatIsUnknownDoesNotPassAsEnough) {
  filter_.memory = *parse_bytes_range("1GiB+");
  filter_.gpus = {*parse_gpu_wish("H100")};
  EXPECT_THAT(chosen(), ElementsAre("h100"));  // the others' host memory is unknown
}

TEST_F(Selecting, RdmaOfAnyOrOneKind) {
  filter_.needs_rdma = true;
  EXPECT_THAT(chosen(), ElementsAre("h100", "h100"));
  filter_.needs_rdma = false;
  filter_.rdma = Rdma::kInfiniBand;
  EXPECT_THAT(chosen(), ElementsAre("h100"));
}

TEST_F(Selecting, AMaximumPriceLeavesUnknownPricesOutAndCountsThem) {
  filter_.max_price = *parse_price("3USD");
  EXPECT_THAT(chosen(), ElementsAre("eighth", "cheap", "whole"));
  EXPECT_EQ(last_.without_price, 1u);
  filter_.max_price = *parse_price("0.8 USD");  // at most: the limit itself is within
  EXPECT_THAT(chosen(), ElementsAre("eighth", "cheap", "whole"));
  filter_.max_price.reset();
  filter_.max_price_per_gpu = *parse_price("1USD");
  EXPECT_THAT(chosen(), ElementsAre("cheap", "whole"));
}

TEST_F(Selecting, SpotLooksAtSpotPricesOnly) {
  filter_.kind = PriceKind::kSpot;
  filter_.max_price = *parse_price("30USD");
  EXPECT_THAT(chosen(), ElementsAre("whole", "h100"));
  EXPECT_EQ(last_.without_price, 6u);
}

TEST_F(Selecting, OtherCurrenciesAreComparedByTheStatedRate) {
  filter_.max_price = *parse_price("5CNY");
  EXPECT_THAT(chosen(), ElementsAre("eighth", "cheap"));
}

TEST_F(Selecting, WithoutARateAnOfferIsLeftOutAndCountedAndAMaximumIsRefused) {
  rates_ = *ExchangeRates::parse("currency,per_usd,date,source\nUSD,1,,\nCNY,,,\n", "rates");
  filter_.max_price = *parse_price("3USD");
  EXPECT_THAT(chosen(), ElementsAre("eighth", "whole"));
  EXPECT_EQ(last_.without_rate, 1u);
  filter_.max_price = *parse_price("3CNY");
  const auto refused = select_offers(table_, filter_, rates_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().sentence(), HasSubstr("--rate CNY="));
}

TEST(Wishes, NonsenseIsRefusedWithWhatToWrite) {
  for (const char* text : {"", ":8", "H100:", "H100:0", "H100:-1", "H100:8..4", "H100:x"})
    EXPECT_FALSE(parse_gpu_wish(text)) << text;
  for (const char* text : {"80", "GiB", "0GiB", "48GiB..16GiB", "80GiB-"})
    EXPECT_FALSE(parse_gpu_memory_wish(text)) << text;
  for (const char* text : {"3", "0USD", "-3USD", "3usd", ""}) EXPECT_FALSE(parse_price(text)) << text;
  EXPECT_EQ(split_list("aws,,gcp"), (std::vector<std::string>{"aws", "gcp"}));
}

TEST(ExchangeRates, AreReadStatedAndUnknown) {
  auto rates = *ExchangeRates::load("CNY=7.1,EUR=0.9");
  EXPECT_EQ(rates.convert(Money{1'000'000'000, "USD"}, "CNY"), (Money{7'100'000'000, "CNY"}));
  EXPECT_EQ(rates.convert(Money{7'100'000'000, "CNY"}, "EUR"), (Money{900'000'000, "EUR"}));
  EXPECT_EQ(rates.convert(Money{1, "USD"}, "XXX"), std::nullopt);
  for (const char* text : {"CNY", "CNY=", "CNY=0", "CNY=-7", "cny=7", "USD=2", "CNY=7x", "CNY=nan"})
    EXPECT_FALSE(rates.state(text)) << text;
  EXPECT_EQ(ExchangeRates::load("")->per_usd("CNY"), std::nullopt);  // no source, no rate
}

}  // namespace
}  // namespace forebay
