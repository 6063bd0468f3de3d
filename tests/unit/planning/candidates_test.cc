#include "planning/candidates.h"

#include <gtest/gtest.h>

#include <numeric>

namespace forebay {
namespace {

constexpr const char* kOffers =
    "provider,instance_type,region,area,gpu,gpu_count,gpu_memory_mib,vcpu,memory_mib,local_nvme_gb,network_"
    "gbps,"
    "rdma,currency,on_demand,spot,committed_1y,committed_3y,derived,interruption,source,date\n"
    "aws,p4d.24xlarge,us-east-1,us,A100-SXM-40GB,8,40960,96,1179648,8000,400,EFA,USD,32,10,,,,5-10%,list,"
    "2026-07\n"
    "gcp,a2-highgpu-1g,europe-north1,eu,A100-SXM-40GB,1,40960,12,87040,,,none,USD,4,2,,,,,list,2026-08\n"
    "autodl,one,beijing,ap,RTX-4090,1,24564,16,122880,,,,CNY,2.1,,,,,,list,2026-08\n";

class Candidates : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto added = table_.add_csv(kOffers, "t.csv");
    ASSERT_TRUE(added) << added.error().sentence();
    rows_.resize(table_.size());
    std::iota(rows_.begin(), rows_.end(), 0u);
    need_.reference_time = Duration::from_seconds(36'000);
    need_.speed = [this](std::string_view gpu, double gpus, int) -> std::optional<double> {
      ++asked_;
      if (gpu == "RTX-4090") return std::nullopt;
      return gpus;
    };
    need_.power = [](std::string_view) { return Watts{400}; };
  }
  std::vector<Candidate> make(const char* currency = "USD", const char* rate = nullptr) {
    auto rates = ExchangeRates::load(rate == nullptr ? "" : rate);
    const auto carbon = CarbonTable::embedded();
    constexpr PriceKind kKinds[] = {PriceKind::kOnDemand, PriceKind::kSpot};
    return candidates_for(table_, rows_, kKinds, need_, *rates, currency, *carbon);
  }
  OfferTable table_;
  std::vector<std::uint32_t> rows_;
  WorkNeed need_;
  int asked_ = 0;
};

TEST_F(Candidates, EachWayToBuyIsOneAndWhatIsNotSoldSoIsNone) {
  const auto all = make();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].purchase, Purchase::kOnDemand);
  EXPECT_EQ(*all[0].price_nano, 32'000'000'000);
  EXPECT_EQ(all[1].purchase, Purchase::kSpot);
  EXPECT_EQ(*all[1].price_nano, 10'000'000'000);
  EXPECT_EQ(all[0].work, Duration::from_seconds(4500));
  EXPECT_FALSE(all[4].work) << "an accelerator without figures";
  EXPECT_EQ(asked_, 3) << "once for each combination";
}

TEST_F(Candidates, AnUnknownExchangeRateIsAnUnknownPrice) {
  EXPECT_FALSE(make()[4].price_nano);
  EXPECT_EQ(*make("USD", "CNY=7")[4].price_nano, 300'000'000);
  EXPECT_EQ(*make("CNY", "CNY=7")[0].price_nano, 224'000'000'000);
}

TEST_F(Candidates, InterruptionsComeFromTheClassOrFromWhatIsAssumed) {
  EXPECT_EQ(make()[1].between_interruptions, mean_time_between_interruptions({0.075}));
  EXPECT_FALSE(make()[3].between_interruptions) << "not known is not never";
  need_.assumed_interruptions = Probability{0.1};
  EXPECT_EQ(make()[3].between_interruptions, mean_time_between_interruptions({0.1}));
  EXPECT_EQ(make()[1].between_interruptions, mean_time_between_interruptions({0.075}));
}

TEST_F(Candidates, MemoryDecidesWhatFits) {
  EXPECT_EQ(make()[0].fits, MemoryFit::kUnknown);
  need_.memory_per_gpu = Bytes{30ll << 30};
  EXPECT_EQ(make()[0].fits, MemoryFit::kYes);
  EXPECT_EQ(make()[4].fits, MemoryFit::kNo);
}

TEST_F(Candidates, MoreNodesNeedTheRightNetwork) {
  need_.most_nodes = 2;
  EXPECT_EQ(make().size(), 10u);
  EXPECT_EQ(*make()[2].price_nano, 64'000'000'000);
  EXPECT_EQ(make()[2].nodes, 2);
  EXPECT_EQ(make()[2].work, Duration::from_seconds(2250));
  need_.needs_rdma_between_nodes = true;
  EXPECT_EQ(make().size(), 7u) << "only the machine with EFA is offered twice";
}

TEST_F(Candidates, CarbonIsThatOfTheRegion) {
  const auto all = make();
  const auto carbon = CarbonTable::embedded();
  const auto grid = carbon->find("aws", "us-east-1");
  ASSERT_TRUE(grid);
  EXPECT_DOUBLE_EQ(*all[0].grams_per_hour, grams_per_hour(Watts{8 * 400 + 96 * 2.4}, *grid));
  EXPECT_FALSE(all[4].grams_per_hour);
}

}  // namespace
}  // namespace forebay
