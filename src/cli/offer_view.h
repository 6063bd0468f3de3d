// Offers as `forebay offers` shows them: a table for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "catalog/exchange_rates.h"
#include "catalog/offer_filter.h"
#include "catalog/offer_store.h"
#include "cli/console.h"

namespace forebay {

struct OfferView {
  const OfferTable& table;
  const OfferSelection& selection;
  const ExchangeRates& rates;
  PriceKind kind = PriceKind::kOnDemand;
  std::string currency;  // prices are shown in it; empty: each in its own
};

std::string offers_text(const OfferView& view, const Console& console);
Json offers_json(const OfferView& view, const std::vector<PriceAge>& ages);
// "aws: prices of 2026-07, at least 123 days old; …"
std::string ages_sentence(const std::vector<PriceAge>& ages);

}  // namespace forebay
