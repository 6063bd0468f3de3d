// forebay gpus: the accelerators that are known, with the figures that decide what runs on them and how fast.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "catalog/accelerator_table.h"
#include "catalog/offer_filter.h"
#include "cli/gpus_view.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"

namespace forebay {
namespace {

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
                {"name", "memory", "bandwidth", "bf16", "fp8", "int8", "fp32", "fp64", "link", "power"});
    line.flag("--csv", csv_, "print CSV in the columns of the table");
    line.option("--table", table_, "FILE",
                "read this table (in the columns of --csv) instead of the built-in one");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const AcceleratorTable table,
                table_.empty() ? AcceleratorTable::embedded() : AcceleratorTable::load(table_));
    FOREBAY_TRY(Accelerators parts, chosen(table, console));
    sort(parts);
    TerminalStyle style = style_of(console);
    if (console.json) {
      Json list = Json::array();
      for (const Accelerator* part : parts) list.push(accelerator_json(*part));
      console.print_json(list);
    } else if (csv_) {
      console.print(accelerators_as_csv(parts));
    } else if (parts.empty()) {
      console.remark(tr("no accelerator fits"));
    } else {
      console.print(names_.empty() ? accelerator_list(parts, style) : accelerators_in_full(parts, style));
    }
    return 0;
  }

 private:
  // The parts of these names, in their order. A name of several parts means the usual one, unless a filter
  // chooses among them; the others are said.
  Result<Accelerators> named(const AcceleratorTable& table, const Console& console) const {
    Accelerators parts;
    for (const std::string& name : names_) {
      FOREBAY_TRY(Accelerators found, table.matching(name));
      if (found.size() > 1 && found.front() == table.find(name)) {
        if (!has_filter()) {
          say_others(name, found, console);
          found.resize(1);
        }
      }
      for (const Accelerator* part : found)
        if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    }
    return parts;
  }

  static void say_others(const std::string& name, const Accelerators& found, const Console& console) {
    std::vector<std::string_view> others;
    for (const Accelerator* part : found)
      if (part != found.front()) others.push_back(part->id);
    console.remark(fmt::format(fmt::runtime(tr("{0} is taken for {1}; it may also be {2}")), name,
                               found.front()->id, fmt::join(others, ", ")));
  }

  bool has_filter() const {
    return !vendor_.empty() || !architecture_.empty() || !memory_.empty() || !has_.empty();
  }

  Result<Accelerators> chosen(const AcceleratorTable& table, const Console& console) const {
    FOREBAY_TRY(Accelerators parts, named(table, console));
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

  void sort(Accelerators& parts) const {
    const auto most = [&](auto key) {
      // All stand in one table, so that of equals the earlier row comes first.
      std::ranges::sort(parts, [&](const Accelerator* a, const Accelerator* b) {
        return std::pair(key(*b).value_or(-1), a) < std::pair(key(*a).value_or(-1), b);
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
    if (sort_ == "link")
      most([&](const Accelerator& part) { return number(part.link, &ByteRate::per_second); });
    if (sort_ == "bf16") most(half_precision_rate);
    if (const auto type = number_type_named(sort_); type && sort_ != "bf16" && sort_ != "fp64")
      most([&](const Accelerator& part) { return number(part.rate(*type), &FlopRate::per_second); });
    if (sort_ == "fp64")
      most([&](const Accelerator& part) {
        const auto matrix = part.rate(NumberType::kFp64Tensor);
        return number(matrix ? matrix : part.rate(NumberType::kFp64), &FlopRate::per_second);
      });
    if (sort_ == "power") most([&](const Accelerator& part) { return number(part.power, &Watts::value); });
  }

  std::vector<std::string> names_;
  std::string vendor_, architecture_, memory_, has_, sort_, table_;
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
          "those parts in full, side by side: ids, or what drivers, clouds and people call them. A name that "
          "several parts share (A100) means the usual one and the others are said; with a filter, all that "
          "pass it.",
          "$ forebay gpus --memory 40GiB+ --sort bandwidth\n"
          "$ forebay gpus A10 A10G L4\n"
          "$ forebay gpus A100 --memory 80GiB\n"
          "$ forebay gpus --has fp8 --vendor nvidia --json",
          make_verb<GpusVerb>};
}

}  // namespace forebay
