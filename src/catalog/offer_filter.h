// Which offers a person asks for, in the words of the command line, and the choice among 100,000 of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "catalog/exchange_rates.h"
#include "catalog/offer_table.h"

namespace forebay {

// "8", "4+" (at least), "2..8" (both ends count), "1/8".
struct NumberRange {
  std::optional<double> low, high;
  // An unknown number is in no range but the one without ends.
  bool contains(std::optional<double> value) const;
  bool is_open() const { return !low && !high; }
};

// "H100:8", "A100*:4+", "L4:1/8". A name without * or ? means every part whose id it begins, word by word:
// "H100" is H100-SXM-80GB and H100-NVL-94GB, "A100-80GB" is A100-SXM-80GB and A100-PCIe-80GB, "L4" is not
// L40S.
struct GpuWish {
  std::string pattern;
  NumberRange count;
};
bool gpu_name_matches(std::string_view pattern, std::string_view id);

// "80GiB+", "24GiB", "16GiB..48GiB": memory of one GPU. In GiB, GB and larger it is the number on the box,
// which drivers report a few per cent less of: a part counts as that large when at least 93 % of it is
// usable. In MiB and smaller it is the usable memory itself.
struct GpuMemoryWish {
  std::optional<Bytes> low, high;
  bool is_box_number = true;
  bool accepts(std::optional<Bytes> usable) const;
};

// "64GiB+", "64GiB..256GiB", "64GiB" of the machine.
struct BytesRange {
  std::optional<Bytes> low, high;
  bool contains(std::optional<Bytes> value) const;
};

enum class OfferOrder : std::uint8_t { kPrice, kPricePerGpu, kMemory };

struct OfferFilter {
  std::vector<GpuWish> gpus;  // any of them; empty: every GPU
  std::optional<GpuMemoryWish> gpu_memory;
  std::vector<std::string>
      regions;  // globs of a region ("eu-*") or of area-region ("eu-westeurope"); any case
  std::vector<std::string> providers;  // globs
  std::vector<std::string> types;      // globs of the instance type
  NumberRange vcpu;
  std::optional<BytesRange> memory;
  bool needs_rdma = false;   // some RDMA, of whatever kind
  std::optional<Rdma> rdma;  // this kind
  PriceKind kind = PriceKind::kOnDemand;
  std::optional<Money> max_price, max_price_per_gpu;  // per hour
  OfferOrder order = OfferOrder::kPrice;
};

struct OfferSelection {
  std::vector<std::uint32_t> rows;  // of the table, in order; what has no known price stands last
  std::size_t matching = 0;         // how many there are in all, where `rows` was limited
  std::size_t without_price = 0;    // left out by a maximum price because theirs is unknown
  std::size_t without_rate = 0;     // likewise, because the exchange rate is unknown
};

// At most `limit` rows (0: all). The same table and filter give the same order: by the key asked for, then as
// in the table. kMemory puts the most memory per GPU first. kInvalidInput when the currency of a maximum
// price has no known rate though offers in another one are there.
Result<OfferSelection> select_offers(const OfferTable& table, const OfferFilter& filter,
                                     const ExchangeRates& rates, std::size_t limit = 0);

// Reading what people write. Every error is kInvalidInput, says what is wrong and what to write.
Result<GpuWish> parse_gpu_wish(std::string_view text);
Result<NumberRange> parse_number_range(std::string_view text, const std::string& what);
Result<GpuMemoryWish> parse_gpu_memory_wish(std::string_view text);
Result<BytesRange> parse_bytes_range(std::string_view text);
Result<Money> parse_price(std::string_view text);  // "3USD", "3 USD", "$3", "20 CNY"; above 0
// "aws,gcp" → "aws", "gcp"; empty parts are dropped.
std::vector<std::string> split_list(std::string_view text);

}  // namespace forebay
