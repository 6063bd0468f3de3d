// How much CO2e a kilowatt hour costs where a machine stands (data/carbon/grid.csv).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace forebay {

struct GridCarbon {
  double grams_per_kwh = 0;                   // CO2e, location-based annual average
  std::optional<double> usage_effectiveness;  // PUE: energy of the building ÷ energy of its computers
  std::string source, date;
};

class CarbonTable {
 public:
  // The table inside the binary, or the text of another of the same columns ("name" is told in errors).
  static Result<CarbonTable> embedded();
  static Result<CarbonTable> parse(std::string text, std::string name);
  // Nothing where the region's grid is not known. The provider is "aws", "azure", "gcp".
  std::optional<GridCarbon> find(std::string_view provider, std::string_view region) const;

 private:
  std::map<std::pair<std::string, std::string>, GridCarbon, std::less<>> regions_;
};

// Grams of CO2e per hour of computers that draw `power`; the building's share is added where it is known.
double grams_per_hour(Watts power, const GridCarbon& grid);

}  // namespace forebay
