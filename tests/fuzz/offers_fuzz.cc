// Offer tables, catalogues and price pages from outside: any bytes give offers or an error, and what was read
// can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catalog/fetched_prices.h"
#include "catalog/offer_filter.h"
#include "catalog/offer_store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace forebay;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const OfferTable known;
  OfferTable table;
  if (table.add_csv(text, "offers")) {
    OfferTable again;
    if (table.size() > 0 && !again.add_csv(offers_as_csv(table), "again")) std::abort();
  }
  (void)offers_from_skypilot(text, "catalogue", known, "acme", "2026-12-01");
  AzurePrices prices(known, "2026-12-01");
  (void)prices.add_page(text, "page");
  (void)parse_gpu_wish(text);
  (void)parse_gpu_memory_wish(text);
  (void)parse_price(text);
  ExchangeRates rates;
  (void)rates.state(text);
  (void)ExchangeRates::parse(text, "rates");
  return 0;
}
