#include "catalog/exchange_rates.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/text.h"

namespace forebay {
namespace {

constexpr double kLeastRate = 1e-6, kMostRate = 1e7;

bool is_currency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Result<ExchangeRates> ExchangeRates::parse(std::string csv, const std::string& name) {
  FOREBAY_TRY(const CsvTable table, CsvTable::parse(std::move(csv), name));
  FOREBAY_TRY(const std::size_t currency, table.column("currency"));
  FOREBAY_TRY(const std::size_t per_usd, table.column("per_usd"));
  ExchangeRates rates;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FOREBAY_TRY(const std::optional<double> rate, table.number(row, per_usd));
    if (!is_currency(table.cell(row, currency)) || (rate && !(*rate >= kLeastRate && *rate <= kMostRate)))
      return make_error(ErrorCode::kInvalidInput, "read", table.place(row),
                        std::string(tr("it is not a currency with a rate")));
    if (rate) rates.per_usd_.insert_or_assign(std::string(table.cell(row, currency)), *rate);
  }
  return rates;
}

Result<ExchangeRates> ExchangeRates::load(std::string_view stated) {
  constexpr std::string_view kPath = "data/exchange_rates.csv";
  FOREBAY_TRY(ExchangeRates rates, parse(std::string(embedded_file(kPath).value_or("")), std::string(kPath)));
  while (!stated.empty()) {
    const std::size_t comma = stated.find(',');
    FOREBAY_CHECK(rates.state(stated.substr(0, comma)));
    stated = comma == std::string_view::npos ? std::string_view() : stated.substr(comma + 1);
  }
  return rates;
}

Result<void> ExchangeRates::state(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view currency = text.substr(0, equals);
  const std::string_view figure =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  double rate = 0;
  const auto [end, error] = std::from_chars(figure.data(), figure.data() + figure.size(), rate);
  if (!is_currency(currency) || currency == "USD" || error != std::errc() ||
      end != figure.data() + figure.size() || !(rate >= kLeastRate && rate <= kMostRate))
    return make_error(ErrorCode::kInvalidInput, "read the exchange rate", fmt::format("\"{}\"", text),
                      std::string(tr("it does not say how much of a currency one USD is")),
                      std::string(tr("Write for example CNY=7.1.")));
  per_usd_.insert_or_assign(std::string(currency), rate);
  return {};
}

std::optional<double> ExchangeRates::per_usd(std::string_view currency) const {
  const auto found = per_usd_.find(currency);
  if (found == per_usd_.end()) return std::nullopt;
  return found->second;
}

std::optional<Money> ExchangeRates::convert(const Money& amount, std::string_view currency) const {
  if (amount.currency == currency) return amount;
  const auto from = per_usd(amount.currency), to = per_usd(currency);
  if (!from || !to) return std::nullopt;
  return Money{std::llround(static_cast<double>(amount.nano) / *from * *to), std::string(currency)};
}

}  // namespace forebay
