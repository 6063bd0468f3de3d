#include "catalog/offer_filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {
namespace {

constexpr double kBoxShare = 0.93;      // least usable share of the number on the box (GDDR with ECC: 93.7 %)
constexpr double kBoxTolerance = 1.01;  // a driver never reports more than the box says, but for rounding

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

bool glob_matches(const std::string& lower_pattern, std::string_view text) {
  return ::fnmatch(lower_pattern.c_str(), lower(text).c_str(), 0) == 0;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

// Which interned texts of a column fit: asked once per text, not once per row.
class TextMask {
 public:
  TextMask(const OfferTable& table, std::uint32_t OfferRow::* column) : table_(table), column_(column) {}

  template <typename Fits>
  void keep(const Fits& fits) {
    is_used_ = true;
    verdicts_.assign(table_.text_count(), kUnasked);
    fits_ = fits;
  }
  bool operator()(const OfferRow& row) {
    if (!is_used_) return true;
    char& verdict = verdicts_[row.*column_];
    if (verdict == kUnasked) verdict = fits_(table_.text(row.*column_)) ? kFits : kFitsNot;
    return verdict == kFits;
  }

 private:
  static constexpr char kUnasked = 0, kFits = 1, kFitsNot = 2;
  const OfferTable& table_;
  std::uint32_t OfferRow::* column_;
  bool is_used_ = false;
  std::vector<char> verdicts_;
  std::function<bool(std::string_view)> fits_;
};

std::vector<std::string> lower_all(const std::vector<std::string>& patterns) {
  std::vector<std::string> out;
  for (const std::string& pattern : patterns) out.push_back(lower(pattern));
  return out;
}

bool any_glob(const std::vector<std::string>& lower_patterns, std::string_view text) {
  return std::ranges::any_of(lower_patterns,
                             [&](const std::string& pattern) { return glob_matches(pattern, text); });
}

std::optional<double> known_number(double value) {
  return value < 0 ? std::nullopt : std::optional(value);
}
std::optional<Bytes> known_bytes(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(Bytes{value});
}

// Everything but the price.
class Matcher {
 public:
  Matcher(const OfferTable& table, const OfferFilter& filter)
      : table_(table),
        filter_(filter),
        regions_(lower_all(filter.regions)),
        provider_(table, &OfferRow::provider),
        type_(table, &OfferRow::instance_type) {
    const auto keep_globs = [](TextMask& mask, const std::vector<std::string>& patterns) {
      if (patterns.empty()) return;
      mask.keep([globs = lower_all(patterns)](std::string_view text) { return any_glob(globs, text); });
    };
    keep_globs(provider_, filter.providers);
    keep_globs(type_, filter.types);
    for (const GpuWish& wish : filter.gpus) {
      gpus_.emplace_back(table, &OfferRow::gpu);
      gpus_.back().keep([&wish](std::string_view id) { return gpu_name_matches(wish.pattern, id); });
    }
    region_verdicts_.assign(table.text_count(), 0);
  }

  bool operator()(const OfferRow& row) {
    return provider_(row) && type_(row) && fits_gpu(row) && fits_region(row) && fits_size(row) &&
           fits_network(row);
  }

 private:
  bool fits_gpu(const OfferRow& row) {
    bool fits = gpus_.empty();
    for (std::size_t i = 0; i < gpus_.size() && !fits; ++i)
      fits = gpus_[i](row) && filter_.gpus[i].count.contains(row.gpu_count);
    return fits && (!filter_.gpu_memory || filter_.gpu_memory->accepts(known_bytes(row.gpu_memory)));
  }
  // A region is of one area, so that its verdict can be kept under its own text.
  bool fits_region(const OfferRow& row) {
    if (regions_.empty()) return true;
    char& verdict = region_verdicts_[row.region];
    if (verdict == 0) {
      const std::string_view region = table_.text(row.region);
      const std::string with_area = fmt::format("{}-{}", table_.text(row.area), region);
      verdict = any_glob(regions_, region) || any_glob(regions_, with_area) ? 1 : 2;
    }
    return verdict == 1;
  }
  bool fits_size(const OfferRow& row) const {
    return filter_.vcpu.contains(known_number(row.vcpu)) &&
           (!filter_.memory || filter_.memory->contains(known_bytes(row.memory)));
  }
  bool fits_network(const OfferRow& row) const {
    if (filter_.rdma) return row.rdma == *filter_.rdma;
    return !filter_.needs_rdma || (row.rdma != Rdma::kUnknown && row.rdma != Rdma::kNone);
  }

  const OfferTable& table_;
  const OfferFilter& filter_;
  std::vector<std::string> regions_;
  std::vector<char> region_verdicts_;
  TextMask provider_, type_;
  std::vector<TextMask> gpus_;
};

// Prices of every row in one currency, with the rate looked up once per currency.
class PriceReader {
 public:
  PriceReader(const OfferTable& table, const ExchangeRates& rates, std::string_view currency)
      : factors_(table.text_count(), kUnasked), table_(table), rates_(rates), currency_(currency) {}

  enum class Known : std::uint8_t { kYes, kNoPrice, kNoRate };
  struct Price {
    Known known = Known::kNoPrice;
    double nano = 0;
  };
  Price of(const OfferRow& row, PriceKind kind) {
    const std::int64_t nano = row.prices[static_cast<std::size_t>(kind)];
    if (nano < 0) return {};
    double& factor = factors_[row.currency];
    if (factor == kUnasked) factor = factor_of(table_.text(row.currency));
    if (factor == kNoRate) return {Known::kNoRate, 0};
    return {Known::kYes, static_cast<double>(nano) * factor};
  }

 private:
  static constexpr double kUnasked = -1, kNoRate = -2;
  double factor_of(std::string_view currency) const {
    if (currency == currency_) return 1;
    const auto from = rates_.per_usd(currency), to = rates_.per_usd(currency_);
    return from && to ? *to / *from : kNoRate;
  }
  std::vector<double> factors_;
  const OfferTable& table_;
  const ExchangeRates& rates_;
  std::string currency_;
};

constexpr double kLast = std::numeric_limits<double>::infinity();

double order_key(const OfferRow& row, const OfferFilter& filter, const PriceReader::Price& price) {
  if (filter.order == OfferOrder::kMemory)
    return row.gpu_memory < 0 ? kLast : -static_cast<double>(row.gpu_memory);
  if (price.known != PriceReader::Known::kYes) return kLast;
  return filter.order == OfferOrder::kPricePerGpu ? price.nano / row.gpu_count : price.nano;
}

// Whether the price is at most what was asked for. A billionth is nothing to quarrel over after a conversion.
bool is_within(double nano, const std::optional<Money>& most) {
  return !most || nano <= static_cast<double>(most->nano) + 1;
}

struct Candidate {
  double key = 0, second = 0;
  std::uint32_t row = 0;
  bool operator<(const Candidate& other) const {
    if (key != other.key) return key < other.key;
    if (second != other.second) return second < other.second;
    return row < other.row;
  }
};

Result<void> check_currency(const OfferFilter& filter, const ExchangeRates& rates) {
  for (const std::optional<Money>& most : {filter.max_price, filter.max_price_per_gpu})
    if (most && !rates.per_usd(most->currency))
      return make_error(
          ErrorCode::kInvalidInput, "compare prices with", format_money(*most),
          fmt::format(fmt::runtime(tr("no exchange rate is known for {0}")), most->currency),
          fmt::format(fmt::runtime(tr("Say it with --rate {0}=RATE (how many {0} one USD is).")),
                      most->currency));
  if (filter.max_price && filter.max_price_per_gpu &&
      filter.max_price->currency != filter.max_price_per_gpu->currency)
    return make_error(ErrorCode::kInvalidInput, "compare prices with",
                      format_money(*filter.max_price_per_gpu),
                      std::string(tr("the two maximum prices are in different currencies")));
  return {};
}

}  // namespace

bool NumberRange::contains(std::optional<double> value) const {
  if (is_open()) return true;
  constexpr double kTolerance = 0.01;  // 0.33 is 1/3
  return value && (!low || *value >= *low * (1 - kTolerance)) &&
         (!high || *value <= *high * (1 + kTolerance));
}

bool GpuMemoryWish::accepts(std::optional<Bytes> usable) const {
  if (!usable) return !low && !high;
  const auto bytes = static_cast<double>(usable->count);
  const double least = low ? static_cast<double>(low->count) : 0;
  const double most = high ? static_cast<double>(high->count) : kLast;
  if (!is_box_number) return bytes >= least && bytes <= most;
  return bytes >= least * kBoxShare && bytes <= most * kBoxTolerance;
}

bool BytesRange::contains(std::optional<Bytes> value) const {
  return value && (!low || *value >= *low) && (!high || *value <= *high);
}

bool gpu_name_matches(std::string_view pattern, std::string_view id) {
  const std::string wanted = lower(pattern);
  if (wanted.find_first_of("*?[") != std::string::npos) return glob_matches(wanted, id);
  const std::vector<std::string> asked = words_of(wanted), there = words_of(lower(id));
  if (asked.front() != there.front()) return false;
  std::size_t next = 0;
  for (const std::string& word : there)
    if (next < asked.size() && word == asked[next]) ++next;
  return next == asked.size();
}

Result<OfferSelection> select_offers(const OfferTable& table, const OfferFilter& filter,
                                     const ExchangeRates& rates, std::size_t limit) {
  FOREBAY_CHECK(check_currency(filter, rates));
  const std::string currency = filter.max_price           ? filter.max_price->currency
                               : filter.max_price_per_gpu ? filter.max_price_per_gpu->currency
                                                          : "USD";
  Matcher matches(table, filter);
  PriceReader prices(table, rates, currency);
  const bool has_maximum = filter.max_price || filter.max_price_per_gpu;
  OfferSelection selection;
  std::vector<Candidate> candidates;
  const std::span<const OfferRow> rows = table.rows();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (!matches(rows[i])) continue;
    const PriceReader::Price price = prices.of(rows[i], filter.kind);
    if (has_maximum && price.known != PriceReader::Known::kYes) {
      ++(price.known == PriceReader::Known::kNoRate ? selection.without_rate : selection.without_price);
      continue;
    }
    if (!is_within(price.nano, filter.max_price) ||
        !is_within(price.nano / rows[i].gpu_count, filter.max_price_per_gpu))
      continue;
    const double second = price.known == PriceReader::Known::kYes ? price.nano : kLast;
    candidates.push_back({order_key(rows[i], filter, price), second, i});
  }
  selection.matching = candidates.size();
  const std::size_t count = limit == 0 ? candidates.size() : std::min(limit, candidates.size());
  if (count == candidates.size())
    std::sort(candidates.begin(), candidates.end());
  else
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                      candidates.end());
  selection.rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) selection.rows.push_back(candidates[i].row);
  return selection;
}

}  // namespace forebay
