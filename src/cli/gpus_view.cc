#include "cli/gpus_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/table.h"
#include "report/text_width.h"

namespace forebay {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kGibi = 1024.0 * 1024 * 1024;
constexpr std::array<NumberType, 9> kAllTypes{NumberType::kFp64, NumberType::kFp64Tensor, NumberType::kFp32,
                                              NumberType::kTf32, NumberType::kFp16,       NumberType::kBf16,
                                              NumberType::kFp8,  NumberType::kInt8,       NumberType::kFp4};

// In a list three digits are enough ("989", "19.5"); one part in full is shown to the digit ("494.5").
enum class Digits { kThree, kAll };

std::string figure(std::optional<double> value, Digits digits) {
  if (!value) return "-";
  if (digits == Digits::kAll) return fmt::format("{:.7g}", *value);
  return *value >= 100 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
}

std::string rate_text(const Accelerator& part, NumberType type, Digits digits) {
  const auto rate = part.rate(type);
  return figure(rate ? std::optional(rate->per_second / kTera) : std::nullopt, digits);
}

std::string per_giga(const std::optional<ByteRate>& rate, Digits digits) {
  return figure(rate ? std::optional(rate->per_second / kGiga) : std::nullopt, digits);
}

std::string memory_text(const Accelerator& part) {
  if (part.memory) return fmt::format("{:.1f}", static_cast<double>(part.memory->count) / kGibi);
  if (part.nominal_memory)
    return fmt::format("~{:.0f}", static_cast<double>(part.nominal_memory->count) / kGibi);
  return "-";
}

std::string watts_text(const Accelerator& part, Digits digits) {
  return figure(part.power ? std::optional(part.power->value) : std::nullopt, digits);
}

std::string known_or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

// "22.5 GiB (23028 MiB), measured"
std::string usable_memory(const Accelerator& part) {
  if (!part.memory) return "-";
  const std::string amount = fmt::format("{} GiB ({} MiB)", memory_text(part), part.memory->count >> 20);
  if (part.memory_source == "measured") return fmt::format(fmt::runtime(tr("{0}, measured")), amount);
  if (part.memory_source == "reported")
    return fmt::format(fmt::runtime(tr("{0}, as people report it")), amount);
  return fmt::format(fmt::runtime(tr("{0}, the memory of {1}")), amount,
                     part.memory_source.substr(std::string_view("as ").size()));
}

std::string matrix_units(const Accelerator& part) {
  if (!part.has_matrix_units) return "-";
  return std::string(*part.has_matrix_units ? tr("yes") : tr("no"));
}

template <NumberType kType>
std::string exact_rate(const Accelerator& part) {
  return rate_text(part, kType, Digits::kAll);
}

struct Row {
  std::string_view title;
  std::string (*value)(const Accelerator&);
};

// All that is known of a part, one line each.
constexpr std::array<Row, 24> kRows{{
    {msgid("also called"),
     [](const Accelerator& part) { return known_or_dash(fmt::format("{}", fmt::join(part.aliases, ", "))); }},
    {msgid("maker"), [](const Accelerator& part) { return part.vendor; }},
    {msgid("architecture"), [](const Accelerator& part) { return part.architecture; }},
    {msgid("compute capability"),
     [](const Accelerator& part) { return known_or_dash(part.compute_capability); }},
    {msgid("usable memory"), usable_memory},
    {msgid("memory on the box, GiB"),
     [](const Accelerator& part) {
       return part.nominal_memory ? std::to_string(part.nominal_memory->count >> 30) : std::string("-");
     }},
    {msgid("memory bandwidth, GB/s"),
     [](const Accelerator& part) { return per_giga(part.bandwidth, Digits::kAll); }},
    {msgid("FP64, TFLOP/s"), exact_rate<NumberType::kFp64>},
    {msgid("FP64 matrix, TFLOP/s"), exact_rate<NumberType::kFp64Tensor>},
    {msgid("FP32, TFLOP/s"), exact_rate<NumberType::kFp32>},
    {msgid("TF32 dense, TFLOP/s"), exact_rate<NumberType::kTf32>},
    {msgid("FP16 dense, TFLOP/s"), exact_rate<NumberType::kFp16>},
    {msgid("BF16 dense, TFLOP/s"), exact_rate<NumberType::kBf16>},
    {msgid("FP8 dense, TFLOP/s"), exact_rate<NumberType::kFp8>},
    {msgid("INT8 dense, TOP/s"), exact_rate<NumberType::kInt8>},
    {msgid("FP4 dense, TFLOP/s"), exact_rate<NumberType::kFp4>},
    {msgid("matrix units"), matrix_units},
    {msgid("link to other GPUs, GB/s"),
     [](const Accelerator& part) { return per_giga(part.link, Digits::kAll); }},
    {msgid("PCIe"), [](const Accelerator& part) { return known_or_dash(part.pcie); }},
    {msgid("power, W"), [](const Accelerator& part) { return watts_text(part, Digits::kAll); }},
    {msgid("native kernels from"),
     [](const Accelerator& part) { return known_or_dash(part.minimum_software); }},
    {msgid("official wheels from"),
     [](const Accelerator& part) { return known_or_dash(part.minimum_framework); }},
    {msgid("source"), [](const Accelerator& part) { return part.source; }},
    {msgid("checked"), [](const Accelerator& part) { return part.date; }},
}};

constexpr int kGap = 2, kLeastColumn = 14;
constexpr std::size_t kMostBeside = 3;  // parts that share the width; more where their values are short

int title_width() {
  int widest = 0;
  for (const Row& row : kRows) widest = std::max(widest, display_width(tr(row.title)));
  return widest;
}

// One line of the comparison, which takes several where a value is longer than its column is wide.
std::string wrapped_line(const std::string& title, int title_columns, const std::vector<std::string>& values,
                         const std::vector<int>& widths, Tone tone, const TerminalStyle& style) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    cells.push_back(wrap_to_width(printable(values[i]), widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string one = paint(pad_right(line == 0 ? title : "", title_columns), Tone::kDim, style);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      one += std::string(kGap, ' ');
      one += paint(i + 1 == cells.size() ? cell : pad_right(cell, widths[i]), tone, style);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

// How wide a part's column may be: its longest value, but no wider than its share of the room for `beside`
// parts. Its id is never broken.
int column_width(const Accelerator& part, std::size_t beside, int room) {
  int width = kLeastColumn;
  for (const Row& row : kRows) width = std::max(width, display_width(printable(row.value(part))));
  const int share = room / static_cast<int>(std::min(beside, kMostBeside)) - kGap;
  return std::max(display_width(part.id), std::min(width, std::max(share, kLeastColumn)));
}

}  // namespace

std::optional<double> half_precision_rate(const Accelerator& part) {
  const auto bf16 = part.rate(NumberType::kBf16), fp16 = part.rate(NumberType::kFp16);
  if (bf16) return bf16->per_second;
  return fp16 ? std::optional(fp16->per_second) : std::nullopt;
}

Json accelerator_json(const Accelerator& part) {
  Json rates = Json::object();
  for (const NumberType type : kAllTypes) {
    const auto rate = part.rate(type);
    rates.set(std::string(number_type_name(type)), rate ? Json(rate->per_second) : Json());
  }
  const auto bytes = [](const std::optional<Bytes>& value) { return value ? Json(value->count) : Json(); };
  const auto per_second = [](const auto& value) { return value ? Json(value->per_second) : Json(); };
  const auto word = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return Json::object({{"id", part.id},
                       {"aliases", Json(part.aliases)},
                       {"vendor", part.vendor},
                       {"architecture", part.architecture},
                       {"compute_capability", word(part.compute_capability)},
                       {"memory_bytes", bytes(part.memory)},
                       {"memory_source", word(part.memory_source)},
                       {"nominal_memory_bytes", bytes(part.nominal_memory)},
                       {"bandwidth_bytes_per_second", per_second(part.bandwidth)},
                       {"dense_operations_per_second", rates},
                       {"has_matrix_units", Json(part.has_matrix_units)},
                       {"link_bytes_per_second", per_second(part.link)},
                       {"pcie", word(part.pcie)},
                       {"power_watts", part.power ? Json(part.power->value) : Json()},
                       {"minimum_software", word(part.minimum_software)},
                       {"minimum_framework", word(part.minimum_framework)},
                       {"source", part.source},
                       {"date", part.date}});
}

std::string accelerator_list(const Accelerators& parts, const TerminalStyle& style) {
  // The last columns are shown where the terminal is wide enough.
  const std::vector<TableColumn> columns{{std::string(tr("ACCELERATOR"))},
                                         {std::string(tr("MEMORY GiB")), true},
                                         {std::string(tr("GB/s")), true},
                                         {"BF16/FP16", true},
                                         {"FP8", true},
                                         {"FP32", true},
                                         {"W", true},
                                         {std::string(tr("ARCHITECTURE"))},
                                         {std::string(tr("LINK GB/s")), true},
                                         {"FP64", true},
                                         {"TF32", true},
                                         {"INT8", true},
                                         {std::string(tr("SOFTWARE"))},
                                         {std::string(tr("FRAMEWORK"))}};
  std::vector<std::vector<TableCell>> rows;
  for (const Accelerator* part : parts) {
    const auto rate = [part](NumberType type) { return rate_text(*part, type, Digits::kThree); };
    const auto half = half_precision_rate(*part);
    rows.push_back({part->id, memory_text(*part), per_giga(part->bandwidth, Digits::kThree),
                    figure(half ? std::optional(*half / kTera) : std::nullopt, Digits::kThree),
                    rate(NumberType::kFp8), rate(NumberType::kFp32), watts_text(*part, Digits::kThree),
                    part->architecture, per_giga(part->link, Digits::kThree), rate(NumberType::kFp64),
                    rate(NumberType::kTf32), rate(NumberType::kInt8), known_or_dash(part->minimum_software),
                    known_or_dash(part->minimum_framework)});
  }
  std::string text = format_table(columns, rows, style);
  for (const std::string& line : wrap_to_width(
           tr("Rates are dense, in TFLOP/s. ~: the number on the box; drivers report up to 8 % less. "
              "-: not known."),
           std::min(style.width, 120)))
    text += paint(line, Tone::kDim, style) + "\n";
  return text;
}

std::string accelerators_in_full(const Accelerators& parts, const TerminalStyle& style) {
  const int titles = title_width(), room = style.width - titles;
  std::string text;
  for (std::size_t first = 0; first < parts.size();) {
    std::vector<int> widths;
    std::size_t end = first;
    for (int used = titles; end < parts.size(); ++end) {
      const int width = column_width(*parts[end], parts.size(), room);
      used += kGap + width;
      if (end > first && used > style.width) break;
      widths.push_back(width);
    }
    const auto line = [&](const std::string& title, Tone tone, auto value_of) {
      std::vector<std::string> values;
      for (std::size_t i = first; i < end; ++i) values.push_back(value_of(*parts[i]));
      text += wrapped_line(title, titles, values, widths, tone, style);
    };
    if (first > 0) text += "\n";
    line("", Tone::kStrong, [](const Accelerator& part) { return part.id; });
    for (const Row& row : kRows) line(std::string(tr(row.title)), Tone::kPlain, row.value);
    first = end;
  }
  return text;
}

}  // namespace forebay
