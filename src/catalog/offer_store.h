// The offers at hand: those in the program, and over them the newest snapshot of each provider that
// `forebay offers update` has written. Old snapshots stay, so that a plan made with them can be explained.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "catalog/offer_table.h"

namespace forebay {

struct LoadedOffers {
  OfferTable table;
  std::vector<std::string> problems;  // sentences: snapshots that could not be read and were left out
};

// The offers of the program alone. An error is a fault of the build.
Result<OfferTable> built_in_offers();
// `folder`: <state folder>/data/offers, which need not exist.
Result<LoadedOffers> load_offers(const std::string& folder);
std::string offer_folder(const std::string& state_folder);

// The path of the provider's newest snapshot, or "".
std::string newest_snapshot(const std::string& folder, const std::string& provider);
// Writes FOLDER/PROVIDER-TIME.csv whole or not at all and returns its path. Refuses (kInvalidInput) an empty
// table, a clock before 2015, and, unless `accept_fewer`, one with fewer than half the rows of the provider's
// newest snapshot: half a file looks like that. Rows that could not be
// read again (an absurd price, a date before 2015) are an error too.
Result<std::string> write_snapshot(const std::string& folder, const std::string& provider,
                                   const OfferTable& table, Instant now, bool accept_fewer);

// How old the prices of one provider are.
struct PriceAge {
  std::string provider;
  std::string oldest, newest;               // dates of rows that have a price
  std::optional<std::int64_t> oldest_days;  // at `now`; at least, when the date is a month
};
// Of these rows, by provider.
std::vector<PriceAge> price_ages(const OfferTable& table, std::span<const std::uint32_t> rows, Instant now);

}  // namespace forebay
