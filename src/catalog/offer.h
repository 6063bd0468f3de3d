// A machine that can be rented: what is in it and what it costs. What is not known is absent, never 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace forebay {

// How the network moves data between machines without their processors.
enum class Rdma : std::uint8_t { kUnknown, kNone, kEfa, kInfiniBand, kRoce };
enum class PriceKind : std::uint8_t { kOnDemand, kSpot, kCommitted1y, kCommitted3y };
constexpr std::size_t kPriceKinds = 4;
// How many spot machines are taken back within a month, in the classes AWS publishes.
enum class Interruption : std::uint8_t { kUnknown, kBelow5, k5To10, k10To15, k15To20, kAbove20 };

// Stable names, the same in tables, options and JSON: "EFA", "none"; empty for kUnknown.
std::string_view rdma_name(Rdma rdma);
std::optional<Rdma> rdma_named(std::string_view name);  // any case; nothing for an unknown word
std::string_view price_kind_name(PriceKind kind);       // "on_demand", "spot", "committed_1y", "committed_3y"
std::optional<PriceKind> price_kind_named(std::string_view name);
std::string_view interruption_name(Interruption interruption);  // "<5%", "5-10%" … ">20%"
std::optional<Interruption> interruption_named(std::string_view name);

// "8", "1/8": a share of a GPU as the fraction it is, when it is one (within 1 %).
std::string format_gpu_count(double count);
// The other way: "8", "0.5", "1/8"; nothing when it is not a number above 0 and at most 100,000.
std::optional<double> parse_gpu_count(std::string_view text);

// One row of an OfferTable, as values. The texts belong to the table.
struct Offer {
  std::string_view provider;        // "aws"
  std::string_view instance_type;   // as the provider calls it
  std::string_view region;          // as the provider calls it
  std::string_view area;            // eu us ca mx ap sa me af; empty: unknown
  std::string_view gpu;             // id of data/accelerators.csv
  double gpu_count = 0;             // below 1: a share of one GPU
  std::optional<Bytes> gpu_memory;  // usable on one GPU (or on the share), as its driver reports it
  std::optional<double> vcpu;
  std::optional<Bytes> memory, local_nvme;
  std::optional<ByteRate> network;  // of the machine, every link together
  Rdma rdma = Rdma::kUnknown;
  Interruption interruption = Interruption::kUnknown;
  // Per hour for the whole machine, in the provider's own currency.
  std::array<std::optional<Money>, kPriceKinds> prices;
  // Worked out from a ratio instead of read from a price list.
  std::array<bool, kPriceKinds> is_derived{};
  std::string_view source, date;  // date: "2026-07-14", or "2026-07" when only the month is known

  const std::optional<Money>& price(PriceKind kind) const { return prices[static_cast<std::size_t>(kind)]; }
  bool derived(PriceKind kind) const { return is_derived[static_cast<std::size_t>(kind)]; }
  // The machine's price divided by its GPUs: for an eighth of a GPU, eight times the price.
  std::optional<Money> price_per_gpu(PriceKind kind) const;
};

// How old figures of a date ("2026-07-14", "2026-07") are at `now`, in whole days; of a month, counted from
// its last day ("at least"). Nothing when it is no date; negative when it lies ahead.
std::optional<std::int64_t> days_old(std::string_view date, Instant now);

}  // namespace forebay
