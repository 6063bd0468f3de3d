// Quantities with units. A bare double for money, bytes or time across a room border is a defect.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

// A count of bytes. Text form uses binary units (KiB, MiB, GiB).
struct Bytes {
  std::int64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

// A span of time in nanoseconds (±292 years).
struct Duration {
  std::int64_t nanoseconds = 0;
  auto operator<=>(const Duration&) const = default;
  double seconds() const { return static_cast<double>(nanoseconds) * 1e-9; }
  static Duration from_seconds(double seconds) {
    return Duration{static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))};
  }
};

// An instant on the wall clock: nanoseconds since 1970-01-01 UTC.
struct Instant {
  std::int64_t nanoseconds = 0;
  auto operator<=>(const Instant&) const = default;
};

struct Watts {
  double value = 0;
};
struct Joules {
  double value = 0;
};
// Floating-point (or, for int8, integer) operations per second; a multiply-add counts as two.
struct FlopRate {
  double per_second = 0;
  auto operator<=>(const FlopRate&) const = default;
};
struct ByteRate {
  double per_second = 0;
  auto operator<=>(const ByteRate&) const = default;
};
struct Probability {
  double value = 0;
};

// Exact money: an integer count of billionths of a currency unit, so that a price per second stays exact
// enough to add up. Rounding happens only when it is shown or computed from a product, half to even, and is
// stated there.
struct Money {
  std::int64_t nano = 0;  // 1e-9 of a unit of the currency
  std::string currency;   // ISO 4217, upper case ("USD", "CNY")
  bool operator==(const Money&) const = default;
};

// price per hour × duration, exact in 128 bits, rounded half to even to 1e-9 of a unit.
Money money_for(const Money& price_per_hour, Duration duration);

// "512 MiB", "16GiB", "1.5 TB", "100" (error: a unit is needed). KB/MB/GB/TB are powers of 1000, KiB… powers
// of 1024.
Result<Bytes> parse_bytes(std::string_view text);
// "90s", "15m", "12h", "2d", "1h30m", "250ms".
Result<Duration> parse_duration(std::string_view text);
// "20 USD", "3.5 CNY", "$20", "¥3".  "¥" is CNY.
Result<Money> parse_money(std::string_view text);
// RFC 3339, e.g. "2026-12-05T18:00+08:00" or "…:00Z".
Result<Instant> parse_instant(std::string_view text);

std::string format_bytes(Bytes bytes);           // "1.4 GiB", "512 B"
std::string format_duration(Duration duration);  // "1 h 03 min", "12.4 s", "85 ms"
std::string format_money(
    const Money& money);  // "0.0123 USD": at least two decimals, at most six, half to even
std::string format_instant(Instant instant);        // "2026-12-01T03:15:21Z" (UTC)
std::string format_instant_local(Instant instant);  // "2026-12-01 11:15:21" in the local time zone

}  // namespace forebay
