// What data/accelerators.csv says, held against what must be true of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "base/csv.h"
#include "base/json.h"
#include "catalog/accelerator_name.h"
#include "catalog/accelerator_table.h"

namespace forebay {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;
constexpr std::int64_t kMebi = 1 << 20;

const AcceleratorTable& table() {
  static const AcceleratorTable loaded = [] {
    auto result = AcceleratorTable::embedded();
    EXPECT_TRUE(result) << result.error().sentence();
    return result ? *std::move(result) : AcceleratorTable();
  }();
  return loaded;
}

const Accelerator& part_named(std::string_view name) {
  static const Accelerator none;
  const Accelerator* part = table().find(name);
  EXPECT_NE(part, nullptr) << name;
  return part == nullptr ? none : *part;
}

double rate_of(const Accelerator& part, NumberType type) {
  const auto rate = part.rate(type);
  return rate ? rate->per_second / kTera : 0;
}

double teraflops(std::string_view name, NumberType type) {
  return rate_of(part_named(name), type);
}

std::int64_t mebibytes(std::string_view name) {
  const Accelerator& part = part_named(name);
  return part.memory ? part.memory->count / kMebi : 0;
}

// GeForce and its TITAN: tensor rates with FP32 accumulation are half of those on the box.
bool is_geforce(const Accelerator& part) {
  return part.id.starts_with("RTX-") && std::isdigit(static_cast<unsigned char>(part.id[4])) != 0 &&
         part.id.find("Ada") == std::string::npos;
}

// A rate is `times` another, to the digits that documents print.
void expect_times(const Accelerator& part, NumberType of, double times, NumberType than) {
  if (!part.rate(of) || !part.rate(than)) return;
  EXPECT_NEAR(rate_of(part, of) / rate_of(part, than), times, 0.03 * times)
      << part.id << ": " << number_type_name(of) << " to " << number_type_name(than);
}

std::optional<CsvTable> shared_table(const std::string& path) {
  std::ifstream file(std::string(FOREBAY_SOURCE_DIR "/../shared/data/") + path);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  auto read = CsvTable::parse(text.str(), path);
  EXPECT_TRUE(read) << read.error().sentence();
  if (!read) return std::nullopt;
  return std::move(*read);
}

TEST(AcceleratorFigures, HoldThePartsPeopleRent) {
  EXPECT_GE(table().all().size(), 130u);
  for (const char* name :
       {"P100",      "P40",          "P4",        "GTX 1080 Ti", "V100",      "T4",          "RTX 2080 Ti",
        "A100",      "A30",          "A40",       "A10",         "A10G",      "A16",         "A2",
        "RTX A6000", "RTX A5000",    "RTX A4000", "RTX 3090",    "A800",      "H100",        "H800",
        "H20",       "H200",         "GH200",     "L4",          "L40",       "L40S",        "L20",
        "RTX 4090",  "RTX 4090 D",   "6000 Ada",  "B200",        "GB200",     "B300",        "GB300",
        "RTX 5090",  "RTX PRO 6000", "MI100",     "MI210",       "MI250",     "MI250X",      "MI300X",
        "MI300A",    "MI308X",       "MI325X",    "MI350X",      "MI355X",    "TPU-v4",      "TPU-v5e",
        "TPU-v5p",   "TPU-v6e",      "TPU-v7",    "Trainium1",   "Trainium2", "Inferentia2", "Gaudi2",
        "Gaudi3"})
    EXPECT_NE(table().find(name), nullptr) << name;
}

// Traps: the number on the box is not what a job can use.
TEST(AcceleratorFigures, UsableMemoryOfA10G) {
  EXPECT_EQ(mebibytes("A10G"), 23'028);
}
TEST(AcceleratorFigures, UsableMemoryOfL40S) {
  EXPECT_EQ(mebibytes("L40S"), 46'068);
}
TEST(AcceleratorFigures, UsableMemoryOfH100) {
  EXPECT_EQ(mebibytes("H100-SXM-80GB"), 81'559);
}
TEST(AcceleratorFigures, UsableMemoryOfH200) {
  EXPECT_EQ(mebibytes("H200"), 143'771);
}
TEST(AcceleratorFigures, AnH100NvlIsAPartOfItsOwn) {
  EXPECT_EQ(mebibytes("NVIDIA H100 NVL"), 95'830);
  EXPECT_NE(table().find("NVIDIA H100 NVL"), table().find("H100"));
}

// Traps: popular tables give rates with sparsity, or of the plain pipelines.
TEST(AcceleratorFigures, A6000IsWithItsTensorCores) {
  EXPECT_NEAR(teraflops("RTX A6000", NumberType::kBf16), 154.8, 0.2);
  EXPECT_NEAR(teraflops("RTX A6000", NumberType::kFp32), 38.7, 0.1);
}
TEST(AcceleratorFigures, H100SxmIsWithoutSparsity) {
  EXPECT_EQ(teraflops("H100", NumberType::kBf16), 989);
}
TEST(AcceleratorFigures, A100IsWithItsTensorCores) {
  EXPECT_EQ(teraflops("A100", NumberType::kBf16), 312);
}
TEST(AcceleratorFigures, A10GHasHalfTheMatrixUnitsOfA10) {
  EXPECT_EQ(teraflops("A10G", NumberType::kBf16), 70);
  EXPECT_EQ(teraflops("A10", NumberType::kBf16), 125);
}
TEST(AcceleratorFigures, GeForceAccumulatesInFp32) {
  EXPECT_NEAR(teraflops("RTX 4090", NumberType::kFp16), 165.2, 0.1);
  EXPECT_NEAR(teraflops("RTX 3090", NumberType::kFp16), 71.2, 0.3);
}
TEST(AcceleratorFigures, L40IsHalfAnL40S) {
  EXPECT_EQ(teraflops("L40", NumberType::kFp16), 181);
  EXPECT_EQ(teraflops("L40S", NumberType::kFp16), 362);
}

TEST(AcceleratorFigures, ExportPartsDifferWhereTheyDo) {
  EXPECT_EQ(part_named("A800-SXM-80GB").link->per_second, 400 * kGiga);
  EXPECT_EQ(part_named("A100-SXM-80GB").link->per_second, 600 * kGiga);
  EXPECT_LE(teraflops("H800", NumberType::kFp64), 1.01);
  EXPECT_EQ(teraflops("H800", NumberType::kBf16), 989);
  EXPECT_EQ(teraflops("H20", NumberType::kBf16), 148);
}

TEST(AcceleratorFigures, EveryRowSaysWhereItIsFrom) {
  std::set<std::string> names;
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    EXPECT_FALSE(part.source.empty());
    EXPECT_THAT(part.date, testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]"));
    EXPECT_THAT(part.vendor, testing::AnyOf("nvidia", "amd", "google", "aws", "intel"));
    EXPECT_FALSE(part.architecture.empty());
    EXPECT_TRUE(part.nominal_memory);
    EXPECT_TRUE(part.bandwidth);
    EXPECT_TRUE(part.has_matrix_units);
    EXPECT_EQ(part.id.find_first_of(" ,|:/"), std::string::npos) << "ids stand in options and files";
    std::set<std::string> own{comparable_name(part.id)};
    for (const std::string& alias : part.aliases) own.insert(comparable_name(alias));
    for (const std::string& name : own) EXPECT_TRUE(names.insert(name).second) << name << " is used twice";
  }
}

TEST(AcceleratorFigures, UsableMemoryIsTheBoxOrALittleLess) {
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    if (!part.memory) continue;
    const double share =
        static_cast<double>(part.memory->count) / static_cast<double>(part.nominal_memory->count);
    EXPECT_GE(share, 0.88);
    EXPECT_LE(share, 1);
  }
}

// What neither a machine nor people said is only taken from a part with the same memory.
TEST(AcceleratorFigures, MemoryIsMeasuredReportedOrThatOfSuchAPart) {
  const auto is_said = [](const std::string& source) { return source == "measured" || source == "reported"; };
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    if (!part.memory || is_said(part.memory_source)) continue;
    ASSERT_TRUE(part.memory_source.starts_with("as ")) << part.memory_source;
    const Accelerator& other = part_named(part.memory_source.substr(3));
    EXPECT_TRUE(is_said(other.memory_source)) << other.memory_source;
    EXPECT_EQ(other.memory, part.memory);
    EXPECT_EQ(other.nominal_memory, part.nominal_memory);
  }
}

TEST(AcceleratorFigures, RatesOfOnePartHoldTogether) {
  using enum NumberType;
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    if (part.rate(kFp32)) {
      EXPECT_LE(rate_of(part, kFp16), 34 * rate_of(part, kFp32)) << "with sparsity?";
      EXPECT_LE(rate_of(part, kFp64), rate_of(part, kFp32));
    }
    if (part.rate(kFp16) && *part.has_matrix_units && part.rate(kFp32)) {
      EXPECT_GE(rate_of(part, kFp16), 1.9 * rate_of(part, kFp32)) << "of the plain pipelines?";
    }
    if (part.rate(kFp8) && part.rate(kBf16)) {
      EXPECT_GE(rate_of(part, kFp8), 0.99 * rate_of(part, kBf16));
    }
    if (part.rate(kFp4) && part.rate(kFp8)) {
      EXPECT_GE(rate_of(part, kFp4), 0.99 * rate_of(part, kFp8));
    }
    if (!*part.has_matrix_units) {
      EXPECT_FALSE(part.rate(kTf32) || part.rate(kFp64Tensor) || part.rate(kBf16) || part.rate(kFp8));
    }
  }
}

TEST(AcceleratorFigures, RatesOfNvidiaPartsAreInTheRatiosOfTheirFamily) {
  using enum NumberType;
  for (const Accelerator& part : table().all()) {
    if (part.vendor != "nvidia" || !*part.has_matrix_units) continue;
    SCOPED_TRACE(part.id);
    expect_times(part, kFp16, 2, kTf32);
    expect_times(part, kBf16, 1, kFp16);
    expect_times(part, kFp8, 2, kFp16);
    if (part.architecture != "Blackwell Ultra") expect_times(part, kFp4, is_geforce(part) ? 4 : 2, kFp8);
    const bool is_large = part.compute_capability == "8.0" || part.architecture == "Hopper" ||
                          part.compute_capability == "10.0";
    if (is_large) expect_times(part, kInt8, 2, kFp16);
    if (is_large && part.id.find("H800") == std::string::npos && !part.id.starts_with("H20-") &&
        part.id != "H20" && part.architecture != "Blackwell")
      expect_times(part, kFp64Tensor, 2, kFp64);
    if (is_geforce(part) && part.architecture != "Turing") {
      expect_times(part, kFp16, 2, kFp32);
      expect_times(part, kInt8, 8, kFp32);
    } else if (part.architecture != "Turing" && !is_large && part.architecture != "Volta" &&
               part.architecture != "Blackwell Ultra" && part.id != "A10G" && part.id != "L40" &&
               part.id != "L20") {
      expect_times(part, kFp16, 4, kFp32);
      expect_times(part, kInt8, 2, kFp16);
    }
  }
}

TEST(AcceleratorFigures, NumberTypesAreThoseTheHardwareHas) {
  using enum NumberType;
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    if (part.vendor != "nvidia") continue;
    const double capability = std::stod(part.compute_capability);
    if (capability < 8) {
      EXPECT_FALSE(part.rate(kBf16) || part.rate(kTf32));
    }
    if (capability < 8.9) {
      EXPECT_FALSE(part.rate(kFp8));
    }
    if (capability < 10) {
      EXPECT_FALSE(part.rate(kFp4));
    }
    EXPECT_EQ(*part.has_matrix_units, capability >= 7);
  }
}

TEST(AcceleratorFigures, OneComputeCapabilityNeedsOneSoftware) {
  std::map<std::string, std::set<std::string>> software;
  for (const Accelerator& part : table().all())
    if (part.vendor == "nvidia") {
      EXPECT_THAT(part.minimum_software, testing::StartsWith("CUDA ")) << part.id;
      software[part.compute_capability].insert(part.minimum_software + " " + part.minimum_framework);
    }
  for (const auto& [capability, names] : software)
    EXPECT_EQ(names.size(), 1u) << capability << ": " << testing::PrintToString(names);
}

// Within a family, the larger name is at least as fast and as large.
TEST(AcceleratorFigures, FamiliesGrowAsTheirNamesDo) {
  const std::vector<std::vector<const char*>> families{
      {"RTX-2060", "RTX-2070", "RTX-2070-Super", "RTX-2080", "RTX-2080-Super", "RTX-2080-Ti", "Titan-RTX"},
      {"RTX-3060", "RTX-3060-Ti", "RTX-3070", "RTX-3070-Ti", "RTX-3080", "RTX-3080-12GB", "RTX-3080-Ti",
       "RTX-3090", "RTX-3090-Ti"},
      {"RTX-4060", "RTX-4060-Ti-8GB", "RTX-4070", "RTX-4070-Super", "RTX-4070-Ti", "RTX-4070-Ti-Super",
       "RTX-4080", "RTX-4080-Super", "RTX-4090-D", "RTX-4090"},
      {"RTX-5060", "RTX-5060-Ti-8GB", "RTX-5070", "RTX-5070-Ti", "RTX-5080", "RTX-5090"},
      {"RTX-A2000-12GB", "RTX-A4000", "RTX-A4500", "RTX-A5000", "RTX-A6000"},
      {"RTX-2000-Ada", "RTX-4000-SFF-Ada", "RTX-4000-Ada", "RTX-4500-Ada", "RTX-5000-Ada", "RTX-5880-Ada",
       "RTX-6000-Ada"},
      {"RTX-PRO-4000", "RTX-PRO-4500", "RTX-PRO-5000", "RTX-PRO-6000-Max-Q", "RTX-PRO-6000-Workstation"},
      {"MI210", "MI250", "MI250X", "MI300X"},
      {"MI350X", "MI355X"}};
  for (const auto& family : families)
    for (std::size_t i = 1; i < family.size(); ++i) {
      const Accelerator &less = part_named(family[i - 1]), &more = part_named(family[i]);
      SCOPED_TRACE(less.id + " and " + more.id);
      EXPECT_GE(rate_of(more, NumberType::kFp32), 0.98 * rate_of(less, NumberType::kFp32));
      if (less.rate(NumberType::kFp16) && more.rate(NumberType::kFp16)) {
        EXPECT_GE(rate_of(more, NumberType::kFp16), rate_of(less, NumberType::kFp16));
      }
    }
}

TEST(AcceleratorFigures, GenerationsGrow) {
  const std::vector<std::vector<const char*>> generations{
      {"P100-SXM-16GB", "V100-SXM-16GB", "A100-SXM-80GB", "H100-SXM-80GB", "H200-SXM", "B200-SXM"},
      {"MI100", "MI250X", "MI300X", "MI325X", "MI355X"},
      {"TPU-v3", "TPU-v4", "TPU-v5p", "TPU-v7"},
      {"Trainium1", "Trainium2", "Trainium3"},
      {"Gaudi2", "Gaudi3"}};
  for (const auto& line : generations)
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Accelerator &old = part_named(line[i - 1]), &next = part_named(line[i]);
      SCOPED_TRACE(old.id + " and " + next.id);
      EXPECT_GE(next.bandwidth->per_second, old.bandwidth->per_second);
      EXPECT_GE(next.nominal_memory->count, old.nominal_memory->count);
      const auto half = [](const Accelerator& part) {
        return std::max(rate_of(part, NumberType::kFp16), rate_of(part, NumberType::kBf16));
      };
      EXPECT_GE(half(next), half(old));
    }
}

TEST(AcceleratorFigures, AgreeWithWhatDriversReported) {
  const auto measured = shared_table("measured/nvidia_smi.csv");
  if (!measured) GTEST_SKIP() << "the measured figures are not here";
  const std::size_t names = *measured->column("gpu_names"), memory = *measured->column("fb_memory_total_mib");
  const std::size_t generation = *measured->column("pcie_gen_max");
  std::map<std::string, std::set<std::int64_t>> seen;
  for (std::size_t row = 0; row < measured->rows(); ++row) {
    const std::string name(measured->cell(row, names));
    if (shared_part(name)) {
      EXPECT_NE(table().find(*shared_part(name)), nullptr) << name;
      continue;
    }
    seen[name].insert(static_cast<std::int64_t>(**measured->number(row, memory)));
    // Machines may connect a part by less than it has, never by more.
    const Accelerator* part = table().find(name);
    ASSERT_NE(part, nullptr) << name;
    EXPECT_LE(**measured->number(row, generation), std::stod(part->pcie)) << name;
  }
  EXPECT_GE(seen.size(), 24u);
  for (const auto& [name, values] : seen) {
    const Accelerator& part = part_named(name);
    ASSERT_TRUE(part.memory) << name;
    EXPECT_EQ(part.memory_source, "measured") << name;
    // Without error correction (four machines) a part reports more; the least is the figure to plan with.
    EXPECT_EQ(part.memory->count / kMebi, *values.begin()) << name;
  }
}

// The figures of a table that others keep, but for what is known to be wrong or rounded there.
TEST(AcceleratorFigures, AgreeWithMlEngineeringsDenseRates) {
  const auto theirs = shared_table("specs/mlengineering_accelerator_tflops_dense.csv");
  if (!theirs) GTEST_SKIP() << "the figures are not here";
  const std::map<std::string, std::string> ids{{"NVIDIA GB300 SXM", "GB300"},
                                               {"NVIDIA GB200 SXM", "GB200"},
                                               {"NVIDIA B300 SXM", "B300"},
                                               {"NVIDIA B200 SXM", "B200"},
                                               {"NVIDIA H200 SXM", "H200"},
                                               {"NVIDIA H100 SXM", "H100"},
                                               {"NVIDIA GH200 SXM", "GH200"},
                                               {"NVIDIA H100 PCIe", "H100 PCIe"},
                                               {"NVIDIA L40S", "L40S"},
                                               {"NVIDIA A100 SXM", "A100"},
                                               {"NVIDIA A100 PCIe", "A100-PCIe-80GB"},
                                               {"AMD MI355X", "MI355X"},
                                               {"AMD MI325X", "MI325X"},
                                               {"AMD MI300X", "MI300X"},
                                               {"AMD MI250X", "MI250X"},
                                               {"AMD MI250", "MI250"},
                                               {"Google TPU v7x", "TPU-v7"},
                                               {"Google TPU v5p", "TPU-v5p"},
                                               {"Google TPU v4", "TPU-v4"},
                                               {"Google TPU v5e", "TPU-v5e"},
                                               {"Intel Gaudi2", "Gaudi2"},
                                               {"AWS Trainium2 / Ultra", "Trainium2"}};
  std::size_t compared = 0;
  for (std::size_t row = 0; row < theirs->rows(); ++row) {
    const auto id = ids.find(std::string(theirs->cell(row, 0)));
    if (id == ids.end()) continue;
    const Accelerator& part = part_named(id->second);
    for (const char* column : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
      const std::string cell(theirs->cell(row, *theirs->column(column)));
      const auto ours = part.rate(*number_type_named(column));
      // There 80: that of GB200. HGX B200 and B300 have 600 in eight, which is 75.
      if (std::string_view(column) == "fp32" && part.architecture.starts_with("Blackwell")) continue;
      if (cell.empty() || std::isdigit(static_cast<unsigned char>(cell[0])) == 0 || !ours) continue;
      EXPECT_NEAR(ours->per_second / kTera / std::stod(cell), 1, 0.011) << part.id << " " << column;
      ++compared;
    }
  }
  EXPECT_GE(compared, 70u);
}

TEST(AcceleratorFigures, AgreeWithMlEngineeringsMemory) {
  const auto theirs = shared_table("specs/mlengineering_accelerator_hbm.csv");
  if (!theirs) GTEST_SKIP() << "the figures are not here";
  const std::map<std::string, std::string> ids{{"NVIDIA B300 SXM", "B300"},
                                               {"NVIDIA B200 SXM", "B200"},
                                               {"NVIDIA GB200 SXM", "GB200"},
                                               {"NVIDIA H200 SXM", "H200"},
                                               {"NVIDIA H100 SXM", "H100"},
                                               {"NVIDIA H100 PCIe", "H100 PCIe"},
                                               {"NVIDIA L40S", "L40S"},
                                               {"AMD MI355X", "MI355X"},
                                               {"NVIDIA A100 PCIe", "A100-PCIe-80GB"},
                                               {"AMD MI350X", "MI350X"},
                                               {"AMD MI325X", "MI325X"},
                                               {"NVIDIA A100 SXM", "A100-SXM-80GB"},
                                               {"AMD MI300X", "MI300X"},
                                               {"AMD MI250X", "MI250X"},
                                               {"AMD MI250", "MI250"},
                                               {"Intel Gaudi2", "Gaudi2"},
                                               {"Intel Gaudi3", "Gaudi3"},
                                               {"NVIDIA GH200 SXM (1)", "GH200-96GB"},
                                               {"Google TPU v4", "TPU-v4"},
                                               {"Google TPU v5e", "TPU-v5e"},
                                               {"Google TPU v5p", "TPU-v5p"},
                                               {"AWS Trainium2 / Ultra", "Trainium2"}};
  std::size_t compared = 0;
  for (std::size_t row = 0; row < theirs->rows(); ++row) {
    const auto id = ids.find(std::string(theirs->cell(row, 0)));
    if (id == ids.end()) continue;
    const Accelerator& part = part_named(id->second);
    EXPECT_EQ(static_cast<double>(part.nominal_memory->count >> 30), **theirs->number(row, 1)) << part.id;
    EXPECT_NEAR(part.bandwidth->per_second / kTera / **theirs->number(row, 3), 1, 0.025) << part.id;
    ++compared;
  }
  EXPECT_EQ(compared, ids.size());
}

// From CUDA 11.8 on: the oldest PyTorch with a wheel for the CUDA that a part needs, or a newer one.
TEST(AcceleratorFigures, MinimumFrameworkIsTheOldestWithAWheelForTheCuda) {
  const auto wheels = shared_table("compat/torch_cuda_python_driver.csv");
  if (!wheels) GTEST_SKIP() << "the table of wheels is not here";
  const std::size_t torch = *wheels->column("torch"), cuda = *wheels->column("cuda");
  using Version = std::pair<int, int>;
  const auto version = [](const std::string& text) {
    Version read{};
    std::istringstream in(text);
    char dot = 0;
    in >> read.first >> dot >> read.second;
    return read;
  };
  std::size_t checked = 0;
  for (const Accelerator& part : table().all()) {
    if (part.vendor != "nvidia") continue;
    const Version needed = version(part.minimum_software.substr(5));
    if (needed < Version{11, 8}) continue;
    std::optional<Version> oldest;
    for (std::size_t row = 0; row < wheels->rows(); ++row) {
      const std::string of(wheels->cell(row, cuda));
      if (of == "cpu" || of.empty() || version(of) < needed) continue;
      const Version release = version(std::string(wheels->cell(row, torch)));
      if (!oldest || release < *oldest) oldest = release;
    }
    ASSERT_TRUE(oldest) << part.id;
    EXPECT_EQ(part.minimum_framework,
              "PyTorch " + std::to_string(oldest->first) + "." + std::to_string(oldest->second))
        << part.id;
    ++checked;
  }
  EXPECT_GE(checked, 40u);
}

}  // namespace
}  // namespace forebay
