#include "record/line_stamper.h"

#include <ctime>

#include <fmt/format.h>

namespace forebay {

std::string line_time(Instant instant) {
  std::int64_t seconds = instant.nanoseconds / 1'000'000'000, rest = instant.nanoseconds % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  const std::time_t whole = seconds;
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest / 1'000'000);
}

bool shown_as_error(LogStream stream) {
  return stream == LogStream::kError || stream == LogStream::kForebay;
}

std::string LineStamper::stamp(LogStream stream, Instant time, std::string_view bytes) {
  bool& is_inside = is_inside_[shown_as_error(stream) ? 1 : 0];
  const std::string prefix = line_time(time) + " ";
  std::string out;
  while (!bytes.empty()) {
    if (!is_inside) out += prefix;
    const std::size_t newline = bytes.find('\n');
    const std::size_t length = newline == std::string_view::npos ? bytes.size() : newline + 1;
    out += bytes.substr(0, length);
    is_inside = newline == std::string_view::npos;
    bytes.remove_prefix(length);
  }
  return out;
}

}  // namespace forebay
