#include "catalog/carbon.h"

#include <fmt/format.h>

#include "base/csv.h"
#include "base/embedded.h"

namespace forebay {
namespace {

constexpr std::string_view kTable = "data/carbon/grid.csv";
constexpr double kMostGrams = 2000;  // the dirtiest grids are near 1000
constexpr double kMostEffectiveness = 4;

Result<std::optional<double>> within(const CsvTable& table, std::size_t row, std::size_t column, double least,
                                     double most) {
  FOREBAY_TRY(std::optional<double> value, table.number(row, column));
  if (value && (*value < least || *value > most))
    return make_error(ErrorCode::kInvalidInput, "read", table.place(row),
                      fmt::format("{} is {}, which is not between {} and {}", table.columns()[column], *value,
                                  least, most));
  return value;
}

}  // namespace

Result<CarbonTable> CarbonTable::embedded() {
  return parse(std::string(embedded_file(kTable).value_or("")), std::string(kTable));
}

Result<CarbonTable> CarbonTable::parse(std::string text, std::string name) {
  FOREBAY_TRY(CsvTable table, CsvTable::parse(std::move(text), std::move(name)));
  FOREBAY_TRY(const std::size_t provider, table.column("provider"));
  FOREBAY_TRY(const std::size_t region, table.column("region"));
  FOREBAY_TRY(const std::size_t grams, table.column("grams_per_kwh"));
  FOREBAY_TRY(const std::size_t effectiveness, table.column("pue"));
  FOREBAY_TRY(const std::size_t source, table.column("source"));
  FOREBAY_TRY(const std::size_t date, table.column("date"));
  CarbonTable result;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FOREBAY_TRY(const std::optional<double> value, within(table, row, grams, 0, kMostGrams));
    FOREBAY_TRY(const std::optional<double> overhead,
                within(table, row, effectiveness, 1, kMostEffectiveness));
    if (!value) continue;
    result.regions_[{std::string(table.cell(row, provider)), std::string(table.cell(row, region))}] =
        GridCarbon{*value, overhead, std::string(table.cell(row, source)),
                   std::string(table.cell(row, date))};
  }
  return result;
}

std::optional<GridCarbon> CarbonTable::find(std::string_view provider, std::string_view region) const {
  const auto found = regions_.find(std::pair(std::string(provider), std::string(region)));
  if (found == regions_.end()) return std::nullopt;
  return found->second;
}

double grams_per_hour(Watts power, const GridCarbon& grid) {
  return power.value / 1000 * grid.usage_effectiveness.value_or(1) * grid.grams_per_kwh;
}

}  // namespace forebay
