#include "planning/candidates.h"

#include <cmath>
#include <map>
#include <unordered_map>

namespace forebay {
namespace {

// Of the host beside its GPUs, per vCPU under half load: the mean over the processor generations in Cloud
// Carbon Footprint's AWS coefficients (1.0 W idle, 3.8 W busy).
constexpr double kWattsPerVcpu = 2.4;

Purchase purchase_of(PriceKind kind) {
  if (kind == PriceKind::kSpot) return Purchase::kSpot;
  return kind == PriceKind::kOnDemand ? Purchase::kOnDemand : Purchase::kCommitted;
}

struct Devices {
  std::uint32_t gpu;
  int nodes;
  double count;
  bool operator==(const Devices&) const = default;
};
struct DevicesHash {
  std::size_t operator()(const Devices& devices) const {
    return std::hash<double>()(devices.count) ^
           (std::uint64_t{devices.gpu} << 32 | static_cast<std::uint32_t>(devices.nodes));
  }
};

// The figures that many rows share, asked for once.
class Shared {
 public:
  Shared(const OfferTable& table, const WorkNeed& need, const CarbonTable& carbon)
      : table_(table), need_(need), carbon_(carbon) {}

  std::optional<Duration> work(const OfferRow& row, int nodes) {
    if (!need_.reference_time || !need_.speed) return std::nullopt;
    const auto [at, is_new] = work_.try_emplace(Devices{row.gpu, nodes, row.gpu_count});
    if (is_new) {
      const auto speed = need_.speed(table_.text(row.gpu), row.gpu_count * nodes, nodes);
      if (speed && *speed > 0 && std::isfinite(*speed))
        at->second = Duration::from_seconds(need_.reference_time->seconds() / *speed);
    }
    return at->second;
  }

  std::optional<double> grams(const OfferRow& row) {
    const auto [at, is_new] = grid_.try_emplace(std::uint64_t{row.provider} << 32 | row.region);
    if (is_new) at->second = carbon_.find(table_.text(row.provider), table_.text(row.region));
    if (!at->second) return std::nullopt;
    const auto [drawn, is_new_gpu] = power_.try_emplace(row.gpu);
    if (is_new_gpu && need_.power) drawn->second = need_.power(table_.text(row.gpu));
    if (!drawn->second) return std::nullopt;
    const double host = row.vcpu > 0 ? row.vcpu * kWattsPerVcpu : 0;
    return grams_per_hour(Watts{drawn->second->value * row.gpu_count + host}, *at->second);
  }

 private:
  const OfferTable& table_;
  const WorkNeed& need_;
  const CarbonTable& carbon_;
  std::unordered_map<Devices, std::optional<Duration>, DevicesHash> work_;
  std::unordered_map<std::uint64_t, std::optional<GridCarbon>> grid_;  // by provider and region
  std::unordered_map<std::uint32_t, std::optional<Watts>> power_;
};

MemoryFit fit_of(const OfferRow& row, const WorkNeed& need) {
  if (!need.memory_per_gpu || row.gpu_memory < 0) return MemoryFit::kUnknown;
  return row.gpu_memory >= need.memory_per_gpu->count ? MemoryFit::kYes : MemoryFit::kNo;
}

std::optional<Duration> between_interruptions(const OfferRow& row, const WorkNeed& need) {
  auto share = monthly_interruptions(row.interruption);
  if (!share) share = need.assumed_interruptions;
  return share ? mean_time_between_interruptions(*share) : std::nullopt;
}

}  // namespace

std::optional<Probability> monthly_interruptions(Interruption interruption) {
  switch (interruption) {
    case Interruption::kUnknown:
      return std::nullopt;
    case Interruption::kBelow5:
      return Probability{0.025};
    case Interruption::k5To10:
      return Probability{0.075};
    case Interruption::k10To15:
      return Probability{0.125};
    case Interruption::k15To20:
      return Probability{0.175};
    case Interruption::kAbove20:
      return Probability{0.25};
  }
  return std::nullopt;
}

std::vector<Candidate> candidates_for(const OfferTable& table, std::span<const std::uint32_t> rows,
                                      std::span<const PriceKind> kinds, const WorkNeed& need,
                                      const ExchangeRates& rates, std::string_view currency,
                                      const CarbonTable& carbon) {
  Shared shared(table, need, carbon);
  std::map<std::uint32_t, std::optional<double>> factors;  // from an offer's currency into the asked one
  const auto factor = [&](std::uint32_t from) {
    const auto [at, is_new] = factors.try_emplace(from);
    if (!is_new) return at->second;
    const auto from_rate = rates.per_usd(table.text(from)), to_rate = rates.per_usd(currency);
    if (table.text(from) == currency)
      at->second = 1;
    else if (from_rate && to_rate)
      at->second = *to_rate / *from_rate;
    return at->second;
  };
  std::vector<Candidate> all;
  all.reserve(rows.size() * kinds.size());
  for (const std::uint32_t index : rows) {
    const OfferRow& row = table.rows()[index];
    for (int nodes = need.fewest_nodes; nodes <= need.most_nodes; ++nodes) {
      if (nodes > 1 && need.needs_rdma_between_nodes &&
          (row.rdma == Rdma::kUnknown || row.rdma == Rdma::kNone))
        continue;
      Candidate one;
      one.id = index;
      one.nodes = static_cast<std::uint16_t>(nodes);
      one.fits = fit_of(row, need);
      one.work = shared.work(row, nodes);
      if (const auto grams = shared.grams(row)) one.grams_per_hour = *grams * nodes;
      for (const PriceKind kind : kinds) {
        const std::int64_t price = row.prices[static_cast<std::size_t>(kind)];
        if (price < 0 && kind != PriceKind::kOnDemand) continue;
        one.purchase = purchase_of(kind);
        one.price_nano.reset();
        if (const auto rate = factor(row.currency); price >= 0 && rate)
          one.price_nano =
              *rate == 1 ? price * nodes : std::llround(static_cast<double>(price) * *rate) * nodes;
        one.between_interruptions.reset();
        if (kind == PriceKind::kSpot) one.between_interruptions = between_interruptions(row, need);
        all.push_back(one);
      }
    }
  }
  return all;
}

}  // namespace forebay
