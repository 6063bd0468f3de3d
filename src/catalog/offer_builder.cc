#include <algorithm>
#include <array>
#include <cstdlib>

#include "catalog/fetched_prices.h"

namespace forebay {
namespace {

// Beginnings of region names whose area is plain.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kAreas{{{"eu", "eu"},
                                                                                {"us", "us"},
                                                                                {"ca-", "ca"},
                                                                                {"ap-", "ap"},
                                                                                {"asia", "ap"},
                                                                                {"australia", "ap"},
                                                                                {"me-", "me"},
                                                                                {"af-", "af"},
                                                                                {"africa", "af"},
                                                                                {"sa-", "sa"},
                                                                                {"southamerica", "sa"},
                                                                                {"mx-", "mx"}}};

std::string place_key(std::string_view instance_type, std::string_view region) {
  return std::string(instance_type) + '\n' + std::string(region);
}

}  // namespace

OfferBuilder::OfferBuilder(const OfferTable& known, std::string provider, std::string source,
                           std::string date)
    : known_(known), provider_(std::move(provider)), source_(std::move(source)), date_(std::move(date)) {
  for (const OfferRow& row : known.rows()) {
    areas_.emplace(known.text(row.region), known.text(row.area));
    if (row.gpu_count >= 1 && row.gpu_memory > 0) {
      const auto [place, is_new] = memory_.emplace(known.text(row.gpu), row.gpu_memory);
      if (!is_new) place->second = std::min(place->second, row.gpu_memory);
    }
    if (known.text(row.provider) != provider_) continue;
    by_type_.emplace(known.text(row.instance_type), &row);
    by_place_.emplace(place_key(known.text(row.instance_type), known.text(row.region)), &row);
  }
}

void OfferBuilder::place(OfferRow& row, std::string_view region) {
  row.provider = table_.intern(provider_);
  row.region = table_.intern(region);
  row.source = table_.intern(source_);
  row.date = table_.intern(date_);
  row.currency = table_.intern("USD");
  std::string_view area;
  if (const auto found = areas_.find(region); found != areas_.end()) {
    area = found->second;
  } else {
    for (const auto& [beginning, name] : kAreas)
      if (area.empty() && region.starts_with(beginning)) area = name;
  }
  row.area = table_.intern(area);
}

std::optional<OfferRow> OfferBuilder::known_machine(std::string_view instance_type, std::string_view region) {
  const auto found = by_type_.find(instance_type);
  if (found == by_type_.end()) return std::nullopt;
  OfferRow row = *found->second;
  row.instance_type = table_.intern(instance_type);
  row.gpu = table_.intern(known_.text(found->second->gpu));
  row.prices.fill(-1);
  row.derived = 0;
  const auto same_place = by_place_.find(place_key(instance_type, region));
  row.interruption =
      same_place == by_place_.end() ? Interruption::kUnknown : same_place->second->interruption;
  place(row, region);
  return row;
}

OfferRow OfferBuilder::new_machine(std::string_view instance_type, std::string_view region,
                                   std::string_view gpu) {
  OfferRow row;
  row.instance_type = table_.intern(instance_type);
  row.gpu = table_.intern(gpu);
  place(row, region);
  return row;
}

std::int64_t OfferBuilder::usable_memory(std::string_view gpu) const {
  const auto found = memory_.find(gpu);
  return found == memory_.end() ? -1 : found->second;
}

OfferRow& OfferBuilder::offer(const OfferRow& fresh) {
  const std::uint64_t key = std::uint64_t{fresh.instance_type} << 32 | fresh.region;
  const auto [place, is_new] = index_.emplace(key, rows_.size());
  if (is_new) rows_.push_back(fresh);
  return rows_[place->second];
}

OfferTable OfferBuilder::finish() && {
  for (const OfferRow& row : rows_) table_.add(row);
  return std::move(table_);
}

}  // namespace forebay
