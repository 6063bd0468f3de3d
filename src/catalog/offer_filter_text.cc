// The words of the command line for what offers are wanted.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/offer_filter.h"

namespace forebay {
namespace {

Error bad_wish(std::string_view what, std::string_view text, std::string_view cause, std::string advice) {
  return make_error(ErrorCode::kInvalidInput, fmt::format("read the {}", what), fmt::format("\"{}\"", text),
                    std::string(cause), std::move(advice));
}

// "A", "A+" and "A..B" as texts; high is empty for "A+", the same as low for "A".
struct RangeText {
  std::string_view low, high;
  bool is_open = false;
};

RangeText split_range(std::string_view text) {
  if (text.ends_with('+')) return {text.substr(0, text.size() - 1), {}, true};
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos)
    return {text.substr(0, dots), text.substr(dots + 2), false};
  return {text, text, false};
}

Result<NumberRange> read_range(std::string_view text, std::string_view what, std::string_view whole) {
  const RangeText parts = split_range(text);
  const auto low = parse_gpu_count(parts.low);
  const auto high = parts.is_open ? std::optional<double>() : parse_gpu_count(parts.high);
  if (!low || (!parts.is_open && !high))
    return bad_wish(what, whole, tr("it is not a number above 0"),
                    std::string(tr("Write 8, 4+ (at least), 2..8 or 1/8.")));
  if (high && *high < *low)
    return bad_wish(what, whole, tr("the range ends before it begins"),
                    std::string(tr("Write the smaller number first.")));
  return NumberRange{low, high};
}

bool has_large_unit(std::string_view text) {
  return text.ends_with("GiB") || text.ends_with("GB") || text.ends_with("TiB") || text.ends_with("TB");
}

Result<BytesRange> read_bytes_range(std::string_view text, std::string_view what) {
  const RangeText parts = split_range(text);
  FOREBAY_TRY(const Bytes low, parse_bytes(parts.low));
  BytesRange range{low, std::nullopt};
  if (!parts.is_open) {
    FOREBAY_TRY(range.high, parse_bytes(parts.high));
    if (*range.high < low)
      return bad_wish(what, text, tr("the range ends before it begins"),
                      std::string(tr("Write the smaller number first.")));
  }
  if (low.count <= 0)
    return bad_wish(what, text, tr("it is not a size above 0"), std::string(tr("Write for example 80GiB+.")));
  return range;
}

}  // namespace

Result<NumberRange> parse_number_range(std::string_view text, const std::string& what) {
  return read_range(text, what, text);
}

Result<GpuWish> parse_gpu_wish(std::string_view text) {
  const std::size_t colon = text.find(':');
  GpuWish wish{std::string(text.substr(0, colon)), {}};
  if (wish.pattern.empty())
    return bad_wish("GPU", text, tr("it names no GPU"),
                    std::string(tr("Write for example H100:8, 'A100*:4+' or L4:1/8.")));
  if (colon == std::string_view::npos) return wish;
  FOREBAY_TRY(wish.count, read_range(text.substr(colon + 1), "GPU", text));
  return wish;
}

Result<GpuMemoryWish> parse_gpu_memory_wish(std::string_view text) {
  FOREBAY_TRY(const BytesRange range, read_bytes_range(text, "GPU memory"));
  const RangeText parts = split_range(text);
  return GpuMemoryWish{range.low, range.high,
                       has_large_unit(parts.low) && (parts.is_open || has_large_unit(parts.high))};
}

Result<BytesRange> parse_bytes_range(std::string_view text) {
  return read_bytes_range(text, "memory");
}

Result<Money> parse_price(std::string_view text) {
  FOREBAY_TRY(Money price, parse_money(text));
  if (price.nano <= 0)
    return bad_wish("price", text, tr("it is not above 0"), std::string(tr("Write for example 3USD.")));
  return price;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (comma != 0) parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

}  // namespace forebay
