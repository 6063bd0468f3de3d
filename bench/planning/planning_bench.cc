// A plan over 100,000 offers: candidates, on demand and spot, and their ranking (bar: 25 ms).
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <numeric>
#include <string>

#include "catalog/accelerator_table.h"
#include "catalog/offer_store.h"
#include "planning/candidates.h"
#include "planning/relative_speed.h"

namespace forebay {
namespace {

constexpr std::size_t kOffers = 100'000;

// The built-in offers again and again, with other instance types.
OfferTable many_offers() {
  auto seed = built_in_offers();
  if (!seed) std::abort();
  OfferTable many;
  many.overlay(*seed);
  const std::size_t count = many.size();
  for (std::size_t i = count; i < kOffers; ++i) {
    OfferRow row = many.rows()[i % count];
    row.instance_type =
        many.intern(std::string(many.text(row.instance_type)) + "-" + std::to_string(i / count));
    many.add(row);
  }
  return many;
}

void plan(benchmark::State& state) {
  const OfferTable table = many_offers();
  auto accelerators = AcceleratorTable::embedded();
  const auto model = RelativeSpeedModel::embedded();
  const auto carbon = CarbonTable::embedded();
  const auto rates = ExchangeRates::load("CNY=7.1");
  if (!accelerators || !model || !carbon || !rates) std::abort();
  const DeviceSet reference{accelerators->find("A100"), 1};
  WorkNeed need;
  need.memory_per_gpu = Bytes{20ll << 30};
  need.reference_time = Duration::from_seconds(36'000);
  need.assumed_interruptions = Probability{0.1};
  need.speed = [&](std::string_view gpu, double gpus, int) -> std::optional<double> {
    const auto ratio = relative_speed(*model, {accelerators->find(gpu), gpus}, reference);
    return ratio ? std::optional(ratio->likely) : std::nullopt;
  };
  need.power = [&](std::string_view gpu) -> std::optional<Watts> {
    const Accelerator* part = accelerators->find(gpu);
    return part != nullptr ? part->power : std::nullopt;
  };
  PlanConditions conditions;
  conditions.deadline = Duration::from_seconds(100'000);
  conditions.checkpoint = {Duration::from_seconds(30), Duration::from_seconds(600), std::nullopt};
  std::vector<std::uint32_t> rows(table.size());
  std::iota(rows.begin(), rows.end(), 0u);
  constexpr PriceKind kKinds[] = {PriceKind::kOnDemand, PriceKind::kSpot};
  std::size_t count = 0;
  for (auto _ : state) {
    const auto candidates = candidates_for(table, rows, kKinds, need, *rates, "USD", *carbon);
    const auto ranking = rank(candidates, conditions, PlanWeights{1, 0.5, 0});
    count = candidates.size();
    benchmark::DoNotOptimize(ranking.data());
  }
  state.counters["candidates"] = static_cast<double>(count);
}
BENCHMARK(plan)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace forebay
