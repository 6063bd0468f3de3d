#include "catalog/offer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/number.h"

namespace forebay {
namespace {

constexpr std::array<std::string_view, 5> kRdmaNames{"", "none", "EFA", "InfiniBand", "RoCE"};
constexpr std::array<std::string_view, kPriceKinds> kPriceKindNames{"on_demand", "spot", "committed_1y",
                                                                    "committed_3y"};
constexpr std::array<std::string_view, 6> kInterruptionNames{"", "<5%", "5-10%", "10-15%", "15-20%", ">20%"};

bool equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

template <typename Enum, std::size_t n>
std::optional<Enum> named(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (equal_in_any_case(names[i], name)) return static_cast<Enum>(i);
  return std::nullopt;
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::string_view rdma_name(Rdma rdma) {
  return kRdmaNames[static_cast<std::size_t>(rdma)];
}
std::optional<Rdma> rdma_named(std::string_view name) {
  return named<Rdma>(kRdmaNames, name);
}
std::string_view price_kind_name(PriceKind kind) {
  return kPriceKindNames[static_cast<std::size_t>(kind)];
}
std::optional<PriceKind> price_kind_named(std::string_view name) {
  return named<PriceKind>(kPriceKindNames, name);
}
std::string_view interruption_name(Interruption interruption) {
  return kInterruptionNames[static_cast<std::size_t>(interruption)];
}
std::optional<Interruption> interruption_named(std::string_view name) {
  return named<Interruption>(kInterruptionNames, name);
}

std::string format_gpu_count(double count) {
  if (count > 0 && count < 1) {
    const double parts = std::round(1 / count);
    if (std::fabs(count * parts - 1) < 0.01) return fmt::format("1/{:.0f}", parts);
  }
  return fmt::format("{:.6g}", count);
}

std::optional<double> parse_gpu_count(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::optional<double> count = plain_number(text.substr(0, slash));
  if (slash != std::string_view::npos) {
    const auto parts = plain_number(text.substr(slash + 1));
    if (!parts || *parts <= 0) return std::nullopt;
    if (count) *count /= *parts;
  }
  constexpr double kMost = 100'000;
  if (!count || !(*count > 0) || *count > kMost) return std::nullopt;
  return count;
}

std::optional<Money> Offer::price_per_gpu(PriceKind kind) const {
  const std::optional<Money>& whole = price(kind);
  if (!whole || !(gpu_count > 0)) return std::nullopt;
  return Money{std::llround(static_cast<double>(whole->nano) / gpu_count), whole->currency};
}

std::optional<std::int64_t> days_old(std::string_view date, Instant now) {
  if ((date.size() != 10 && date.size() != 7) || date[4] != '-') return std::nullopt;
  const auto year = whole_integer(date.substr(0, 4)), month = whole_integer(date.substr(5, 2));
  if (!year || !month || *year < 1 || *month < 1 || *month > 12) return std::nullopt;
  namespace calendar = std::chrono;
  const calendar::year_month year_month{calendar::year(static_cast<int>(*year)),
                                        calendar::month(static_cast<unsigned>(*month))};
  calendar::year_month_day day = year_month / calendar::last;
  if (date.size() == 10) {
    const auto number = whole_integer(date.substr(8, 2));
    if (date[7] != '-' || !number || *number < 1) return std::nullopt;
    day = year_month / calendar::day(static_cast<unsigned>(*number));
    if (!day.ok()) return std::nullopt;
  }
  constexpr std::int64_t kDay = 86'400ll * 1'000'000'000;
  const std::int64_t today = now.nanoseconds / kDay - (now.nanoseconds % kDay < 0 ? 1 : 0);
  return today - calendar::sys_days(day).time_since_epoch().count();
}

}  // namespace forebay
