#include "catalog/offer_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"

namespace forebay {
namespace {

constexpr std::array<std::string_view, 21> kColumns{
    "provider",       "instance_type", "region",     "area",          "gpu",          "gpu_count",
    "gpu_memory_mib", "vcpu",          "memory_mib", "local_nvme_gb", "network_gbps", "rdma",
    "currency",       "on_demand",     "spot",       "committed_1y",  "committed_3y", "derived",
    "interruption",   "source",        "date"};
enum Column : std::size_t {
  kProvider,
  kInstanceType,
  kRegion,
  kArea,
  kGpu,
  kGpuCount,
  kGpuMemory,
  kVcpu,
  kMemory,
  kLocalNvme,
  kNetwork,
  kRdma,
  kCurrency,
  kFirstPrice,
  kDerived = kFirstPrice + kPriceKinds,
  kInterruption,
  kSource,
  kDate,
};

constexpr double kMiB = 1048576, kGB = 1e9, kGigabit = 1e9 / 8, kNano = 1e9;

Error bad_row(const CsvTable& csv, std::size_t row, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "read", csv.place(row), std::move(cause));
}

// Reads the rows of one file; the columns may stand in any order.
class OfferReader {
 public:
  OfferReader(const CsvTable& csv, OfferTable& table) : csv_(csv), table_(table) {}

  Result<void> find_columns() {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      FOREBAY_TRY(at_[i], csv_.column(kColumns[i]));
    }
    return {};
  }

  Result<OfferRow> read(std::size_t row) {
    OfferRow offer;
    FOREBAY_CHECK(read_texts(row, offer));
    FOREBAY_CHECK(read_numbers(row, offer));
    FOREBAY_CHECK(read_words(row, offer));
    return offer;
  }

 private:
  std::string_view cell(std::size_t row, Column column) const { return csv_.cell(row, at_[column]); }

  Result<void> read_texts(std::size_t row, OfferRow& offer) {
    for (const Column needed : {kProvider, kInstanceType, kRegion, kGpu, kCurrency, kSource})
      if (cell(row, needed).empty())
        return bad_row(csv_, row, fmt::format(fmt::runtime(tr("column {0} is empty")), kColumns[needed]));
    offer.provider = table_.intern(cell(row, kProvider));
    offer.instance_type = table_.intern(cell(row, kInstanceType));
    offer.region = table_.intern(cell(row, kRegion));
    offer.area = table_.intern(cell(row, kArea));
    offer.gpu = table_.intern(cell(row, kGpu));
    offer.currency = table_.intern(cell(row, kCurrency));
    offer.source = table_.intern(cell(row, kSource));
    offer.date = table_.intern(cell(row, kDate));
    if (const auto age = days_old(cell(row, kDate), kEarliestDate); !age || *age > 0)
      return bad_row(
          csv_, row,
          fmt::format(fmt::runtime(tr("\"{0}\" is not a date that prices can have")), cell(row, kDate)));
    return {};
  }

  // The figure of a column times `unit`, or -1 when it is empty; below 0 is an error.
  Result<double> amount(std::size_t row, Column column, double unit) const {
    FOREBAY_TRY(const std::optional<double> value, csv_.number(row, at_[column]));
    if (!value) return -1.0;
    constexpr double kMost = 1e18;
    if (*value < 0 || *value * unit > kMost)
      return bad_row(csv_, row,
                     fmt::format(fmt::runtime(tr("{0} = {1} makes no sense")), kColumns[column], *value));
    return *value * unit;
  }

  Result<void> read_numbers(std::size_t row, OfferRow& offer) const {
    const auto count = parse_gpu_count(cell(row, kGpuCount));
    if (!count)
      return bad_row(csv_, row,
                     fmt::format(fmt::runtime(tr("\"{0}\" is not a number of GPUs")), cell(row, kGpuCount)));
    offer.gpu_count = *count;
    FOREBAY_TRY(const double gpu_memory, amount(row, kGpuMemory, kMiB));
    FOREBAY_TRY(const double memory, amount(row, kMemory, kMiB));
    FOREBAY_TRY(const double local_nvme, amount(row, kLocalNvme, kGB));
    FOREBAY_TRY(offer.vcpu, amount(row, kVcpu, 1));
    FOREBAY_TRY(offer.network, amount(row, kNetwork, kGigabit));
    offer.gpu_memory = std::llround(gpu_memory);
    offer.memory = std::llround(memory);
    offer.local_nvme = std::llround(local_nvme);
    for (std::size_t kind = 0; kind < kPriceKinds; ++kind) {
      const auto column = static_cast<Column>(kFirstPrice + kind);
      FOREBAY_TRY(const std::optional<double> price, csv_.number(row, at_[column]));
      if (!price) continue;
      if (!(*price > 0) || *price > kAbsurdPricePerHour)
        return bad_row(csv_, row,
                       fmt::format(fmt::runtime(tr("a price of {0} {1} per hour makes no sense")), *price,
                                   cell(row, kCurrency)));
      offer.prices[kind] = std::llround(*price * kNano);
    }
    return {};
  }

  Result<void> read_words(std::size_t row, OfferRow& offer) const {
    const auto rdma = rdma_named(cell(row, kRdma));
    const auto interruption = interruption_named(cell(row, kInterruption));
    if (!rdma || !interruption)
      return bad_row(csv_, row,
                     fmt::format(fmt::runtime(tr("\"{0}\" is not a word that column {1} knows")),
                                 rdma ? cell(row, kInterruption) : cell(row, kRdma),
                                 kColumns[rdma ? kInterruption : kRdma]));
    offer.rdma = *rdma;
    offer.interruption = *interruption;
    std::string_view rest = cell(row, kDerived);
    while (!rest.empty()) {
      const std::size_t plus = rest.find('+');
      const auto kind = price_kind_named(rest.substr(0, plus));
      if (!kind)
        return bad_row(csv_, row,
                       fmt::format(fmt::runtime(tr("\"{0}\" is not a word that column {1} knows")), rest,
                                   kColumns[kDerived]));
      offer.derived = static_cast<std::uint8_t>(offer.derived | 1u << static_cast<unsigned>(*kind));
      rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
    }
    return {};
  }

  const CsvTable& csv_;
  OfferTable& table_;
  std::array<std::size_t, kColumns.size()> at_{};
};

struct OfferKey {
  std::uint32_t provider, instance_type, region;
  bool operator==(const OfferKey&) const = default;
};
struct OfferKeyHash {
  std::size_t operator()(const OfferKey& key) const {
    return (std::size_t{key.instance_type} * 1'000'003u + key.region) * 1'000'003u + key.provider;
  }
};

// The shortest text that reads back as the same figure.
std::string figure(double value, double unit) {
  return value < 0 ? std::string() : fmt::format("{}", value / unit);
}

std::string derived_text(std::uint8_t mask) {
  std::string out;
  for (std::size_t kind = 0; kind < kPriceKinds; ++kind)
    if ((mask >> kind & 1u) != 0)
      out += (out.empty() ? "" : "+") + std::string(price_kind_name(static_cast<PriceKind>(kind)));
  return out;
}

std::string csv_line(const OfferTable& table, const OfferRow& row) {
  std::array<std::string, kColumns.size()> cells;
  cells[kProvider] = csv_cell(table.text(row.provider));
  cells[kInstanceType] = csv_cell(table.text(row.instance_type));
  cells[kRegion] = csv_cell(table.text(row.region));
  cells[kArea] = csv_cell(table.text(row.area));
  cells[kGpu] = csv_cell(table.text(row.gpu));
  cells[kGpuCount] = format_gpu_count(row.gpu_count);
  cells[kGpuMemory] = figure(static_cast<double>(row.gpu_memory), kMiB);
  cells[kVcpu] = figure(row.vcpu, 1);
  cells[kMemory] = figure(static_cast<double>(row.memory), kMiB);
  cells[kLocalNvme] = figure(static_cast<double>(row.local_nvme), kGB);
  cells[kNetwork] = figure(row.network, kGigabit);
  cells[kRdma] = rdma_name(row.rdma);
  cells[kCurrency] = csv_cell(table.text(row.currency));
  for (std::size_t kind = 0; kind < kPriceKinds; ++kind)
    cells[kFirstPrice + kind] = figure(static_cast<double>(row.prices[kind]), kNano);
  cells[kDerived] = derived_text(row.derived);
  cells[kInterruption] = interruption_name(row.interruption);
  cells[kSource] = csv_cell(table.text(row.source));
  cells[kDate] = csv_cell(table.text(row.date));
  return fmt::format("{}\n", fmt::join(cells, ","));
}

template <typename Quantity>
std::optional<Quantity> known(auto value) {
  if (value < 0) return std::nullopt;
  return Quantity{value};
}

}  // namespace

std::span<const std::string_view> offer_columns() {
  return kColumns;
}

OfferTable::OfferTable() {
  intern("");
}

std::uint32_t OfferTable::intern(std::string_view text) {
  if (const auto known_id = ids_.find(text); known_id != ids_.end()) return known_id->second;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

Result<void> OfferTable::add_csv(std::string text, const std::string& name) {
  if (!text.empty() && text.back() != '\n')
    return make_error(ErrorCode::kCorrupt, "read", name,
                      std::string(tr("its last line has no end: the file is cut off")));
  FOREBAY_TRY(const CsvTable csv, CsvTable::parse(std::move(text), name));
  OfferReader reader(csv, *this);
  FOREBAY_CHECK(reader.find_columns());
  const std::size_t before = rows_.size();
  rows_.reserve(before + csv.rows());
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    auto offer = reader.read(row);
    if (!offer) {
      rows_.resize(before);
      return std::move(offer).error();
    }
    rows_.push_back(*offer);
  }
  return {};
}

void OfferTable::overlay(const OfferTable& newer) {
  std::unordered_map<OfferKey, std::size_t, OfferKeyHash> places;
  places.reserve(rows_.size() + newer.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    places.emplace(OfferKey{rows_[i].provider, rows_[i].instance_type, rows_[i].region}, i);
  for (OfferRow row : newer.rows()) {
    for (std::uint32_t OfferRow::* column :
         {&OfferRow::provider, &OfferRow::instance_type, &OfferRow::region, &OfferRow::area, &OfferRow::gpu,
          &OfferRow::currency, &OfferRow::source, &OfferRow::date})
      row.*column = intern(newer.text(row.*column));
    const auto [place, is_new] =
        places.emplace(OfferKey{row.provider, row.instance_type, row.region}, rows_.size());
    if (is_new)
      rows_.push_back(row);
    else
      rows_[place->second] = row;
  }
}

Offer OfferTable::offer(std::size_t index) const {
  const OfferRow& row = rows_[index];
  Offer offer;
  offer.provider = text(row.provider);
  offer.instance_type = text(row.instance_type);
  offer.region = text(row.region);
  offer.area = text(row.area);
  offer.gpu = text(row.gpu);
  offer.gpu_count = row.gpu_count;
  offer.gpu_memory = known<Bytes>(row.gpu_memory);
  offer.vcpu = known<double>(row.vcpu);
  offer.memory = known<Bytes>(row.memory);
  offer.local_nvme = known<Bytes>(row.local_nvme);
  offer.network = known<ByteRate>(row.network);
  offer.rdma = row.rdma;
  offer.interruption = row.interruption;
  for (std::size_t kind = 0; kind < kPriceKinds; ++kind) {
    if (row.prices[kind] >= 0) offer.prices[kind] = Money{row.prices[kind], std::string(text(row.currency))};
    offer.is_derived[kind] = (row.derived >> kind & 1u) != 0;
  }
  offer.source = text(row.source);
  offer.date = text(row.date);
  return offer;
}

std::vector<std::string> OfferTable::distinct(std::uint32_t OfferRow::* column) const {
  std::vector<char> seen(texts_.size());
  std::vector<std::string> values;
  for (const OfferRow& row : rows_)
    if (!std::exchange(seen[row.*column], 1)) values.emplace_back(text(row.*column));
  std::ranges::sort(values);
  return values;
}

std::string offers_as_csv(const OfferTable& table, std::span<const std::uint32_t> rows) {
  std::string out = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const std::uint32_t row : rows) out += csv_line(table, table.rows()[row]);
  return out;
}

std::string offers_as_csv(const OfferTable& table) {
  std::string out = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const OfferRow& row : table.rows()) out += csv_line(table, row);
  return out;
}

}  // namespace forebay
