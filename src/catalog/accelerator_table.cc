#include "catalog/accelerator_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/nearest.h"

namespace forebay {
namespace {

constexpr std::string_view kTable = "data/accelerators.csv";
constexpr double kMebi = 1024.0 * 1024, kGiga = 1e9, kTera = 1e12;

// One figure of the table: its column, the largest that can be meant (in the column's unit) and where it
// goes.
struct Figure {
  std::string_view column;
  double most;
  std::function<void(Accelerator&, double)> put;
};

std::function<void(Accelerator&, double)> rate_into(NumberType type) {
  return [type](Accelerator& part, double value) { part.dense_rate[type] = FlopRate{value * kTera}; };
}

const std::array<Figure, 14>& figures() {
  static const std::array<Figure, 14> all{{
      {"memory_mib", 1'048'576,
       [](Accelerator& part, double value) {
         part.memory = Bytes{static_cast<std::int64_t>(value * kMebi)};
       }},
      // The number on the box counts GiB, whatever it says.
      {"nominal_gb", 1024,
       [](Accelerator& part, double value) {
         part.nominal_memory = Bytes{static_cast<std::int64_t>(value * 1024 * kMebi)};
       }},
      {"bandwidth_gbps", 100'000,
       [](Accelerator& part, double value) { part.bandwidth = ByteRate{value * kGiga}; }},
      {"link_gbps", 20'000, [](Accelerator& part, double value) { part.link = ByteRate{value * kGiga}; }},
      {"power_w", 20'000, [](Accelerator& part, double value) { part.power = Watts{value}; }},
      {"fp64", 1'000, rate_into(NumberType::kFp64)},
      {"fp64_tensor", 1'000, rate_into(NumberType::kFp64Tensor)},
      {"fp32", 1'000, rate_into(NumberType::kFp32)},
      {"tf32", 5'000, rate_into(NumberType::kTf32)},
      {"fp16", 10'000, rate_into(NumberType::kFp16)},
      {"bf16", 10'000, rate_into(NumberType::kBf16)},
      {"fp8", 50'000, rate_into(NumberType::kFp8)},
      {"int8", 50'000, rate_into(NumberType::kInt8)},
      {"fp4", 100'000, rate_into(NumberType::kFp4)},
  }};
  return all;
}

Error bad_cell(const CsvTable& table, std::size_t row, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "read", table.place(row), std::move(cause));
}

Result<void> read_figures(const CsvTable& table, std::size_t row, Accelerator& part) {
  for (const Figure& figure : figures()) {
    FOREBAY_TRY(const std::size_t column, table.column(figure.column));
    FOREBAY_TRY(const std::optional<double> value, table.number(row, column));
    if (!value) continue;
    if (*value <= 0 || *value > figure.most)
      return bad_cell(
          table, row,
          fmt::format("{} is {}, which is not above 0 and at most {}; what is not known is left empty",
                      figure.column, *value, figure.most));
    figure.put(part, *value);
  }
  return {};
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

Result<void> read_words(const CsvTable& table, std::size_t row, Accelerator& part) {
  const std::array<std::pair<std::string_view, std::string*>, 8> words{
      {{"id", &part.id},
       {"vendor", &part.vendor},
       {"architecture", &part.architecture},
       {"compute_capability", &part.compute_capability},
       {"pcie", &part.pcie},
       {"minimum_software", &part.minimum_software},
       {"source", &part.source},
       {"date", &part.date}}};
  for (const auto& [name, to] : words) {
    FOREBAY_TRY(const std::size_t column, table.column(name));
    *to = table.cell(row, column);
  }
  if (part.id.empty()) return bad_cell(table, row, "it has no id");
  if (part.source.empty() || part.date.empty())
    return bad_cell(table, row, "it has no source or no date, without which a figure is not kept");
  FOREBAY_TRY(const std::size_t aliases, table.column("aliases"));
  part.aliases = split_names(table.cell(row, aliases));
  FOREBAY_TRY(const std::size_t units, table.column("matrix_units"));
  const std::string_view word = table.cell(row, units);
  if (word != "" && word != "yes" && word != "no")
    return bad_cell(table, row, fmt::format("matrix_units is \"{}\"; it is yes, no or empty", word));
  if (!word.empty()) part.has_matrix_units = word == "yes";
  return {};
}

// Names as people write them, made comparable: lower case, words separated by one blank, makers left out.
std::string plain_name(std::string_view name) {
  std::string plain, word;
  const auto end_word = [&] {
    static const std::set<std::string, std::less<>> kMakers{"nvidia",  "amd",      "tesla",
                                                            "geforce", "instinct", "aws"};
    if (!word.empty() && !(kMakers.contains(word))) plain += (plain.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char letter : name) {
    if (letter == ' ' || letter == '-' || letter == '_')
      end_word();
    else
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  end_word();
  return plain;
}

bool begins_with_words(std::string_view text, std::string_view words) {
  return text.starts_with(words) && (text.size() == words.size() || text[words.size()] == ' ');
}

}  // namespace

Result<AcceleratorTable> AcceleratorTable::embedded() {
  return parse(std::string(embedded_file(kTable).value_or("")), std::string(kTable));
}

Result<AcceleratorTable> AcceleratorTable::parse(std::string text, std::string name) {
  FOREBAY_TRY(const CsvTable table, CsvTable::parse(std::move(text), std::move(name)));
  AcceleratorTable result;
  std::set<std::string> names;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Accelerator part;
    FOREBAY_CHECK(read_words(table, row, part));
    FOREBAY_CHECK(read_figures(table, row, part));
    std::set<std::string> own{plain_name(part.id)};
    for (const std::string& alias : part.aliases) own.insert(plain_name(alias));
    for (const std::string& one : own)
      if (!names.insert(one).second)
        return bad_cell(table, row, fmt::format("the name \"{}\" of {} is another part's too", one, part.id));
    result.all_.push_back(std::move(part));
  }
  return result;
}

const Accelerator* AcceleratorTable::find(std::string_view name) const {
  const std::string wanted = plain_name(name);
  for (const Accelerator& part : all_) {
    if (plain_name(part.id) == wanted) return &part;
    for (const std::string& alias : part.aliases)
      if (plain_name(alias) == wanted) return &part;
  }
  return nullptr;
}

Result<std::vector<const Accelerator*>> AcceleratorTable::matching(std::string_view name) const {
  if (const Accelerator* part = find(name)) return std::vector<const Accelerator*>{part};
  const std::string wanted = plain_name(name);
  std::vector<const Accelerator*> found;
  std::vector<std::string_view> ids;
  for (const Accelerator& part : all_) {
    if (!wanted.empty() && begins_with_words(plain_name(part.id), wanted)) found.push_back(&part);
    ids.push_back(part.id);
  }
  if (!found.empty()) return found;
  const auto near = nearest_name(name, ids);
  return make_error(
      ErrorCode::kNotFound, "find", fmt::format("the accelerator \"{}\"", name), "there is none of this name",
      near ? fmt::format("Did you mean {}? `forebay gpus` lists all.", *near) : "`forebay gpus` lists all.");
}

}  // namespace forebay
