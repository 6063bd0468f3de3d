#include "catalog/accelerator_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/csv.h"

namespace forebay {
namespace {

using testing::HasSubstr;

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

double teraflops(std::string_view name, NumberType type) {
  const Accelerator* part = table().find(name);
  EXPECT_NE(part, nullptr) << name;
  return part != nullptr && part->rate(type) ? part->rate(type)->per_second / kTera : 0;
}

std::int64_t mebibytes(std::string_view name) {
  const Accelerator* part = table().find(name);
  EXPECT_NE(part, nullptr) << name;
  return part != nullptr && part->memory ? part->memory->count / kMebi : 0;
}

TEST(AcceleratorTable, HoldsThePartsPeopleRent) {
  EXPECT_GE(table().all().size(), 70u);
  for (const char* name :
       {"P100",     "V100",     "T4",        "A10",       "A10G",        "A100",   "A800",   "H100",
        "H800",     "H20",      "H200",      "B200",      "GB200",       "L4",     "L40S",   "RTX 3090",
        "RTX 4090", "RTX 5090", "MI210",     "MI250X",    "MI300X",      "MI355X", "TPU-v4", "TPU-v5e",
        "TPU-v5p",  "TPU-v6e",  "Trainium1", "Trainium2", "Inferentia2", "Gaudi2", "Gaudi3"})
    EXPECT_NE(table().find(name), nullptr) << name;
}

// The number on the box is not what a job can use.
TEST(AcceleratorTable, UsableMemoryIsWhatTheDriverReports) {
  EXPECT_EQ(mebibytes("A10G"), 23'028);
  EXPECT_EQ(mebibytes("L40S"), 46'068);
  EXPECT_EQ(mebibytes("H100-SXM-80GB"), 81'559);
  EXPECT_EQ(mebibytes("H200"), 143'771);
  EXPECT_EQ(mebibytes("H100-NVL-94GB"), 95'830);
  EXPECT_EQ(mebibytes("T4"), 15'360);
}

// Popular tables give rates with sparsity or of the plain pipelines.
TEST(AcceleratorTable, RatesAreDenseAndOfTheMatrixUnits) {
  EXPECT_EQ(teraflops("H100-SXM", NumberType::kBf16), 989);
  EXPECT_EQ(teraflops("A100", NumberType::kBf16), 312);
  EXPECT_NEAR(teraflops("RTX A6000", NumberType::kBf16), 154.8, 0.1);
  EXPECT_EQ(teraflops("L40S", NumberType::kFp16), 362);
  EXPECT_NEAR(teraflops("RTX 4090", NumberType::kFp16), 165.2, 0.1) << "with FP32 accumulation";
  EXPECT_EQ(teraflops("A10G", NumberType::kBf16), 70) << "half the matrix units of an A10";
}

TEST(AcceleratorTable, ExportPartsDifferWhereTheyDo) {
  EXPECT_EQ(table().find("A800-SXM-80GB")->link->per_second, 400 * kGiga);
  EXPECT_EQ(table().find("A100-SXM-80GB")->link->per_second, 600 * kGiga);
  EXPECT_LE(teraflops("H800", NumberType::kFp64), 1.01);
  EXPECT_EQ(teraflops("H800", NumberType::kBf16), 989);
  EXPECT_EQ(teraflops("H20", NumberType::kBf16), 148);
}

TEST(AcceleratorTable, EveryRowHoldsTogether) {
  for (const Accelerator& part : table().all()) {
    SCOPED_TRACE(part.id);
    ASSERT_TRUE(part.nominal_memory);
    EXPECT_TRUE(part.bandwidth);
    EXPECT_TRUE(part.has_matrix_units);
    if (part.memory) {
      const double share =
          static_cast<double>(part.memory->count) / static_cast<double>(part.nominal_memory->count);
      EXPECT_GT(share, 0.92);
      EXPECT_LE(share, 1.03);
    }
    const auto fp16 = part.rate(NumberType::kFp16), fp8 = part.rate(NumberType::kFp8),
               fp4 = part.rate(NumberType::kFp4);
    const auto fp32 = part.rate(NumberType::kFp32), tf32 = part.rate(NumberType::kTf32);
    if (part.vendor == "nvidia" && fp16 && fp8) {
      EXPECT_NEAR(fp8->per_second / fp16->per_second, 2, 0.03);
    }
    if (part.vendor == "nvidia" && fp16 && tf32) {
      EXPECT_NEAR(fp16->per_second / tf32->per_second, 2, 0.05);
    }
    if (fp8 && fp4) {
      EXPECT_GE(fp4->per_second, 1.9 * fp8->per_second);
    }
    if (fp16 && fp32) {
      EXPECT_LE(fp16->per_second, 35 * fp32->per_second);
    }
    if (part.vendor == "nvidia") {
      EXPECT_FALSE(part.compute_capability.empty());
      EXPECT_THAT(part.minimum_software, testing::StartsWith("CUDA "));
    }
    if (part.architecture == "Ampere" || part.architecture == "Ada" || part.architecture == "Hopper") {
      EXPECT_EQ(part.rate(NumberType::kBf16), fp16);
    }
    if (part.architecture == "Turing" || part.architecture == "Volta" || part.architecture == "Pascal") {
      EXPECT_FALSE(part.rate(NumberType::kBf16)) << "no bf16 in hardware";
    }
  }
}

TEST(AcceleratorTable, AgreesWithWhatDriversReported) {
  std::ifstream file(FOREBAY_SOURCE_DIR "/../shared/data/measured/nvidia_smi.csv");
  if (!file) GTEST_SKIP() << "the measured figures are not here";
  std::stringstream text;
  text << file.rdbuf();
  const auto measured = CsvTable::parse(text.str(), "nvidia_smi.csv");
  ASSERT_TRUE(measured) << measured.error().sentence();
  const std::size_t names = *measured->column("gpu_names"), memory = *measured->column("fb_memory_total_mib");
  std::map<std::string, std::set<std::int64_t>> seen;
  for (std::size_t row = 0; row < measured->rows(); ++row) {
    const std::string name(measured->cell(row, names));
    if (name.ends_with("Q")) continue;  // a share of a GPU
    seen[name].insert(static_cast<std::int64_t>(**measured->number(row, memory)));
  }
  EXPECT_GT(seen.size(), 20u);
  for (const auto& [name, values] : seen) {
    const Accelerator* part = table().find(name);
    ASSERT_NE(part, nullptr) << name;
    ASSERT_TRUE(part->memory) << name;
    // Without error correction (two machines) a part reports more; the least is the figure to plan with.
    EXPECT_EQ(part->memory->count / kMebi, *values.begin()) << name;
  }
}

TEST(AcceleratorTable, NamesOfDriversCloudsAndPeopleAreFound) {
  EXPECT_EQ(table().find("nvidia a100-sxm4-80gb")->id, "A100-SXM-80GB");
  EXPECT_EQ(table().find("Tesla V100-SXM2-16GB")->id, "V100-SXM-16GB");
  EXPECT_EQ(table().find("4090")->id, "RTX-4090");
  EXPECT_EQ(table().find("geforce_rtx_4090")->id, "RTX-4090");
  EXPECT_EQ(table().find("A100")->id, "A100-SXM-40GB");
  EXPECT_EQ(table().find(""), nullptr);
  const auto pcie = table().matching("A100-PCIe");
  ASSERT_TRUE(pcie);
  EXPECT_EQ(pcie->size(), 2u);
  EXPECT_THAT(table().matching("H10O").error().sentence(), HasSubstr("there is none of this name"));
  EXPECT_THAT(table().matching("RTX-5009").error().sentence(), HasSubstr("Did you mean RTX-50"));
  EXPECT_FALSE(table().matching(""));
}

constexpr const char* kHeader =
    "id,aliases,vendor,architecture,compute_capability,memory_mib,memory_source,nominal_gb,bandwidth_gbps,"
    "fp64,"
    "fp64_tensor,fp32,tf32,fp16,bf16,fp8,int8,fp4,matrix_units,link_gbps,pcie,power_w,minimum_software,"
    "source,date\n";

TEST(AcceleratorTable, BadRowsAreRefusedWithTheirPlace) {
  const auto parse = [](const std::string& row) { return AcceleratorTable::parse(kHeader + row, "t.csv"); };
  EXPECT_TRUE(parse("X,,nvidia,,,,,16,100,,,,,,,,,,yes,,,,,s,2026\n"));
  EXPECT_THAT(parse("X,,nvidia,,,,,16,0,,,,,,,,,,yes,,,,,s,2026\n").error().sentence(),
              HasSubstr("t.csv:2: bandwidth_gbps is 0"));
  EXPECT_THAT(parse("X,,nvidia,,,,,80000,100,,,,,,,,,,yes,,,,,s,2026\n").error().sentence(),
              HasSubstr("nominal_gb is 80000"));
  EXPECT_THAT(parse("X,,nvidia,,,,,16,100,,,,,,,,,,maybe,,,,,s,2026\n").error().sentence(),
              HasSubstr("matrix_units is \"maybe\""));
  EXPECT_THAT(parse("X,,nvidia,,,,,16,100,,,,,,,,,,yes,,,,,,2026\n").error().sentence(),
              HasSubstr("no source"));
  EXPECT_THAT(
      parse("X,Y,n,,,,,16,100,,,,,,,,,,yes,,,,,s,2026\nZ,nvidia y,n,,,,,16,100,,,,,,,,,,yes,,,,,s,2026\n")
          .error()
          .sentence(),
      HasSubstr("t.csv:3: the name \"y\" of Z is another part's too"));
  EXPECT_FALSE(AcceleratorTable::parse("", "t.csv"));
  EXPECT_FALSE(AcceleratorTable::parse("id,vendor\nX,n\n", "t.csv"));
}

}  // namespace
}  // namespace forebay
