#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/fetched_prices.h"

namespace forebay {
namespace {

constexpr double kHoursPerYear = 8760;

// Which price an item states, and over how many hours; nothing for what is passed over.
struct ItemPrice {
  PriceKind kind;
  double hours;
};

std::optional<ItemPrice> price_of(const Json& item) {
  const auto holds = [&](std::string_view member, std::string_view word) {
    return item[member].string_or_empty().find(word) != std::string::npos;
  };
  if (holds("productName", "Windows") || holds("skuName", "Low Priority") ||
      holds("meterName", "Low Priority"))
    return std::nullopt;
  const std::string& type = item["type"].string_or_empty();
  if (type == "Reservation") {
    const std::string& term = item["reservationTerm"].string_or_empty();
    if (term == "1 Year") return ItemPrice{PriceKind::kCommitted1y, kHoursPerYear};
    if (term == "3 Years") return ItemPrice{PriceKind::kCommitted3y, 3 * kHoursPerYear};
    return std::nullopt;
  }
  if (type != "Consumption") return std::nullopt;
  return ItemPrice{
      holds("skuName", "Spot") || holds("meterName", "Spot") ? PriceKind::kSpot : PriceKind::kOnDemand, 1};
}

}  // namespace

AzurePrices::AzurePrices(const OfferTable& known, const std::string& date)
    : builder_(known, "azure", "Azure retail prices", date) {}

Result<std::string> AzurePrices::add_page(std::string_view text, const std::string& name) {
  FOREBAY_TRY(const Json page, Json::parse(text, name));
  if (!page["Items"].is_array())
    return make_error(ErrorCode::kInvalidInput, "read", name,
                      std::string(tr("it holds no list of prices (\"Items\")")));
  for (const Json& item : page["Items"].items()) FOREBAY_CHECK(add_item(item, name));
  return page["NextPageLink"].string_or_empty();
}

Result<void> AzurePrices::add_item(const Json& item, const std::string& name) {
  const auto price = price_of(item);
  const std::string& size = item["armSkuName"].string_or_empty();
  const std::string& region = item["armRegionName"].string_or_empty();
  const auto amount = item["retailPrice"].as_double();
  if (!price || size.empty() || region.empty() || !amount || *amount == 0) return {};
  const double per_hour = *amount / price->hours;
  if (!(per_hour > 0) || per_hour > kAbsurdPricePerHour)
    return make_error(ErrorCode::kInvalidInput, "read", name,
                      fmt::format(fmt::runtime(tr("{0} in {1}: a price of {2} per hour makes no sense")),
                                  size, region, per_hour));
  auto fresh = builder_.known_machine(size, region);
  if (!fresh) {
    ++unknown_sizes_;
    return {};
  }
  if (const std::string& currency = item["currencyCode"].string_or_empty(); !currency.empty())
    fresh->currency = builder_.texts().intern(currency);
  OfferRow& offer = builder_.offer(*fresh);
  if (offer.currency != fresh->currency)
    return make_error(ErrorCode::kInvalidInput, "read", name,
                      fmt::format(fmt::runtime(tr("{0} in {1} has prices in two currencies")), size, region));
  offer.prices[static_cast<std::size_t>(price->kind)] = std::llround(per_hour * 1e9);
  return {};
}

std::string azure_first_page(const std::string& base) {
  return base +
         "?$filter=serviceName%20eq%20%27Virtual%20Machines%27%20and%20contains(armSkuName,%20%27Standard_N%"
         "27)";
}

}  // namespace forebay
