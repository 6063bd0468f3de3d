// From what a job needs and what can be rented to the candidates that `rank` chooses among.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/carbon.h"
#include "catalog/exchange_rates.h"
#include "catalog/offer_table.h"
#include "planning/rank.h"

namespace forebay {

struct WorkNeed {
  // On each accelerator, the upper end of the estimate. Absent: not known, so whether the job fits is not
  // either.
  std::optional<Bytes> memory_per_gpu;
  // How long the work takes on the reference machine. Absent: not known.
  std::optional<Duration> reference_time;
  // How many times the reference's speed a job gets on `gpus` accelerators of this id together, in `nodes`
  // machines; nothing when a figure is missing. Asked once for each different combination.
  std::function<std::optional<double>(std::string_view gpu, double gpus, int nodes)> speed;
  // What one accelerator of this id draws under load; nothing when it is not known.
  std::function<std::optional<Watts>(std::string_view gpu)> power;
  std::uint16_t fewest_nodes = 1, most_nodes = 1;
  bool needs_rdma_between_nodes = false;
  // The share of spot machines that are taken back in a month, where the offer has no class of its own.
  std::optional<Probability> assumed_interruptions;
};

// The middle of the class; 25 % for the open one. Nothing for kUnknown.
std::optional<Probability> monthly_interruptions(Interruption interruption);

// One candidate for each row, node count and price kind that has a price or could have one (a spot price that
// is not known is no candidate: not every machine is sold so). `Candidate::id` is the row. Prices are in
// `currency`; one that cannot be converted is unknown.
std::vector<Candidate> candidates_for(const OfferTable& table, std::span<const std::uint32_t> rows,
                                      std::span<const PriceKind> kinds, const WorkNeed& need,
                                      const ExchangeRates& rates, std::string_view currency,
                                      const CarbonTable& carbon);

}  // namespace forebay
