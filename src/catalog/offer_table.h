// Many offers in little memory: texts once, rows of numbers. Read from CSV in the schema of data/offers/
// (docs/offers.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "catalog/offer.h"

namespace forebay {

// Prices above this are taken for damage, not for an offer: USD (or another unit) per hour and machine.
constexpr double kAbsurdPricePerHour = 10'000;
// 2015-01-01: figures dated before it come from a machine whose clock is wrong.
constexpr Instant kEarliestDate{16'436ll * 86'400 * 1'000'000'000};

// The columns of an offer file, in their order.
std::span<const std::string_view> offer_columns();

// Numbers below 0 mean unknown; texts are numbers of OfferTable::text().
struct OfferRow {
  std::uint32_t provider = 0, instance_type = 0, region = 0, area = 0, gpu = 0, currency = 0, source = 0,
                date = 0;
  double gpu_count = 0, vcpu = -1, network = -1;                 // network: bytes a second
  std::int64_t gpu_memory = -1, memory = -1, local_nvme = -1;    // bytes
  std::array<std::int64_t, kPriceKinds> prices{-1, -1, -1, -1};  // 1e-9 of a unit of the currency per hour
  std::uint8_t derived = 0;                                      // bit n: price of kind n
  Rdma rdma = Rdma::kUnknown;
  Interruption interruption = Interruption::kUnknown;
};

// Movable; texts handed out stay valid when the table is moved, as long as one of them lives.
class OfferTable {
 public:
  OfferTable();
  OfferTable(OfferTable&&) noexcept = default;
  OfferTable& operator=(OfferTable&&) noexcept = default;
  OfferTable(const OfferTable&) = delete;
  OfferTable& operator=(const OfferTable&) = delete;

  // Adds the rows of one file, or none: the error names "NAME:LINE" and what is wrong with it (a price that
  // is negative or absurd, an unknown word, a GPU count of 0, a date that is none).
  Result<void> add_csv(std::string text, const std::string& name);
  void add(const OfferRow& row) { rows_.push_back(row); }
  // Takes over the other table's rows: one for the same provider, instance type and region replaces what is
  // here, the others are added.
  void overlay(const OfferTable& newer);

  std::size_t size() const { return rows_.size(); }
  std::span<const OfferRow> rows() const { return rows_; }
  Offer offer(std::size_t index) const;
  std::uint32_t intern(std::string_view text);
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  std::size_t text_count() const { return texts_.size(); }
  // Every different value of a column, sorted ("what GPUs are there?").
  std::vector<std::string> distinct(std::uint32_t OfferRow::* column) const;

 private:
  std::deque<std::string> texts_;  // addresses stay
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::vector<OfferRow> rows_;
};

// The table in the schema of data/offers/, with a header; every row, or the given ones in their order.
std::string offers_as_csv(const OfferTable& table, std::span<const std::uint32_t> rows);
std::string offers_as_csv(const OfferTable& table);

}  // namespace forebay
