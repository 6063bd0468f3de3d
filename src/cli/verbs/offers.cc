// forebay offers: what can be rented, from whom and for how much.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/installation.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/offer_view.h"
#include "cli/verb_list.h"

namespace forebay {
namespace {

constexpr std::size_t kUsualRows = 20;

// Sets `target` from an option that was given.
template <typename Target, typename Read>
Result<void> read_into(Target& target, const std::string& text, const Read& read) {
  if (text.empty()) return {};
  FOREBAY_TRY(target, read(text));
  return {};
}

class OffersVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.option_list("--gpu", gpus_, "NAME[:COUNT]",
                     "GPU and how many on one machine: H100:8, 'A100*:4+' (at least), A10:2..4, L4:1/8; may "
                     "be repeated for "
                     "alternatives");
    line.option("--memory", memory_, "SIZE",
                "memory of one GPU: 80GiB+ (at least), 24GiB, 16GiB..48GiB; in GiB the number on the box, in "
                "MiB the usable "
                "memory");
    line.option("--region", regions_, "GLOBS",
                "regions, as the provider calls them or by area: 'eu-*' is every region in Europe (eu us ca "
                "mx ap sa me af)");
    line.option("--provider", providers_, "NAMES", "providers, with commas: aws,gcp");
    line.option("--instance", types_, "GLOBS", "instance types: 'p5.*'");
    line.option("--vcpu", vcpu_, "COUNT", "vCPUs of the machine: 16+, 8..32");
    line.option("--host-memory", host_memory_, "SIZE", "memory of the machine: 64GiB+");
    line.option("--rdma", rdma_, "KIND",
                "only machines whose network has RDMA: any, EFA, InfiniBand or RoCE");
    line.flag("--spot", spot_, "spot prices, and how many such machines are taken back within a month");
    line.option("--committed", committed_, "TERM", "prices with a commitment", {"1y", "3y"});
    line.option("--max-price", max_price_, "PRICE", "at most so much per hour for the whole machine: 3USD");
    line.option("--max-price-per-gpu", max_price_per_gpu_, "PRICE", "at most so much per hour and GPU");
    line.option("--sort", sort_, "KEY",
                "what stands first: the lowest price, the lowest price per GPU, the most GPU memory",
                {"price", "price-per-gpu", "memory"});
    line.option("--currency", currency_, "CODE", "show prices in this currency (USD, CNY …)");
    line.option_list(
        "--rate", rates_, "CODE=RATE",
        "how much of a currency one USD is: CNY=7.1; else FOREBAY_RATES=CNY=7.1,EUR=0.9 is read");
    line.option("-n,--limit", limit_, "N", "at most so many rows, 0: all (default: 20, all with --csv)");
    line.flag("--csv", csv_, "print CSV in the schema of the offer table");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const OfferFilter filter, filter_asked_for());
    FOREBAY_TRY(const ExchangeRates rates, rates_stated());
    FOREBAY_TRY(const std::size_t limit, rows_asked_for());
    FOREBAY_TRY(const LoadedOffers loaded, load_offers(offer_folder(state_folder())));
    for (const std::string& problem : loaded.problems) console.remark(problem);
    FOREBAY_CHECK(check_names(loaded.table, filter));
    FOREBAY_TRY(const OfferSelection selection, select_offers(loaded.table, filter, rates, limit));
    if (csv_) {
      console.print(offers_as_csv(loaded.table, selection.rows));
      return 0;
    }
    const OfferView view{loaded.table, selection, rates, filter.kind, currency_};
    const auto ages = price_ages(loaded.table, selection.rows, system_clock().now());
    if (console.json) {
      console.print_json(offers_json(view, ages));
      return 0;
    }
    if (!selection.rows.empty()) console.print(offers_text(view, console));
    say_what_else(console, view, ages);
    return 0;
  }

 private:
  Result<OfferFilter> filter_asked_for() const {
    OfferFilter filter;
    for (const std::string& text : gpus_) {
      FOREBAY_TRY(GpuWish wish, parse_gpu_wish(text));
      filter.gpus.push_back(std::move(wish));
    }
    FOREBAY_CHECK(read_into(filter.gpu_memory, memory_, parse_gpu_memory_wish));
    FOREBAY_CHECK(read_into(filter.memory, host_memory_, parse_bytes_range));
    FOREBAY_CHECK(read_into(filter.max_price, max_price_, parse_price));
    FOREBAY_CHECK(read_into(filter.max_price_per_gpu, max_price_per_gpu_, parse_price));
    FOREBAY_CHECK(read_into(filter.vcpu, vcpu_,
                            [](const std::string& text) { return parse_number_range(text, "vCPUs"); }));
    filter.regions = split_list(regions_);
    filter.providers = split_list(providers_);
    filter.types = split_list(types_);
    FOREBAY_CHECK(read_rdma(filter));
    if (spot_ && !committed_.empty())
      return make_error(ErrorCode::kInvalidInput, "list offers", "--spot --committed",
                        std::string(tr("a machine is rented one way or the other")),
                        std::string(tr("Give one of the two.")));
    if (spot_) filter.kind = PriceKind::kSpot;
    if (!committed_.empty())
      filter.kind = committed_ == "1y" ? PriceKind::kCommitted1y : PriceKind::kCommitted3y;
    if (sort_ == "price-per-gpu") filter.order = OfferOrder::kPricePerGpu;
    if (sort_ == "memory") filter.order = OfferOrder::kMemory;
    return filter;
  }

  Result<void> read_rdma(OfferFilter& filter) const {
    if (rdma_.empty()) return {};
    filter.needs_rdma = rdma_ == "any";
    if (filter.needs_rdma) return {};
    filter.rdma = rdma_named(rdma_);
    if (filter.rdma) return {};
    return make_error(ErrorCode::kInvalidInput, "list offers", "--rdma " + rdma_,
                      std::string(tr("there is no such kind of RDMA")),
                      std::string(tr("Write any, EFA, InfiniBand, RoCE or none.")));
  }

  Result<ExchangeRates> rates_stated() const {
    FOREBAY_TRY(ExchangeRates rates, ExchangeRates::load(environment_variable("FOREBAY_RATES").value_or("")));
    for (const std::string& rate : rates_) FOREBAY_CHECK(rates.state(rate));
    if (!currency_.empty() && !rates.per_usd(currency_))
      return make_error(
          ErrorCode::kInvalidInput, "show prices in", currency_,
          fmt::format(fmt::runtime(tr("no exchange rate is known for {0}")), currency_),
          fmt::format(fmt::runtime(tr("Say it with --rate {0}=RATE (how many {0} one USD is).")), currency_));
    return rates;
  }

  Result<std::size_t> rows_asked_for() const {
    if (limit_.empty()) return csv_ ? 0 : kUsualRows;
    const auto limit = whole_integer(limit_);
    if (!limit || *limit < 0)
      return make_error(ErrorCode::kInvalidInput, "list offers", "--limit " + limit_,
                        std::string(tr("it is not a number of rows")),
                        std::string(tr("Write 50, or 0 for all.")));
    return static_cast<std::size_t>(*limit);
  }

  // A name that no offer at all has is a mistake, not an empty answer.
  static Result<void> check_names(const OfferTable& table, const OfferFilter& filter) {
    const std::vector<std::string> ids = table.distinct(&OfferRow::gpu);
    for (const GpuWish& wish : filter.gpus)
      if (std::ranges::none_of(ids,
                               [&](const std::string& id) { return gpu_name_matches(wish.pattern, id); }))
        return unknown_name("--gpu " + wish.pattern, tr("no offer has such a GPU"), wish.pattern, ids);
    const std::vector<std::string> providers = table.distinct(&OfferRow::provider);
    for (const std::string& name : filter.providers)
      if (name.find_first_of("*?[") == std::string::npos &&
          std::ranges::find(providers, name) == providers.end())
        return unknown_name("--provider " + name, tr("there is no offer of such a provider"), name,
                            providers);
    return {};
  }

  static Error unknown_name(std::string on, std::string_view cause, const std::string& name,
                            const std::vector<std::string>& there) {
    const auto near = nearest_word(name, there);
    return make_error(ErrorCode::kNotFound, "list offers", std::move(on), std::string(cause),
                      near ? fmt::format(fmt::runtime(tr("Did you mean {0}?")), *near)
                           : fmt::format(fmt::runtime(tr("There are: {0}.")), fmt::join(there, ", ")));
  }

  void say_what_else(const Console& console, const OfferView& view, const std::vector<PriceAge>& ages) const {
    const OfferSelection& selection = view.selection;
    if (selection.matching == 0) console.remark(tr("no offer fits"));
    if (selection.rows.size() < selection.matching)
      console.remark(fmt::format(fmt::runtime(tr("{0} of {1} offers; -n 0 shows all")), selection.rows.size(),
                                 selection.matching));
    if (selection.without_price > 0)
      console.remark(fmt::format(fmt::runtime(tr("left out because their price is unknown: {0}")),
                                 selection.without_price));
    if (selection.without_rate > 0)
      console.remark(
          fmt::format(fmt::runtime(tr("left out because an exchange rate is unknown (--rate): {0}")),
                      selection.without_rate));
    const bool any_derived = std::ranges::any_of(
        selection.rows, [&](std::uint32_t row) { return view.table.offer(row).derived(view.kind); });
    if (any_derived)
      console.remark(tr("~ is worked out from an older ratio to the on-demand price, not read from a list"));
    if (!ages.empty()) console.remark(ages_sentence(ages));
  }

  std::vector<std::string> gpus_, rates_;
  std::string memory_, regions_, providers_, types_, vcpu_, host_memory_, rdma_, committed_;
  std::string max_price_, max_price_per_gpu_, sort_, currency_, limit_;
  bool spot_ = false, csv_ = false;
};

}  // namespace

VerbInfo offers_verb_info() {
  return {"offers",
          "Rent",
          "list rentable GPU machines with their prices",
          "Lists GPU machines that can be rented: what is in them, from whom, where, and what they cost. "
          "Figures come "
          "with the program and from `forebay offers update`; how old they are is said below the list. A "
          "price that is "
          "not known is shown as - and stands last; a maximum price leaves such offers out and says how "
          "many. Shares "
          "of a GPU are fractions (1/8), and their price per GPU is that of a whole one.",
          "$ forebay offers --gpu H100:8 --sort price\n"
          "$ forebay offers --gpu 'A100*:4+' --memory 80GiB+ --region 'eu-*' --spot\n"
          "$ forebay offers --memory 24GiB+ --max-price 1USD --provider aws,gcp\n"
          "$ forebay offers --gpu L40S --currency CNY --rate CNY=7.1 --json",
          make_verb<OffersVerb>};
}

}  // namespace forebay
