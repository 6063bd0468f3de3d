// Choosing among 100,000 offers (bar: 10 ms), and reading those that come with the program.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "catalog/offer_filter.h"
#include "catalog/offer_store.h"

namespace forebay {
namespace {

constexpr std::size_t kOffers = 100'000;

// The built-in offers again and again, each time in regions and with instance types of other names.
const OfferTable& many_offers() {
  static const OfferTable table = [] {
    auto seed = built_in_offers();
    if (!seed) std::abort();
    OfferTable many;
    many.overlay(*seed);
    const std::size_t count = many.size();
    for (std::size_t i = count; i < kOffers; ++i) {
      OfferRow row = many.rows()[i % count];
      const std::string copy = "-" + std::to_string(i / count);
      row.region = many.intern(std::string(many.text(row.region)) + copy);
      row.instance_type = many.intern(std::string(many.text(row.instance_type)) + copy);
      many.add(row);
    }
    return many;
  }();
  return table;
}

void choose(benchmark::State& state, const OfferFilter& filter, std::size_t limit) {
  const OfferTable& table = many_offers();
  const auto rates = ExchangeRates::load("CNY=7.1");
  if (!rates) std::abort();
  std::size_t matching = 0;
  for (auto _ : state) {
    auto selection = select_offers(table, filter, *rates, limit);
    if (!selection) std::abort();
    matching = selection->matching;
    benchmark::DoNotOptimize(selection->rows.data());
  }
  state.counters["offers"] = static_cast<double>(table.size());
  state.counters["matching"] = static_cast<double>(matching);
}

OfferFilter narrow() {
  OfferFilter filter;
  filter.gpus = {*parse_gpu_wish("A100*:4+"), *parse_gpu_wish("H100:8")};
  filter.gpu_memory = *parse_gpu_memory_wish("80GiB+");
  filter.regions = {"eu-*", "us-*"};
  filter.providers = {"aws", "azure"};
  filter.vcpu = *parse_number_range("16+", "vCPUs");
  return filter;
}

void narrow_filter(benchmark::State& state) {
  choose(state, narrow(), 20);
}
BENCHMARK(narrow_filter)->Unit(benchmark::kMillisecond);

void maximum_price_in_another_currency(benchmark::State& state) {
  OfferFilter filter;
  filter.max_price_per_gpu = *parse_price("20CNY");
  filter.order = OfferOrder::kPricePerGpu;
  choose(state, filter, 20);
}
BENCHMARK(maximum_price_in_another_currency)->Unit(benchmark::kMillisecond);

void no_filter_first_twenty(benchmark::State& state) {
  choose(state, {}, 20);
}
BENCHMARK(no_filter_first_twenty)->Unit(benchmark::kMillisecond);

void no_filter_all_sorted(benchmark::State& state) {
  choose(state, {}, 0);
}
BENCHMARK(no_filter_all_sorted)->Unit(benchmark::kMillisecond);

void read_built_in_offers(benchmark::State& state) {
  for (auto _ : state) {
    auto table = built_in_offers();
    if (!table) std::abort();
    benchmark::DoNotOptimize(table->size());
  }
}
BENCHMARK(read_built_in_offers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace forebay
