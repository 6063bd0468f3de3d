#include "spec/job_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace forebay {

std::string bytes_text(Bytes bytes) {
  struct Unit {
    std::string_view name;
    std::int64_t factor;
  };
  static constexpr std::array<Unit, 8> kUnits{{{"TiB", 1LL << 40},
                                               {"TB", 1'000'000'000'000},
                                               {"GiB", 1LL << 30},
                                               {"GB", 1'000'000'000},
                                               {"MiB", 1LL << 20},
                                               {"MB", 1'000'000},
                                               {"KiB", 1LL << 10},
                                               {"KB", 1000}}};
  for (const Unit& unit : kUnits)
    if (bytes.count != 0 && bytes.count % unit.factor == 0)
      return fmt::format("{}{}", bytes.count / unit.factor, unit.name);
  return fmt::format("{}B", bytes.count);
}

std::string duration_text(Duration duration) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  static constexpr std::array<Unit, 5> kUnits{{{"d", 86'400'000'000'000},
                                               {"h", 3'600'000'000'000},
                                               {"m", 60'000'000'000},
                                               {"s", 1'000'000'000},
                                               {"ms", 1'000'000}}};
  for (const Unit& unit : kUnits)
    if (duration.nanoseconds != 0 && duration.nanoseconds % unit.nanoseconds == 0)
      return fmt::format("{}{}", duration.nanoseconds / unit.nanoseconds, unit.name);
  return fmt::format("{}.{:06d}ms", duration.nanoseconds / 1'000'000, duration.nanoseconds % 1'000'000);
}

std::string money_text(const Money& money) {
  std::string fraction = fmt::format("{:09d}", money.nano % 1'000'000'000);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}{}{} {}", money.nano / 1'000'000'000, fraction.empty() ? "" : ".", fraction,
                     money.currency);
}

std::string parameter_count_text(double count) {
  struct Unit {
    char name;
    double factor;
  };
  static constexpr std::array<Unit, 4> kUnits{{{'T', 1e12}, {'B', 1e9}, {'M', 1e6}, {'K', 1e3}}};
  for (const Unit& unit : kUnits) {
    const std::string text = fmt::format("{}", count / unit.factor);
    double again = 0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    if (count >= unit.factor && again * unit.factor == count) return fmt::format("{}{}", text, unit.name);
  }
  return fmt::format("{}K", count / 1e3);
}

std::string number_text(double number) {
  if (std::fabs(number) < 9e15 && std::floor(number) == number)
    return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

}  // namespace forebay
