#include "cli/offer_view.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/run_view.h"
#include "report/table.h"

namespace forebay {
namespace {

constexpr int kUncut = 1 << 20;

std::optional<Money> shown(const std::optional<Money>& price, const OfferView& view) {
  if (!price || view.currency.empty()) return price;
  return view.rates.convert(*price, view.currency);
}

// Rows as texts. When every price is in one currency, it stands in the headings instead of the cells.
class OfferLines {
 public:
  explicit OfferLines(const OfferView& view) : view_(view), currency_(view.currency) {
    for (const std::uint32_t row : view.selection.rows) {
      const std::string_view own = view.table.text(view.table.rows()[row].currency);
      if (currency_.empty()) currency_ = own;
      is_mixed_ = is_mixed_ || (view.currency.empty() && own != currency_);
    }
  }

  std::vector<TableColumn> columns() const;
  std::vector<TableCell> cells(const Offer& offer) const;

 private:
  // "55.04", at least two decimals and at most four; "~" before it when it is worked out from a ratio; "-"
  // when it is unknown.
  std::string price(const std::optional<Money>& price, bool is_derived) const {
    const std::optional<Money> amount = shown(price, view_);
    if (!amount) return "-";
    std::string digits = fmt::format("{:.4f}", static_cast<double>(amount->nano) / 1e9);
    while (digits.back() == '0' && digits[digits.size() - 3] != '.') digits.pop_back();
    return (is_derived ? "~" : "") + digits + (is_mixed_ ? " " + amount->currency : "");
  }

  const OfferView& view_;
  std::string currency_;
  bool is_mixed_ = false;
};

std::string bytes_cell(const std::optional<Bytes>& bytes) {
  return bytes ? format_bytes(*bytes) : "-";
}

std::string rdma_cell(Rdma rdma) {
  return rdma == Rdma::kUnknown ? "-"
         : rdma == Rdma::kNone  ? std::string(tr("none"))
                                : std::string(rdma_name(rdma));
}

std::vector<TableCell> OfferLines::cells(const Offer& offer) const {
  const bool is_derived = offer.derived(view_.kind);
  std::vector<TableCell> cells{fmt::format("{} × {}", format_gpu_count(offer.gpu_count), offer.gpu),
                               price(offer.price(view_.kind), is_derived),
                               price(offer.price_per_gpu(view_.kind), is_derived),
                               std::string(offer.provider),
                               std::string(offer.region),
                               std::string(offer.instance_type),
                               bytes_cell(offer.gpu_memory),
                               offer.vcpu ? fmt::format("{:.6g}", *offer.vcpu) : "-",
                               bytes_cell(offer.memory),
                               rdma_cell(offer.rdma)};
  if (view_.kind == PriceKind::kSpot) {
    const std::string_view interruption = interruption_name(offer.interruption);
    cells.insert(cells.begin() + 3, std::string(interruption.empty() ? "-" : interruption));
  }
  return cells;
}

std::vector<TableColumn> OfferLines::columns() const {
  // At 80 columns the instance type must still be there, and be told from its neighbours.
  const bool is_spot = view_.kind == PriceKind::kSpot;
  std::vector<TableColumn> columns{
      {std::string(tr("GPUS")), false, true, false, is_spot ? 11 : 15},
      {is_mixed_ ? std::string(tr("PRICE/H")) : fmt::format(fmt::runtime(tr("{0}/H")), currency_), true},
      {is_mixed_ ? std::string(tr("PER GPU/H")) : fmt::format(fmt::runtime(tr("{0}/GPU/H")), currency_),
       true},
      {std::string(tr("PROVIDER"))},
      {std::string(tr("REGION")), false, true, true, 9},
      {std::string(tr("INSTANCE")), false, true, true, is_spot ? 13 : 20},
      {std::string(tr("MEMORY EACH")), true},
      {std::string(tr("VCPU")), true},
      {std::string(tr("HOST MEMORY")), true},
      {std::string(tr("RDMA"))}};
  if (is_spot) columns.insert(columns.begin() + 3, TableColumn{std::string(tr("EVICTED")), true});
  return columns;
}

std::optional<double> as_number(const std::optional<Money>& money) {
  if (!money) return std::nullopt;
  return static_cast<double>(money->nano) / 1e9;
}

std::optional<double> in_unit(const std::optional<Bytes>& bytes, double unit) {
  if (!bytes) return std::nullopt;
  return static_cast<double>(bytes->count) / unit;
}

Json word_or_null(std::string_view word) {
  return word.empty() ? Json() : Json(word);
}

Json offer_json(const Offer& offer, const OfferView& view) {
  constexpr double kMiB = 1048576, kGB = 1e9, kGigabit = 1e9 / 8;
  const std::optional<Money> price = shown(offer.price(view.kind), view);
  Json derived = Json::array();
  Json json = Json::object({{"provider", offer.provider},
                            {"instance_type", offer.instance_type},
                            {"region", offer.region},
                            {"area", word_or_null(offer.area)},
                            {"gpu", offer.gpu},
                            {"gpu_count", offer.gpu_count},
                            {"gpu_memory_mib", in_unit(offer.gpu_memory, kMiB)},
                            {"vcpu", offer.vcpu},
                            {"memory_mib", in_unit(offer.memory, kMiB)},
                            {"local_nvme_gb", in_unit(offer.local_nvme, kGB)}});
  json.set("network_gbps", offer.network ? Json(offer.network->per_second / kGigabit) : Json());
  json.set("rdma", word_or_null(rdma_name(offer.rdma)));
  json.set("interruption", word_or_null(interruption_name(offer.interruption)));
  json.set("currency", price ? Json(price->currency) : view.currency.empty() ? Json() : Json(view.currency));
  for (std::size_t i = 0; i < kPriceKinds; ++i) {
    const auto kind = static_cast<PriceKind>(i);
    json.set(fmt::format("{}_per_hour", price_kind_name(kind)), as_number(shown(offer.price(kind), view)));
    if (offer.derived(kind)) derived.push(price_kind_name(kind));
    if (const auto& own = offer.price(kind); own && view.currency.empty())
      json.set("currency", own->currency);
  }
  json.set("price_per_hour", as_number(price));
  json.set("price_per_gpu_hour", as_number(shown(offer.price_per_gpu(view.kind), view)));
  json.set("derived", std::move(derived));
  json.set("source", offer.source);
  json.set("date", offer.date);
  return json;
}

}  // namespace

std::string offers_text(const OfferView& view, const Console& console) {
  std::vector<std::vector<TableCell>> rows;
  const OfferLines lines(view);
  for (const std::uint32_t row : view.selection.rows) rows.push_back(lines.cells(view.table.offer(row)));
  TerminalStyle style = style_of(console);
  if (!console.output_is_terminal) style.width = kUncut;  // a pipe has no columns: nothing is cut
  return format_table(lines.columns(), rows, style);
}

Json offers_json(const OfferView& view, const std::vector<PriceAge>& ages) {
  Json dates = Json::array(), offers = Json::array();
  for (const PriceAge& age : ages)
    dates.push(Json::object({{"provider", age.provider},
                             {"oldest", age.oldest},
                             {"newest", age.newest},
                             {"oldest_days", age.oldest_days}}));
  for (const std::uint32_t row : view.selection.rows) offers.push(offer_json(view.table.offer(row), view));
  return Json::object({{"price_kind", price_kind_name(view.kind)},
                       {"matching", static_cast<std::uint64_t>(view.selection.matching)},
                       {"left_out_unknown_price", static_cast<std::uint64_t>(view.selection.without_price)},
                       {"left_out_unknown_rate", static_cast<std::uint64_t>(view.selection.without_rate)},
                       {"prices_of", std::move(dates)},
                       {"offers", std::move(offers)}});
}

std::string ages_sentence(const std::vector<PriceAge>& ages) {
  std::string out;
  for (const PriceAge& age : ages) {
    if (!out.empty()) out += "; ";
    const bool is_month = age.oldest.size() == 7;
    if (!age.oldest_days || *age.oldest_days < 0)
      out += fmt::format(fmt::runtime(tr("{0}: prices of {1}")), age.provider, age.oldest);
    else
      out += fmt::format(fmt::runtime(is_month ? tr("{0}: prices of {1}, at least {2} days old")
                                               : tr("{0}: prices of {1}, {2} days old")),
                         age.provider, age.oldest, *age.oldest_days);
  }
  return out;
}

}  // namespace forebay
