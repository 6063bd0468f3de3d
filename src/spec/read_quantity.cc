#include <algorithm>
#include <array>
#include <cctype>

#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::unexpected<std::string> wrong(std::string sentence) {
  return std::unexpected(std::move(sentence));
}

// "32 gigs" as ("32", "gigs"); the number is empty when there is none.
struct Split {
  std::string number;
  std::string unit;
};

Split split(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
    ++end;
  std::size_t unit = end;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  return {std::string(text.substr(0, end)), std::string(text.substr(unit))};
}

bool is_zero(const Split& parts) {
  return !parts.number.empty() && parts.number.find_first_not_of("0.") == std::string::npos;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// What a person who wrote "32 gigs", "32g" or "32gb" may have meant; empty when it cannot be told.
std::string meant_size(const Split& parts, std::string_view plus) {
  static constexpr std::array<std::string_view, 6> kWords{"k", "m", "g", "t", "p", "b"};
  const std::string unit = lower(parts.unit);
  if (parts.number.empty() || unit.empty()) return {};
  static const std::array<std::string_view, 9> endings{"",    "b",        "i",       "ib", "ig",
                                                       "igs", "igabytes", "igabyte", "ega"};
  const bool is_known =
      std::find(endings.begin(), endings.end(), std::string_view(unit).substr(1)) != endings.end() ||
      unit == "megabytes" || unit == "terabytes";
  if (!is_known || std::find(kWords.begin(), kWords.end(), unit.substr(0, 1)) == kWords.end() ||
      unit[0] == 'b')
    return {};
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  return say(tr("write {0}{1}iB{2} (powers of 1024) or {0}{1}B{2} (powers of 1000)"), parts.number, letter,
             plus);
}

std::string meant_duration(std::string_view text, const Split& parts) {
  if (parts.number.empty()) return {};
  const std::string unit = lower(parts.unit);
  if (unit.starts_with(':')) {
    const Split minutes = split(std::string_view(unit).substr(1));
    if (std::count(text.begin(), text.end(), ':') == 2 && !minutes.number.empty())
      return minutes.number == "00" || minutes.number == "0"
                 ? fmt::format("{}h", parts.number)
                 : fmt::format("{}h{}m", parts.number, minutes.number);
    return {};
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kWords{{{"second", "s"},
                                                                                         {"seconds", "s"},
                                                                                         {"secs", "s"},
                                                                                         {"minute", "m"},
                                                                                         {"minutes", "m"},
                                                                                         {"mins", "m"},
                                                                                         {"hour", "h"},
                                                                                         {"hours", "h"},
                                                                                         {"hr", "h"},
                                                                                         {"hrs", "h"},
                                                                                         {"day", "d"},
                                                                                         {"days", "d"},
                                                                                         {"s", "s"},
                                                                                         {"min", "m"},
                                                                                         {"m", "m"},
                                                                                         {"h", "h"},
                                                                                         {"d", "d"}}};
  for (const auto& [word, short_form] : kWords)
    if (unit == word) return fmt::format("{}{}", parts.number, short_form);
  return {};
}

int days_in_month(int year, int month) {
  static constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap ? 1 : 0);
}

// Reads `pattern` ("dddd-dd-ddTdd:dd") at the start of `text`: d is a digit, anything else is itself.
bool has_shape(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (pattern[i] == 'd' ? !is_digit : text[i] != pattern[i]) return false;
  }
  return true;
}

int number_at(std::string_view text, std::size_t start, std::size_t length) {
  int value = 0;
  for (std::size_t i = start; i < start + length; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

bool is_calendar_date(std::string_view text) {
  const int year = number_at(text, 0, 4), month = number_at(text, 5, 2), day = number_at(text, 8, 2);
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

}  // namespace

Reading<Amount<Bytes>> read_bytes_or_floor(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  const bool is_floor = text->ends_with('+');
  const std::string size = text->substr(0, text->size() - (is_floor ? 1 : 0));
  const std::string_view plus = is_floor ? "+" : "";
  if (const auto bytes = parse_bytes(size)) {
    if (bytes->count <= 0) return wrong(say(tr("{0} must be more than nothing."), key));
    return Amount<Bytes>{*bytes, is_floor};
  }
  const Split parts = split(size);
  if (!parts.number.empty() && parts.unit.empty())
    return wrong(say(tr("{0} needs a unit: write {1}GiB{2} or {1}MiB{2} instead of {1}{2}."), key,
                     parts.number, plus));
  if (!parts.number.empty() && parse_bytes("1" + parts.unit))
    return wrong(say(tr("{0}: {1} is too large."), key, shown(*text)));
  if (const std::string meant = meant_size(parts, plus); !meant.empty())
    return wrong(say(tr("{0}: {1} is not a size; {2}."), key, shown(*text), meant));
  return wrong(say(tr("{0}: {1} is not a size. Write for example 32GiB, or 32GiB+ for at least so much."),
                   key, shown(*text)));
}

Reading<Duration> read_duration(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  if (const auto duration = parse_duration(*text)) {
    if (duration->nanoseconds <= 0)
      return wrong(say(tr("{0} must be longer than nothing. Leave it out for no limit."), key));
    return *duration;
  }
  const Split parts = split(*text);
  if (is_zero(parts))
    return wrong(say(tr("{0} must be longer than nothing. Leave it out for no limit."), key));
  if (!parts.number.empty() && parts.unit.empty())
    return wrong(say(tr("{0} needs a unit: write {1}s, {1}m or {1}h instead of {1}."), key, parts.number));
  if (!parts.number.empty() && parse_duration("1" + parts.unit))
    return wrong(say(tr("{0}: {1} is too large."), key, shown(*text)));
  if (const std::string meant = meant_duration(*text, parts); !meant.empty())
    return wrong(say(tr("{0}: {1} is not a time span; write {2}."), key, shown(*text), meant));
  return wrong(say(tr("{0}: {1} is not a time span. Write for example 90s, 15m, 12h, 2d or 1h30m."), key,
                   shown(*text)));
}

Reading<Money> read_money(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  if (const auto money = parse_money(*text)) {
    if (money->nano <= 0) return wrong(say(tr("{0} must be more than nothing."), key));
    return *money;
  }
  const Split parts = split(*text);
  if (!parts.number.empty() && parts.unit.empty())
    return wrong(say(tr("{0} needs a currency: write {1} USD, {1} EUR or {1} CNY instead of {1}."), key,
                     parts.number));
  std::string currency = parts.unit;
  std::transform(currency.begin(), currency.end(), currency.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const std::string meant = fmt::format("{} {}", parts.number, currency);
      currency.size() == 3 && currency != parts.unit && parse_money(meant))
    return wrong(say(tr("{0}: {1} is not an amount of money; write {2}."), key, shown(*text), meant));
  return wrong(say(tr("{0}: {1} is not an amount of money. Write for example 20 USD."), key, shown(*text)));
}

Reading<Instant> read_instant(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  const std::string_view date = *text;
  if (has_shape(date, "dddd-dd-dd") && !is_calendar_date(date))
    return wrong(say(tr("{0}: there is no day {1}."), key, shown(date.substr(0, 10))));
  if (has_shape(date, "dddd") && (number_at(date, 0, 4) < 1970 || number_at(date, 0, 4) > 2200))
    return wrong(say(tr("{0}: the year of {1} is out of the ordinary."), key, shown(*text)));
  const bool is_whole =
      has_shape(date, "dddd-dd-ddTdd:dd") && number_at(date, 11, 2) < 24 && number_at(date, 14, 2) < 60;
  if (is_whole)
    if (const auto instant = parse_instant(date)) return *instant;
  if (is_whole && (date.size() == 16 || (date.size() == 19 && has_shape(date.substr(16), ":dd"))))
    return wrong(say(tr("{0} needs a time zone: write {1}+08:00, or {1}Z for UTC."), key, *text));
  if (has_shape(date, "dddd-dd-dd") && date.size() == 10)
    return wrong(say(tr("{0} needs a time and its zone: write {1}T18:00+08:00."), key, *text));
  return wrong(say(tr("{0}: {1} is not a date with a time. Write for example 2026-12-05T18:00+08:00."), key,
                   shown(*text)));
}

}  // namespace forebay
