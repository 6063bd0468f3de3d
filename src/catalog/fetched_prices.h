// Price lists of others, turned into offers: what `forebay offers update` reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "base/result.h"
#include "catalog/offer_table.h"

namespace forebay {

// Makes offers of one provider out of bare prices, with what is already known of its machines: a known
// instance type keeps its GPU, its count (catalogues say 0 or "H100" where it is an eighth or an NVL), memory
// and network.
class OfferBuilder {
 public:
  // `known` must outlive the builder.
  OfferBuilder(const OfferTable& known, std::string provider, std::string source, std::string date);

  // What is known of an instance type, as a row of the table being built with no price in it; nothing when it
  // is not known.
  std::optional<OfferRow> known_machine(std::string_view instance_type, std::string_view region);
  // A row for a machine that is not known, with texts set and no figures.
  OfferRow new_machine(std::string_view instance_type, std::string_view region, std::string_view gpu);
  // Usable memory of one whole GPU of this id, where some offer says it; -1 otherwise.
  std::int64_t usable_memory(std::string_view gpu) const;
  // The offer of this instance type and region, to set or lower its prices; made from `fresh` when it is new.
  OfferRow& offer(const OfferRow& fresh);
  OfferTable& texts() { return table_; }
  OfferTable finish() &&;

 private:
  void place(OfferRow& row, std::string_view region);
  const OfferTable& known_;
  std::string provider_, source_, date_;
  std::unordered_map<std::string_view, const OfferRow*> by_type_;
  std::unordered_map<std::string, const OfferRow*> by_place_;
  std::unordered_map<std::string_view, std::string_view> areas_;
  std::unordered_map<std::string_view, std::int64_t> memory_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<OfferRow> rows_;
  OfferTable table_;
};

// A catalogue file in the layout SkyPilot publishes (InstanceType, AcceleratorName, AcceleratorCount, vCPUs,
// MemoryGiB, Price, Region, SpotPrice, …), USD per hour. Machines without accelerators are left out; of
// several zones of a region the lowest price counts. A negative or absurd price, or a file that is cut off,
// is an error.
Result<OfferTable> offers_from_skypilot(std::string csv, const std::string& name, const OfferTable& known,
                                        const std::string& provider, const std::string& date);

// Pages of the Azure Retail Prices API, one after the other: https://prices.azure.com/api/retail/prices.
class AzurePrices {
 public:
  AzurePrices(const OfferTable& known, const std::string& date);
  // Takes over one page; returns the address of the next one, empty at the end. Windows, low-priority and
  // dev/test prices are passed over; a reservation's price is for its whole term and is divided by its hours.
  Result<std::string> add_page(std::string_view json, const std::string& name);
  std::size_t unknown_sizes() const { return unknown_sizes_; }  // prices of sizes whose GPUs are not known
  OfferTable finish() && { return std::move(builder_).finish(); }

 private:
  Result<void> add_item(const Json& item, const std::string& name);
  OfferBuilder builder_;
  std::size_t unknown_sizes_ = 0;
};
// The address of the first page: GPU machines only. `base` ends before the "?".
std::string azure_first_page(const std::string& base);

}  // namespace forebay
