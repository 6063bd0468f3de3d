// forebay gpus: the accelerators that are known, with the figures that decide what runs on them and how fast.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "catalog/accelerator_table.h"
#include "catalog/offer_filter.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "report/table.h"

namespace forebay {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;
constexpr std::array<NumberType, 9> kAllTypes{NumberType::kFp64, NumberType::kFp64Tensor, NumberType::kFp32,
                                              NumberType::kTf32, NumberType::kFp16,       NumberType::kBf16,
                                              NumberType::kFp8,  NumberType::kInt8,       NumberType::kFp4};

using Parts = std::vector<const Accelerator*>;

// A figure with no more digits than it has: "989", "19.5", "0.55"; "-" when it is not known.
std::string figure(std::optional<double> value) {
  if (!value) return "-";
  if (*value >= 100) return fmt::format("{:.0f}", *value);
  return fmt::format("{:.3g}", *value);
}

std::string rate_text(const Accelerator& part, NumberType type) {
  const auto rate = part.rate(type);
  return figure(rate ? std::optional(rate->per_second / kTera) : std::nullopt);
}

template <typename Rate>
std::string per_giga(const std::optional<Rate>& rate) {
  return figure(rate ? std::optional(rate->per_second / kGiga) : std::nullopt);
}

std::string memory_text(const Accelerator& part) {
  if (part.memory) return fmt::format("{:.1f}", static_cast<double>(part.memory->count) / (1 << 30));
  if (part.nominal_memory) return fmt::format("~{}", part.nominal_memory->count >> 30);
  return "-";
}

std::string watts_text(const Accelerator& part) {
  return figure(part.power ? std::optional(part.power->value) : std::nullopt);
}

// The best a framework can do in half precision.
std::optional<double> half_rate(const Accelerator& part) {
  const auto bf16 = part.rate(NumberType::kBf16), fp16 = part.rate(NumberType::kFp16);
  if (bf16) return bf16->per_second;
  return fp16 ? std::optional(fp16->per_second) : std::nullopt;
}

Json part_json(const Accelerator& part) {
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
                       {"nominal_memory_bytes", bytes(part.nominal_memory)},
                       {"bandwidth_bytes_per_second", per_second(part.bandwidth)},
                       {"dense_operations_per_second", rates},
                       {"has_matrix_units", Json(part.has_matrix_units)},
                       {"link_bytes_per_second", per_second(part.link)},
                       {"pcie", word(part.pcie)},
                       {"power_watts", part.power ? Json(part.power->value) : Json()},
                       {"minimum_software", word(part.minimum_software)},
                       {"source", part.source},
                       {"date", part.date}});
}

std::string as_csv(const Parts& parts) {
  std::string text =
      "id,vendor,architecture,memory_mib,nominal_gib,bandwidth_gb_per_s,fp64,fp64_tensor,fp32,tf32,fp16,bf16,"
      "fp8,int8,fp4,"
      "link_gb_per_s,power_w,source,date\n";
  const auto plain = [](const std::string& value) { return value == "-" ? "" : value; };
  for (const Accelerator* part : parts) {
    text += fmt::format("{},{},{},{},{},{}", part->id, part->vendor, part->architecture,
                        part->memory ? std::to_string(part->memory->count >> 20) : "",
                        part->nominal_memory ? std::to_string(part->nominal_memory->count >> 30) : "",
                        plain(per_giga(part->bandwidth)));
    for (const NumberType type : kAllTypes) text += "," + plain(rate_text(*part, type));
    text += fmt::format(",{},{},\"{}\",{}\n", plain(per_giga(part->link)), plain(watts_text(*part)),
                        part->source, part->date);
  }
  return text;
}

struct Row {
  std::string_view title;
  std::string (*value)(const Accelerator&);
};

// All that is known of a part, one line each.
const std::array<Row, 22>& all_rows() {
  static const std::array<Row, 22> rows{{
      {msgid("maker"), [](const Accelerator& part) { return part.vendor; }},
      {msgid("architecture"), [](const Accelerator& part) { return part.architecture; }},
      {msgid("compute capability"),
       [](const Accelerator& part) {
         return part.compute_capability.empty() ? "-" : part.compute_capability;
       }},
      {msgid("usable memory, GiB"), memory_text},
      {msgid("memory on the box, GiB"),
       [](const Accelerator& part) {
         return part.nominal_memory ? std::to_string(part.nominal_memory->count >> 30) : std::string("-");
       }},
      {msgid("memory bandwidth, GB/s"), [](const Accelerator& part) { return per_giga(part.bandwidth); }},
      {msgid("FP64, TFLOP/s"), [](const Accelerator& part) { return rate_text(part, NumberType::kFp64); }},
      {msgid("FP64 matrix, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kFp64Tensor); }},
      {msgid("FP32, TFLOP/s"), [](const Accelerator& part) { return rate_text(part, NumberType::kFp32); }},
      {msgid("TF32 dense, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kTf32); }},
      {msgid("FP16 dense, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kFp16); }},
      {msgid("BF16 dense, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kBf16); }},
      {msgid("FP8 dense, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kFp8); }},
      {msgid("INT8 dense, TOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kInt8); }},
      {msgid("FP4 dense, TFLOP/s"),
       [](const Accelerator& part) { return rate_text(part, NumberType::kFp4); }},
      {msgid("matrix units"),
       [](const Accelerator& part) {
         if (!part.has_matrix_units) return std::string("-");
         return std::string(*part.has_matrix_units ? tr("yes") : tr("no"));
       }},
      {msgid("link to other GPUs, GB/s"), [](const Accelerator& part) { return per_giga(part.link); }},
      {msgid("PCIe"), [](const Accelerator& part) { return part.pcie.empty() ? "-" : part.pcie; }},
      {msgid("power, W"), watts_text},
      {msgid("native kernels from"),
       [](const Accelerator& part) { return part.minimum_software.empty() ? "-" : part.minimum_software; }},
      {msgid("source"), [](const Accelerator& part) { return part.source; }},
      {msgid("checked"), [](const Accelerator& part) { return part.date; }},
  }};
  return rows;
}

class GpusVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional_list("NAME", names_, "parts to show in full, side by side: H100, A100-PCIe, 4090", false);
    line.option("--vendor", vendor_, "NAME", "only this maker's",
                {"nvidia", "amd", "google", "aws", "intel"});
    line.option("--architecture", architecture_, "NAME", "only this architecture: Hopper, CDNA3");
    line.option("--memory", memory_, "SIZE", "memory: 40GiB+ (at least), 24GiB, 16GiB..48GiB");
    line.option("--has", has_, "TYPE", "only parts with a rate for this number type",
                {"fp64-tensor", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"});
    line.option("--sort", sort_, "KEY",
                "what stands first: the most of it (default: in the order of the makers)",
                {"name", "memory", "bandwidth", "bf16", "fp64", "power"});
    line.flag("--csv", csv_, "print CSV");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const AcceleratorTable table, AcceleratorTable::embedded());
    FOREBAY_TRY(Parts parts, chosen(table));
    sort(parts);
    if (console.json) {
      Json list = Json::array();
      for (const Accelerator* part : parts) list.push(part_json(*part));
      console.print_json(list);
    } else if (csv_) {
      console.print(as_csv(parts));
    } else if (parts.empty()) {
      console.remark(tr("no accelerator fits"));
    } else {
      console.print(names_.empty() ? overview(parts, console) : in_full(parts, console));
    }
    return 0;
  }

 private:
  Result<Parts> chosen(const AcceleratorTable& table) const {
    Parts parts;
    for (const std::string& name : names_) {
      FOREBAY_TRY(const Parts found, table.matching(name));
      for (const Accelerator* part : found)
        if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    }
    if (names_.empty())
      for (const Accelerator& part : table.all()) parts.push_back(&part);
    std::optional<GpuMemoryWish> memory;
    if (!memory_.empty()) {
      FOREBAY_TRY(memory, parse_gpu_memory_wish(memory_));
    }
    FOREBAY_CHECK(check_architecture(table));
    const auto type = number_type_named(has_);
    std::erase_if(parts, [&](const Accelerator* part) {
      return (!vendor_.empty() && part->vendor != vendor_) ||
             (!architecture_.empty() && !has_architecture(*part)) || (type && !part->rate(*type)) ||
             (memory && !memory->accepts(part->memory_or_nominal()));
    });
    return parts;
  }

  bool has_architecture(const Accelerator& part) const {
    return std::ranges::equal(part.architecture, architecture_, [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    });
  }

  Result<void> check_architecture(const AcceleratorTable& table) const {
    if (architecture_.empty() ||
        std::ranges::any_of(table.all(), [&](const Accelerator& part) { return has_architecture(part); }))
      return {};
    std::vector<std::string> known;
    for (const Accelerator& part : table.all())
      if (std::ranges::find(known, part.architecture) == known.end()) known.push_back(part.architecture);
    return make_error(ErrorCode::kInvalidInput, "list accelerators", "--architecture " + architecture_,
                      std::string(tr("no part has this architecture")),
                      fmt::format(fmt::runtime(tr("There are: {0}.")), fmt::join(known, ", ")));
  }

  void sort(Parts& parts) const {
    const auto most = [&](auto key) {
      std::ranges::stable_sort(parts, [&](const Accelerator* a, const Accelerator* b) {
        return key(*a).value_or(-1) > key(*b).value_or(-1);
      });
    };
    const auto number = [](const auto& value, auto member) {
      return value ? std::optional((*value).*member) : std::nullopt;
    };
    if (sort_ == "name") std::ranges::sort(parts, {}, [](const Accelerator* part) { return part->id; });
    if (sort_ == "memory")
      most([](const Accelerator& part) {
        const auto memory = part.memory_or_nominal();
        return memory ? std::optional(static_cast<double>(memory->count)) : std::nullopt;
      });
    if (sort_ == "bandwidth")
      most([&](const Accelerator& part) { return number(part.bandwidth, &ByteRate::per_second); });
    if (sort_ == "bf16") most(half_rate);
    if (sort_ == "fp64")
      most([&](const Accelerator& part) {
        const auto matrix = part.rate(NumberType::kFp64Tensor);
        return number(matrix ? matrix : part.rate(NumberType::kFp64), &FlopRate::per_second);
      });
    if (sort_ == "power") most([&](const Accelerator& part) { return number(part.power, &Watts::value); });
  }

  static std::string overview(const Parts& parts, const Console& console) {
    // The last columns are shown where the terminal is wide enough.
    std::vector<TableColumn> columns{{std::string(tr("ACCELERATOR"))},
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
                                     {"INT8", true}};
    std::vector<std::vector<TableCell>> rows;
    for (const Accelerator* part : parts) {
      const auto half = half_rate(*part);
      rows.push_back({part->id, memory_text(*part), per_giga(part->bandwidth),
                      figure(half ? std::optional(*half / kTera) : std::nullopt),
                      rate_text(*part, NumberType::kFp8), rate_text(*part, NumberType::kFp32),
                      watts_text(*part), part->architecture, per_giga(part->link),
                      rate_text(*part, NumberType::kFp64), rate_text(*part, NumberType::kTf32),
                      rate_text(*part, NumberType::kInt8)});
    }
    return format_table(columns, rows, style_of(console)) +
           fmt::format(
               "{}\n",
               tr("Rates are dense, in TFLOP/s. ~: the number on the box; drivers report up to 8 % less. "
                  "-: not known."));
  }

  static std::string in_full(const Parts& parts, const Console& console) {
    std::vector<TableColumn> columns{{"", false, true, false, 12}};
    for (const Accelerator* part : parts) columns.push_back({part->id, false, true, false, 10});
    std::vector<std::vector<TableCell>> rows;
    for (const Row& row : all_rows()) {
      std::vector<TableCell> cells{std::string(tr(row.title))};
      for (const Accelerator* part : parts) cells.emplace_back(row.value(*part));
      rows.push_back(std::move(cells));
    }
    return format_table(columns, rows, style_of(console));
  }

  std::vector<std::string> names_;
  std::string vendor_, architecture_, memory_, has_, sort_;
  bool csv_ = false;
};

}  // namespace

VerbInfo gpus_verb_info() {
  return {"gpus",
          "Rent",
          "the accelerators that are known: memory, bandwidth, rates",
          "Lists accelerators with what decides which jobs fit and how fast they run. Memory is what the "
          "driver reports as "
          "usable, which is less than the number on the box (~ where only that is known). Rates are dense: "
          "no sparsity, and "
          "of the matrix units where there are any; on GeForce with accumulation in FP32, as frameworks use "
          "it. With names, "
          "those parts in full, side by side.",
          "$ forebay gpus --memory 40GiB+ --sort bandwidth\n"
          "$ forebay gpus A10 A10G L4\n"
          "$ forebay gpus --has fp8 --vendor nvidia --json",
          make_verb<GpusVerb>};
}

}  // namespace forebay
