#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

// "0.25" as thousandths would lose nothing that matters, but the file has two decimals: read them by hand.
std::optional<double> parse_decimal(TextCursor& cursor) {
  const auto whole = cursor.number();
  if (!whole || !cursor.rest().starts_with('.')) return std::nullopt;
  TextCursor fraction(cursor.rest().substr(1));
  const std::size_t before = fraction.rest().size();
  const auto digits = fraction.number();
  if (!digits) return std::nullopt;
  double value = static_cast<double>(*digits);
  for (std::size_t used = before - fraction.rest().size(); used > 0; --used) value /= 10;
  return static_cast<double>(*whole) + value;
}

}  // namespace

void MemoryUsage::append_to(Sample& sample, ReadBuffer& buffer) {
  if (const auto text = memory_.read(buffer)) {
    std::optional<double> total, available, swap_total, swap_free;
    TextCursor cursor(*text);
    while (!cursor.at_end()) {
      TextCursor line(cursor.line());
      const std::string_view key = line.word();
      std::optional<double>* into = key == "MemTotal:"       ? &total
                                    : key == "MemAvailable:" ? &available
                                    : key == "SwapTotal:"    ? &swap_total
                                    : key == "SwapFree:"     ? &swap_free
                                                             : nullptr;
      if (into == nullptr) continue;
      const auto kibibytes = line.number();
      if (kibibytes && *kibibytes < (1ull << 50)) *into = static_cast<double>(*kibibytes) * 1024;
    }
    if (total && *total > 0) sample.add(Metric::kMemoryTotalBytes, *total);
    if (available && (!total || *available <= *total)) sample.add(Metric::kMemoryAvailableBytes, *available);
    if (swap_total && swap_free && *swap_free <= *swap_total)
      sample.add(Metric::kSwapUsedBytes, *swap_total - *swap_free);
  }
  if (const auto text = load_.read(buffer)) {
    TextCursor cursor(*text);
    if (const auto load = parse_decimal(cursor)) sample.add(Metric::kLoadAverage1, *load);
  }
}

}  // namespace forebay
