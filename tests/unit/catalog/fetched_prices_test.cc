#include "catalog/fetched_prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "catalog/offer_store.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

using ::testing::HasSubstr;

const std::string kSkyHeader =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n";

std::optional<Offer> find_offer(const OfferTable& table, std::string_view type, std::string_view region) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (const Offer offer = table.offer(i); offer.instance_type == type && offer.region == region)
      return offer;
  return std::nullopt;
}

class FetchedPrices : public ::testing::Test {
 protected:
  void SetUp() override {
    auto known = built_in_offers();
    ASSERT_TRUE(known) << known.error().sentence();
    known_ = *std::move(known);
  }
  OfferTable catalogue(const std::string& rows, const std::string& provider) {
    auto table = offers_from_skypilot(kSkyHeader + rows, "vms.csv", known_, provider, "2026-12-01");
    EXPECT_TRUE(table) << table.error().sentence();
    return table ? *std::move(table) : OfferTable();
  }
  std::string refusal(const std::string& csv) {
    const auto table = offers_from_skypilot(csv, "vms.csv", known_, "acme", "2026-12-01");
    EXPECT_FALSE(table);
    return table ? std::string() : table.error().sentence();
  }
  OfferTable known_;
};

TEST_F(FetchedPrices, AKnownMachineKeepsItsGpuCountAndMemory) {
  const OfferTable table =
      catalogue("g6f.large,L4,0,2,8,0.21,us-east-1,,0.09\ng5.xlarge,A10G,1,4,16,1.1,eu-west-1,,\n", "aws");
  const auto eighth = find_offer(table, "g6f.large", "us-east-1");
  ASSERT_TRUE(eighth);
  EXPECT_DOUBLE_EQ(eighth->gpu_count, 0.125);  // the catalogue says 0
  EXPECT_EQ(eighth->gpu_memory, Bytes{3072ll << 20});
  EXPECT_EQ(eighth->price(PriceKind::kSpot), (Money{90'000'000, "USD"}));
  EXPECT_FALSE(eighth->derived(PriceKind::kSpot));
  const auto a10g = find_offer(table, "g5.xlarge", "eu-west-1");
  ASSERT_TRUE(a10g);
  EXPECT_EQ(a10g->gpu_memory, Bytes{23028ll << 20});
  EXPECT_EQ(a10g->area, "eu");
  EXPECT_FALSE(a10g->price(PriceKind::kSpot));
  EXPECT_EQ(a10g->date, "2026-12-01");
}

TEST_F(FetchedPrices, AzuresH100OfACatalogueIsStillAnNvl) {
  const OfferTable table = catalogue("Standard_NC40ads_H100_v5,H100,1,40,320,6.5,westeurope,,\n", "azure");
  const auto offer = find_offer(table, "Standard_NC40ads_H100_v5", "westeurope");
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->gpu, "H100-NVL-94GB");
  EXPECT_EQ(offer->gpu_memory, Bytes{95830ll << 20});
}

TEST_F(FetchedPrices, AnUnknownMachineSaysWhatTheCatalogueSays) {
  const OfferTable table = catalogue(
      "cpu_4x,,,4,16,0.2,us-east-1,,\n"
      "gpu_1x_a6000,A6000,1.0,14.0,100.0,1.09,europe-south-1,\"{'Gpus': [{'Name': 'A6000', 'Count': 1.0, "
      "'MemoryInfo': {'SizeInMiB': 49152}}]}\",\n"
      "gpu_8x_h100_sxm5,H100,8,208,1800,23.92,us-west-2,,\ngpu_1x_h100,H100,1,26,200,2.5,us-west-2,,0\n",
      "lambda");
  EXPECT_EQ(table.size(), 3u);  // a machine without a GPU is no offer
  const auto a6000 = find_offer(table, "gpu_1x_a6000", "europe-south-1");
  ASSERT_TRUE(a6000);
  EXPECT_EQ(a6000->gpu_memory, Bytes{49152ll << 20});
  EXPECT_EQ(a6000->area, "eu");
  EXPECT_EQ(a6000->rdma, Rdma::kUnknown);
  EXPECT_EQ(find_offer(table, "gpu_8x_h100_sxm5", "us-west-2")->gpu, "H100-SXM-80GB");
  EXPECT_EQ(find_offer(table, "gpu_8x_h100_sxm5", "us-west-2")->gpu_memory, Bytes{81559ll << 20});
  EXPECT_EQ(find_offer(table, "gpu_1x_h100", "us-west-2")->gpu, "H100");  // SXM or PCIe: it does not say
  EXPECT_FALSE(find_offer(table, "gpu_1x_h100", "us-west-2")->price(PriceKind::kSpot));  // 0 is not a price
}

TEST_F(FetchedPrices, TpuSlicesAreToldApartAndCountedInChips) {
  const OfferTable table = catalogue(
      "TPU-VM,tpu-v5litepod-8,1,,,9.6,us-west4,,\nTPU-VM,tpu-v5litepod-4,1,,,4.8,us-west4,,\n"
      "TPU-VM,tpu-v4-16,1,,,25.76,us-central2,,\nTPU-VM,tpu-v4-8192,1,,,9000,us-central2,,\n",
      "gcp");
  ASSERT_EQ(table.size(), 3u);  // 4,096 chips are more than one machine
  const auto eight = find_offer(table, "tpu-v5litepod-8", "us-west4");
  ASSERT_TRUE(eight);
  EXPECT_EQ(eight->gpu, "TPU-v5e");
  EXPECT_EQ(eight->gpu_count, 8);
  EXPECT_EQ(eight->price_per_gpu(PriceKind::kOnDemand), (Money{1'200'000'000, "USD"}));
  EXPECT_EQ(find_offer(table, "tpu-v4-16", "us-central2")->gpu_count, 8);  // the name counts cores
}

TEST_F(FetchedPrices, OneTypeWithDifferentGpusIsSeveralOffers) {
  const OfferTable table =
      catalogue("pod,A10,1,4,16,1,r,,\npod,A10,2,8,32,2,r,,\npod,A10,2,8,32,1.8,r,,\n", "acme");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(find_offer(table, "pod", "r")->price(PriceKind::kOnDemand), (Money{1'000'000'000, "USD"}));
  EXPECT_EQ(find_offer(table, "pod:A10:2", "r")->price(PriceKind::kOnDemand), (Money{1'800'000'000, "USD"}));
}

TEST_F(FetchedPrices, OfSeveralZonesTheLowestPriceCounts) {
  const OfferTable table = catalogue("g,A10,1,4,16,1.5,r,,0.7\ng,A10,1,4,16,1.2,r,,0.9\n", "acme");
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.offer(0).price(PriceKind::kOnDemand), (Money{1'200'000'000, "USD"}));
  EXPECT_EQ(table.offer(0).price(PriceKind::kSpot), (Money{700'000'000, "USD"}));
}

TEST_F(FetchedPrices, DamageIsRefusedInOneSentence) {
  EXPECT_THAT(refusal(kSkyHeader + "g,A10,1,4,16,-1.5,r,,\n"), HasSubstr("vms.csv:2"));
  EXPECT_THAT(refusal(kSkyHeader + "cpu,,,4,16,12000,r,,\n"), HasSubstr("12000 USD per hour"));
  EXPECT_THAT(refusal(kSkyHeader + "g,A10,1,4,16,1.5,r"), HasSubstr("cut off"));
  EXPECT_THAT(refusal("<html>moved</html>\n"), HasSubstr("InstanceType"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
}

constexpr std::string_view kPage = R"({"BillingCurrency":"USD","Items":[
 {"currencyCode":"USD","retailPrice":7.5,"armRegionName":"westeurope","armSkuName":"Standard_NC40ads_H100_v5","productName":"NCads H100 v5 Series Linux","skuName":"NC40ads H100 v5","meterName":"NC40ads H100 v5","type":"Consumption"},
 {"currencyCode":"USD","retailPrice":9.9,"armRegionName":"westeurope","armSkuName":"Standard_NC40ads_H100_v5","productName":"NCads H100 v5 Series Windows","skuName":"NC40ads H100 v5","meterName":"NC40ads H100 v5","type":"Consumption"},
 {"currencyCode":"USD","retailPrice":3.0,"armRegionName":"westeurope","armSkuName":"Standard_NC40ads_H100_v5","productName":"NCads H100 v5 Series Linux","skuName":"NC40ads H100 v5 Spot","meterName":"NC40ads H100 v5 Spot","type":"Consumption"},
 {"currencyCode":"USD","retailPrice":1.0,"armRegionName":"westeurope","armSkuName":"Standard_NC40ads_H100_v5","productName":"x","skuName":"NC40ads H100 v5 Low Priority","meterName":"y","type":"Consumption"},
 {"currencyCode":"USD","retailPrice":43800.0,"armRegionName":"westeurope","armSkuName":"Standard_NC40ads_H100_v5","productName":"x","skuName":"y","meterName":"z","type":"Reservation","reservationTerm":"1 Year"},
 {"currencyCode":"USD","retailPrice":5.0,"armRegionName":"westeurope","armSkuName":"Standard_NX1_v9","productName":"x","skuName":"y","meterName":"z","type":"Consumption"}],
 "NextPageLink":"http://127.0.0.1/next","Count":6})";

TEST_F(FetchedPrices, AzurePagesGiveEveryKindOfPrice) {
  AzurePrices prices(known_, "2026-12-01");
  const auto next = prices.add_page(kPage, "page");
  ASSERT_TRUE(next) << next.error().sentence();
  EXPECT_EQ(*next, "http://127.0.0.1/next");
  EXPECT_EQ(prices.unknown_sizes(), 1u);
  const OfferTable table = std::move(prices).finish();
  ASSERT_EQ(table.size(), 1u);
  const Offer offer = table.offer(0);
  EXPECT_EQ(offer.gpu, "H100-NVL-94GB");
  EXPECT_EQ(offer.price(PriceKind::kOnDemand), (Money{7'500'000'000, "USD"}));  // not the price with Windows
  EXPECT_EQ(offer.price(PriceKind::kSpot), (Money{3'000'000'000, "USD"}));
  EXPECT_EQ(offer.price(PriceKind::kCommitted1y), (Money{5'000'000'000, "USD"}));  // 43,800 for 8,760 hours
  EXPECT_FALSE(offer.price(PriceKind::kCommitted3y));
}

TEST_F(FetchedPrices, AnAzurePageThatIsNoneIsRefused) {
  AzurePrices prices(known_, "2026-12-01");
  EXPECT_FALSE(prices.add_page(kPage.substr(0, kPage.size() / 2), "page"));
  EXPECT_FALSE(prices.add_page("{}", "page"));
  std::string absurd(kPage);
  absurd.replace(absurd.find("7.5"), 3, "-7.5");
  EXPECT_FALSE(prices.add_page(absurd, "page"));
}

class Snapshots : public FetchedPrices {
 protected:
  OfferTable offers(int count, const std::string& price) {
    std::string rows;
    for (int i = 0; i < count; ++i) rows += "m" + std::to_string(i) + ",A10,1,4,16," + price + ",r,,\n";
    return catalogue(rows, "acme");
  }
  static std::size_t files(const std::string& folder) {
    const auto names = list_directory(folder);
    return names ? names->size() : 0;
  }
  TemporaryFolder folder_;
  const Instant now_ = *parse_instant("2026-12-01T12:00Z");
  const Instant later_ = *parse_instant("2026-12-02T12:00Z");
};

TEST_F(Snapshots, TheNewestIsLaidOverTheBuiltInOffersAndTheOldStays) {
  ASSERT_TRUE(write_snapshot(folder_.path(), "acme", offers(4, "1.5"), now_, false));
  ASSERT_TRUE(write_snapshot(folder_.path(), "acme", offers(4, "1.25"), later_, false));
  EXPECT_EQ(files(folder_.path()), 2u);
  const auto loaded = load_offers(folder_.path());
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->problems.empty());
  EXPECT_EQ(loaded->table.size(), known_.size() + 4);
  EXPECT_EQ(find_offer(loaded->table, "m3", "r")->price(PriceKind::kOnDemand), (Money{1'250'000'000, "USD"}));
}

TEST_F(Snapshots, HalfAFileAnEmptyOneAndAClockIn1970ChangeNothing) {
  ASSERT_TRUE(write_snapshot(folder_.path(), "acme", offers(10, "1.5"), now_, false));
  const auto half = write_snapshot(folder_.path(), "acme", offers(4, "1"), later_, false);
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().sentence(), HasSubstr("half a file"));
  EXPECT_FALSE(write_snapshot(folder_.path(), "acme", OfferTable(), later_, true));
  const auto old_clock = write_snapshot(folder_.path(), "acme", offers(10, "1"), Instant{0}, true);
  ASSERT_FALSE(old_clock);
  EXPECT_THAT(old_clock.error().sentence(), HasSubstr("1970-01-01"));
  EXPECT_EQ(files(folder_.path()), 1u);
  EXPECT_TRUE(write_snapshot(folder_.path(), "acme", offers(4, "1"), later_, true));  // --force
}

TEST_F(Snapshots, ADamagedOneIsSaidAndLeftOut) {
  const auto path = write_snapshot(folder_.path(), "acme", offers(2, "1.5"), now_, false);
  ASSERT_TRUE(path);
  const auto whole = read_file(*path);
  ASSERT_TRUE(write_file_atomic(*path, whole->substr(0, whole->size() - 5)));
  const auto loaded = load_offers(folder_.path());
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->problems.size(), 1u);
  EXPECT_THAT(loaded->problems.front(), HasSubstr("cut off"));
  EXPECT_EQ(loaded->table.size(), known_.size());
}

}  // namespace
}  // namespace forebay
