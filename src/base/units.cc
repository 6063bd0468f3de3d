#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <optional>

namespace forebay {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Splits "1.5 GiB" into number text and unit text; the number is [0-9]+(.[0-9]+)?
struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};

std::optional<NumberAndUnit> split_number(std::string_view text) {
  text = trim(text);
  std::size_t end = 0;
  bool dot = false;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || (text[end] == '.' && !dot))) {
    dot = dot || text[end] == '.';
    ++end;
  }
  if (end == 0 || text[0] == '.' || text[end - 1] == '.') return std::nullopt;
  return NumberAndUnit{text.substr(0, end), trim(text.substr(end))};
}

std::optional<double> to_double(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Error bad_quantity(std::string_view what, std::string_view text, std::string cause, std::string advice) {
  return make_error(ErrorCode::kInvalidInput, fmt::format("read the {}", what), fmt::format("\"{}\"", text),
                    std::move(cause), std::move(advice));
}

}  // namespace

Money money_for(const Money& price_per_hour, Duration duration) {
  constexpr __int128 kNanosecondsPerHour = static_cast<__int128>(3600) * 1'000'000'000;
  const __int128 product = static_cast<__int128>(price_per_hour.nano) * duration.nanoseconds;
  __int128 quotient = product / kNanosecondsPerHour;
  __int128 remainder = product % kNanosecondsPerHour;
  const int sign = product < 0 ? -1 : 1;
  if (remainder < 0) remainder = -remainder;
  const bool more_than_half = remainder * 2 > kNanosecondsPerHour;
  const bool exactly_half = remainder * 2 == kNanosecondsPerHour;
  if (more_than_half || (exactly_half && quotient % 2 != 0)) quotient += sign;
  return Money{static_cast<std::int64_t>(quotient), price_per_hour.currency};
}

Result<Bytes> parse_bytes(std::string_view text) {
  const auto parts = split_number(text);
  if (!parts) return bad_quantity("size", text, "it is not a number with a unit", "Write for example 16GiB.");
  if (parts->unit.empty())
    return bad_quantity("size", text, "it has no unit",
                        fmt::format("Write {}GiB, {}MiB or {}B.", text, text, text));
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr std::array<Unit, 11> kUnits{{{"B", 1},
                                                {"KiB", 1024.0},
                                                {"MiB", 1048576.0},
                                                {"GiB", 1073741824.0},
                                                {"TiB", 1099511627776.0},
                                                {"PiB", 1125899906842624.0},
                                                {"KB", 1e3},
                                                {"kB", 1e3},
                                                {"MB", 1e6},
                                                {"GB", 1e9},
                                                {"TB", 1e12}}};
  const auto number = to_double(parts->number);
  for (const Unit& unit : kUnits) {
    if (unit.name != parts->unit || !number) continue;
    const double count = *number * unit.factor;
    if (count > 9.0e18) return bad_quantity("size", text, "it is too large", "");
    return Bytes{static_cast<std::int64_t>(std::llround(count))};
  }
  return bad_quantity("size", text, fmt::format("\"{}\" is not a unit of size", parts->unit),
                      "Use B, KiB, MiB, GiB, TiB (1024) or KB, MB, GB, TB (1000).");
}

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = trim(text);
  if (rest.empty()) return bad_quantity("duration", text, "it is empty", "Write for example 15m.");
  double total = 0;
  while (!rest.empty()) {
    const auto parts = split_number(rest);
    if (!parts)
      return bad_quantity("duration", text, "it is not a number with a unit",
                          "Write for example 90s, 15m, 12h or 1h30m.");
    const auto number = to_double(parts->number);
    std::size_t length = 0;
    while (length < parts->unit.size() && parts->unit[length] >= 'a' && parts->unit[length] <= 'z') ++length;
    const std::string_view unit = parts->unit.substr(0, length);
    if (unit.empty() && parts->unit.empty())
      return bad_quantity("duration", text, "it has no unit",
                          fmt::format("Write {}s, {}m or {}h.", text, text, text));
    double factor = 0;
    if (unit == "ms") factor = 1e-3;
    if (unit == "s" || unit == "sec") factor = 1;
    if (unit == "m" || unit == "min") factor = 60;
    if (unit == "h") factor = 3600;
    if (unit == "d") factor = 86400;
    if (factor == 0 || !number)
      return bad_quantity("duration", text, fmt::format("\"{}\" is not a unit of time", parts->unit),
                          "Use ms, s, m, h or d.");
    total += *number * factor;
    rest = trim(parts->unit.substr(length));
  }
  if (total > 9.0e9) return bad_quantity("duration", text, "it is too long", "");
  return Duration::from_seconds(total);
}

Result<Money> parse_money(std::string_view text) {
  std::string_view rest = trim(text);
  std::string currency;
  if (rest.starts_with("$")) {
    currency = "USD";
    rest.remove_prefix(1);
  } else if (rest.starts_with("¥")) {
    currency = "CNY";
    rest.remove_prefix(std::string_view("¥").size());
  } else if (rest.starts_with("€")) {
    currency = "EUR";
    rest.remove_prefix(std::string_view("€").size());
  }
  const auto parts = split_number(rest);
  if (!parts)
    return bad_quantity("amount of money", text, "it is not a number with a currency",
                        "Write for example 20 USD.");
  if (currency.empty())
    currency = std::string(parts->unit);
  else if (!parts->unit.empty())
    return bad_quantity("amount of money", text, "it names two currencies", "");
  if (currency.size() != 3)
    return bad_quantity("amount of money", text, "it has no currency",
                        fmt::format("Write {} USD or {} CNY.", parts->number, parts->number));
  for (char c : currency)
    if (c < 'A' || c > 'Z')
      return bad_quantity("amount of money", text, fmt::format("\"{}\" is not a currency code", currency),
                          "Use three capital letters such as USD, EUR or CNY.");
  const std::size_t dot = parts->number.find('.');
  const std::string_view whole = parts->number.substr(0, dot);
  std::string fraction = dot == std::string_view::npos ? "" : std::string(parts->number.substr(dot + 1));
  if (whole.size() > 9 || fraction.size() > 9)
    return bad_quantity("amount of money", text, "it has too many digits",
                        "At most nine before and nine after the point.");
  fraction.resize(9, '0');
  return Money{std::stoll(std::string(whole)) * 1'000'000'000 + std::stoll(fraction), currency};
}

Result<Instant> parse_instant(std::string_view text) {
  const Error bad = bad_quantity("date", text, "it is not a date with a time zone",
                                 "Write for example 2026-12-05T18:00+08:00.");
  std::tm parts{};
  const std::string copy(trim(text));
  const char* rest = strptime(copy.c_str(), "%Y-%m-%dT%H:%M", &parts);
  if (rest == nullptr) return bad;
  if (*rest == ':') {
    rest = strptime(rest + 1, "%S", &parts);
    if (rest == nullptr) return bad;
  }
  long offset = 0;
  if (*rest == 'Z' && rest[1] == '\0') {
    offset = 0;
  } else if ((*rest == '+' || *rest == '-') && std::string_view(rest).size() == 6 && rest[3] == ':') {
    for (int i : {1, 2, 4, 5})
      if (rest[i] < '0' || rest[i] > '9') return bad;
    offset =
        ((rest[1] - '0') * 10 + (rest[2] - '0')) * 3600L + ((rest[4] - '0') * 10 + (rest[5] - '0')) * 60L;
    if (*rest == '-') offset = -offset;
  } else {
    return bad;
  }
  const std::time_t seconds = timegm(&parts);
  if (seconds > 9'000'000'000 || seconds < -9'000'000'000) return bad;  // nanoseconds in 64 bits end in 2262
  return Instant{(static_cast<std::int64_t>(seconds) - offset) * 1'000'000'000};
}

std::string format_bytes(Bytes bytes) {
  static constexpr std::array<std::string_view, 6> kNames{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (std::fabs(value) >= 1024 && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes.count);
  return fmt::format("{:.{}f} {}", value,
                     std::fabs(value) < 10    ? 2
                     : std::fabs(value) < 100 ? 1
                                              : 0,
                     kNames[unit]);
}

std::string format_duration(Duration duration) {
  const double seconds = duration.seconds();
  if (seconds < 0) return "-" + format_duration(Duration{-duration.nanoseconds});
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02d} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02d} h", whole / 86400, whole % 86400 / 3600);
}

std::string format_money(const Money& money) {
  const bool negative = money.nano < 0;
  __int128 nano = negative ? -static_cast<__int128>(money.nano) : money.nano;
  __int128 micro = nano / 1000;
  const __int128 rest = nano % 1000;
  if (rest > 500 || (rest == 500 && micro % 2 != 0)) ++micro;
  const auto whole = static_cast<std::int64_t>(micro / 1'000'000);
  std::string fraction = fmt::format("{:06d}", static_cast<std::int64_t>(micro % 1'000'000));
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}{}.{} {}", negative ? "-" : "", whole, fraction, money.currency);
}

std::string format_instant(Instant instant) {
  const std::time_t seconds = static_cast<std::time_t>(instant.nanoseconds / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char buffer[40];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return buffer;
}

std::string format_instant_local(Instant instant) {
  const std::time_t seconds = static_cast<std::time_t>(instant.nanoseconds / 1'000'000'000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char buffer[40];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
  return buffer;
}

}  // namespace forebay
