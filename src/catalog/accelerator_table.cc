#include "catalog/accelerator_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/nearest.h"
#include "catalog/accelerator_name.h"

namespace forebay {
namespace {

constexpr std::string_view kTable = "data/accelerators.csv";
constexpr std::size_t kLargestTable = 4u << 20;
constexpr double kMebi = 1024.0 * 1024, kGibi = 1024 * kMebi, kGiga = 1e9, kTera = 1e12;

using Word = std::string Accelerator::*;

// A column of words, of one figure, or one of the two with rules of their own.
struct Column {
  std::string_view name;
  Word word = nullptr;
  double most = 0;  // the largest figure that can be meant, in the column's unit
  std::function<void(Accelerator&, double)> put;
  std::function<std::optional<double>(const Accelerator&)> get;
};

// A figure kept as `Quantity`, whose member is a number of base units; `unit` of them are one of the
// column's.
template <typename Quantity, typename Number>
Column figure(std::string_view name, double most, double unit, std::optional<Quantity> Accelerator::* to,
              Number Quantity::* number) {
  return {name, nullptr, most,
          [=](Accelerator& part, double value) {
            (part.*to).emplace().*number = static_cast<Number>(value * unit);
          },
          [=](const Accelerator& part) -> std::optional<double> {
            if (!(part.*to)) return std::nullopt;
            return static_cast<double>((*(part.*to)).*number) / unit;
          }};
}

Column rate(std::string_view name, double most, NumberType type) {
  return {name, nullptr, most,
          [=](Accelerator& part, double value) { part.dense_rate[type] = FlopRate{value * kTera}; },
          [=](const Accelerator& part) -> std::optional<double> {
            const auto known = part.rate(type);
            return known ? std::optional(known->per_second / kTera) : std::nullopt;
          }};
}

Column word(std::string_view name, Word to) {
  return {name, to, 0, nullptr, nullptr};
}

// In the order of the file. The number on the box counts GiB, whatever it says.
const std::array<Column, 26>& columns() {
  static const std::array<Column, 26> all{{
      word("id", &Accelerator::id),
      word("aliases", nullptr),
      word("vendor", &Accelerator::vendor),
      word("architecture", &Accelerator::architecture),
      word("compute_capability", &Accelerator::compute_capability),
      figure("memory_mib", 1'048'576, kMebi, &Accelerator::memory, &Bytes::count),
      word("memory_source", &Accelerator::memory_source),
      figure("nominal_gb", 1024, kGibi, &Accelerator::nominal_memory, &Bytes::count),
      figure("bandwidth_gbps", 100'000, kGiga, &Accelerator::bandwidth, &ByteRate::per_second),
      rate("fp64", 1'000, NumberType::kFp64),
      rate("fp64_tensor", 1'000, NumberType::kFp64Tensor),
      rate("fp32", 1'000, NumberType::kFp32),
      rate("tf32", 5'000, NumberType::kTf32),
      rate("fp16", 10'000, NumberType::kFp16),
      rate("bf16", 10'000, NumberType::kBf16),
      rate("fp8", 50'000, NumberType::kFp8),
      rate("int8", 50'000, NumberType::kInt8),
      rate("fp4", 100'000, NumberType::kFp4),
      word("matrix_units", nullptr),
      figure("link_gbps", 20'000, kGiga, &Accelerator::link, &ByteRate::per_second),
      word("pcie", &Accelerator::pcie),
      figure("power_w", 20'000, 1, &Accelerator::power, &Watts::value),
      word("minimum_software", &Accelerator::minimum_software),
      word("minimum_framework", &Accelerator::minimum_framework),
      word("source", &Accelerator::source),
      word("date", &Accelerator::date),
  }};
  return all;
}

Error bad_cell(const CsvTable& table, std::size_t row, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "read", table.place(row), std::move(cause));
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    if (end > 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

Result<void> read_cell(const CsvTable& table, std::size_t row, std::size_t at, const Column& column,
                       Accelerator& part) {
  const std::string_view text = table.cell(row, at);
  if (column.word != nullptr) {
    part.*column.word = text;
  } else if (column.name == "aliases") {
    part.aliases = split_names(text);
  } else if (column.name == "matrix_units") {
    if (text != "" && text != "yes" && text != "no")
      return bad_cell(table, row, fmt::format("matrix_units is \"{}\"; it is yes, no or empty", text));
    if (!text.empty()) part.has_matrix_units = text == "yes";
  } else {
    FOREBAY_TRY(const std::optional<double> value, table.number(row, at));
    if (value && (*value <= 0 || *value > column.most))
      return bad_cell(
          table, row,
          fmt::format("{} is {}, which is not above 0 and at most {}; what is not known is left empty",
                      column.name, *value, column.most));
    if (value) column.put(part, *value);
  }
  return {};
}

Result<Accelerator> read_part(const CsvTable& table, std::size_t row,
                              const std::vector<std::size_t>& places) {
  Accelerator part;
  for (std::size_t i = 0; i < columns().size(); ++i)
    FOREBAY_CHECK(read_cell(table, row, places[i], columns()[i], part));
  if (part.id.empty()) return bad_cell(table, row, "it has no id");
  if (part.source.empty() || part.date.empty())
    return bad_cell(table, row, "it has no source or no date, without which a figure is not kept");
  if (part.memory.has_value() == part.memory_source.empty())
    return bad_cell(table, row, "memory_mib and memory_source are known together or not at all");
  if (const std::string& source = part.memory_source;
      !source.empty() && source != "measured" && source != "reported" && !source.starts_with("as "))
    return bad_cell(table, row,
                    fmt::format("memory_source is \"{}\"; it is measured, reported or as ID", source));
  return part;
}

std::string cell_text(const Accelerator& part, const Column& column) {
  if (column.word != nullptr) return csv_cell(part.*column.word);
  if (column.name == "aliases") return csv_cell(fmt::format("{}", fmt::join(part.aliases, "|")));
  if (column.name == "matrix_units")
    return !part.has_matrix_units ? "" : *part.has_matrix_units ? "yes" : "no";
  const auto value = column.get(part);
  return value ? fmt::format("{:.9g}", *value) : "";
}

// The part's own id, or what its driver calls it: not a short name that others share.
bool is_exact(const Accelerator& part, std::string_view name) {
  if (comparable_name(name) == comparable_name(part.id)) return true;
  return names_its_maker(name) && std::ranges::any_of(part.aliases, [&](const std::string& alias) {
           return names_its_maker(alias) && comparable_name(alias) == comparable_name(name);
         });
}

}  // namespace

Result<AcceleratorTable> AcceleratorTable::embedded() {
  return parse(std::string(embedded_file(kTable).value_or("")), std::string(kTable));
}

Result<AcceleratorTable> AcceleratorTable::load(const std::string& path) {
  FOREBAY_TRY(std::string text, read_file(path, kLargestTable));
  return parse(std::move(text), path);
}

Result<AcceleratorTable> AcceleratorTable::parse(std::string text, std::string name) {
  FOREBAY_TRY(const CsvTable table, CsvTable::parse(std::move(text), std::move(name)));
  std::vector<std::size_t> places;
  for (const Column& column : columns()) {
    FOREBAY_TRY(const std::size_t place, table.column(column.name));
    places.push_back(place);
  }
  AcceleratorTable result;
  std::set<std::string> names;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FOREBAY_TRY(Accelerator part, read_part(table, row, places));
    std::set<std::string> own{comparable_name(part.id)};
    for (const std::string& alias : part.aliases) own.insert(comparable_name(alias));
    for (const std::string& one : own)
      if (!names.insert(one).second)
        return bad_cell(table, row, fmt::format("the name \"{}\" of {} is another part's too", one, part.id));
    result.all_.push_back(std::move(part));
  }
  return result;
}

const Accelerator* AcceleratorTable::find(std::string_view name) const {
  const std::string wanted = comparable_name(name);
  if (wanted.empty()) return nullptr;
  for (const Accelerator& part : all_) {
    if (comparable_name(part.id) == wanted) return &part;
    for (const std::string& alias : part.aliases)
      if (comparable_name(alias) == wanted) return &part;
  }
  return nullptr;
}

Result<std::vector<const Accelerator*>> AcceleratorTable::matching(std::string_view name) const {
  const Accelerator* usual = find(name);
  std::vector<const Accelerator*> found;
  if (usual != nullptr) found.push_back(usual);
  if (usual != nullptr && is_exact(*usual, name)) return found;
  for (const Accelerator& part : all_)
    if (&part != usual && may_mean(name, part.id)) found.push_back(&part);
  if (!found.empty()) return found;
  return make_error(ErrorCode::kNotFound, "find", fmt::format("the accelerator \"{}\"", name),
                    "there is none of this name", what_to_do(name));
}

std::string AcceleratorTable::what_to_do(std::string_view name) const {
  if (const auto shared = shared_part(name))
    if (const Accelerator* part = find(*shared)) return fmt::format("It is a share of {}.", part->id);
  std::vector<std::string_view> ids;
  for (const Accelerator& part : all_) ids.push_back(part.id);
  const auto near = nearest_name(name, ids);
  return near ? fmt::format("Did you mean {}? `forebay gpus` lists all.", *near)
              : "`forebay gpus` lists all.";
}

std::string accelerators_as_csv(std::span<const Accelerator* const> parts) {
  std::string text;
  for (const Column& column : columns()) text += fmt::format("{}{}", text.empty() ? "" : ",", column.name);
  text += '\n';
  for (const Accelerator* part : parts) {
    std::vector<std::string> cells;
    for (const Column& column : columns()) cells.push_back(cell_text(*part, column));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace forebay
