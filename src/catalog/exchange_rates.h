// What one currency is worth in another: the dated table data/exchange_rates.csv and what a person states.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace forebay {

class ExchangeRates {
 public:
  // A table with columns currency, per_usd, date, source. A rate without a figure is unknown.
  static Result<ExchangeRates> parse(std::string csv, const std::string& name);
  // The built-in table with what `stated` (FOREBAY_RATES: "CNY=7.1,EUR=0.9") says on top.
  static Result<ExchangeRates> load(std::string_view stated);

  // "CNY=7.1": one USD is 7.1 CNY. kInvalidInput for anything else.
  Result<void> state(std::string_view text);
  // Units of `currency` for one USD.
  std::optional<double> per_usd(std::string_view currency) const;
  // The same amount in another currency, rounded to 1e-9 of a unit; nothing when a rate is unknown.
  std::optional<Money> convert(const Money& amount, std::string_view currency) const;

 private:
  std::map<std::string, double, std::less<>> per_usd_;
};

}  // namespace forebay
