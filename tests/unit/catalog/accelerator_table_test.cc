#include "catalog/accelerator_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/embedded.h"
#include "base/file.h"

namespace forebay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const AcceleratorTable& table() {
  static const AcceleratorTable loaded = [] {
    auto result = AcceleratorTable::embedded();
    EXPECT_TRUE(result) << result.error().sentence();
    return result ? *std::move(result) : AcceleratorTable();
  }();
  return loaded;
}

std::vector<std::string> ids_matching(std::string_view name) {
  const auto found = table().matching(name);
  EXPECT_TRUE(found) << name;
  std::vector<std::string> ids;
  if (found)
    for (const Accelerator* part : *found) ids.push_back(part->id);
  return ids;
}

std::string error_of(std::string_view name) {
  const auto found = table().matching(name);
  EXPECT_FALSE(found) << name;
  return found ? "" : found.error().sentence();
}

TEST(AcceleratorTable, NamesOfDriversCloudsAndPeopleAreFound) {
  EXPECT_EQ(table().find("nvidia a100-sxm4-80gb")->id, "A100-SXM-80GB");
  EXPECT_EQ(table().find("Tesla V100-SXM2-16GB")->id, "V100-SXM-16GB");
  EXPECT_EQ(table().find("4090")->id, "RTX-4090");
  EXPECT_EQ(table().find("RTX4090")->id, "RTX-4090");
  EXPECT_EQ(table().find("geforce_rtx_4090")->id, "RTX-4090");
  EXPECT_EQ(table().find("nvidia-h100-80gb")->id, "H100-SXM-80GB");
  EXPECT_EQ(table().find("nvidia-h100-mega-80gb")->id, "H100-SXM-80GB");
  EXPECT_EQ(table().find("tpu-v5p-slice")->id, "TPU-v5p");
  EXPECT_EQ(table().find(""), nullptr);
  EXPECT_EQ(table().find("NVIDIA"), nullptr);
}

TEST(AcceleratorTable, AnIdOrADriversNameMeansOnePart) {
  EXPECT_THAT(ids_matching("RTX-3080"), ElementsAre("RTX-3080"));
  EXPECT_THAT(ids_matching("H20"), ElementsAre("H20"));
  EXPECT_THAT(ids_matching("NVIDIA H200"), ElementsAre("H200-SXM"));
  EXPECT_THAT(ids_matching("L4"), ElementsAre("L4"));
}

TEST(AcceleratorTable, ASharedNameMeansTheUsualPartBeforeTheOthers) {
  EXPECT_THAT(ids_matching("A100"),
              ElementsAre("A100-SXM-40GB", "A100-SXM-80GB", "A100-PCIe-40GB", "A100-PCIe-80GB"));
  EXPECT_THAT(ids_matching("a100-80gb"), ElementsAre("A100-SXM-80GB", "A100-PCIe-80GB"));
  EXPECT_THAT(ids_matching("H100"), ElementsAre("H100-SXM-80GB", "H100-PCIe-80GB", "H100-NVL-94GB"));
  EXPECT_THAT(ids_matching("H200"), ElementsAre("H200-SXM", "H200-NVL"));
  EXPECT_THAT(ids_matching("4060Ti"), ElementsAre("RTX-4060-Ti-16GB", "RTX-4060-Ti-8GB"));
}

TEST(AcceleratorTable, ANameThatIsNobodysAloneMeansAllItMayMean) {
  EXPECT_THAT(ids_matching("A100-PCIe"), ElementsAre("A100-PCIe-40GB", "A100-PCIe-80GB"));
  EXPECT_EQ(table().find("A100-PCIe"), nullptr);
}

TEST(AcceleratorTable, AnUnknownNameSaysTheNearest) {
  EXPECT_THAT(error_of("H10O"), HasSubstr("there is none of this name"));
  EXPECT_THAT(error_of("RTX-4900"), HasSubstr("Did you mean RTX-4090?"));
  EXPECT_THAT(error_of("NVIDIA A10-8Q"), HasSubstr("It is a share of A10."));
  EXPECT_THAT(error_of("GRID T4-16Q"), HasSubstr("It is a share of T4."));
  EXPECT_THAT(error_of(""), HasSubstr("there is none of this name"));
}

TEST(AcceleratorTable, WhatIsWrittenReadsBackTheSame) {
  std::vector<const Accelerator*> parts;
  for (const Accelerator& part : table().all()) parts.push_back(&part);
  const std::string csv = accelerators_as_csv(parts);
  std::string rows;
  std::istringstream file{std::string(*embedded_file("data/accelerators.csv"))};
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) rows += line + "\n";
  EXPECT_EQ(csv, rows);
  const auto again = AcceleratorTable::parse(csv, "again.csv");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->all().size(), table().all().size());
}

constexpr const char* kHeader =
    "id,aliases,vendor,architecture,compute_capability,memory_mib,memory_source,nominal_gb,bandwidth_gbps,"
    "fp64,fp64_tensor,fp32,tf32,fp16,bf16,fp8,int8,fp4,matrix_units,link_gbps,pcie,power_w,"
    "minimum_software,minimum_framework,source,date\n";

TEST(AcceleratorTable, AFileTakesTheTablesPlace) {
  const std::string path = testing::TempDir() + "forebay-accelerators.csv";
  ASSERT_TRUE(write_file_atomic(
      path, std::string(kHeader) + "X1,\"X|The, one\",acme,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026-01-01\n"));
  const auto own = AcceleratorTable::load(path);
  ASSERT_TRUE(own) << own.error().sentence();
  ASSERT_EQ(own->all().size(), 1u);
  EXPECT_EQ(own->find("the, ONE")->id, "X1");
  EXPECT_FALSE(own->find("X1")->memory);
  EXPECT_FALSE(own->find("X1")->rate(NumberType::kFp16));
  EXPECT_EQ(own->find("X1")->memory_or_nominal(), Bytes{16ll << 30});
  EXPECT_EQ(accelerators_as_csv(std::vector{own->find("X")}),
            std::string(kHeader) + "X1,\"X|The, one\",acme,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026-01-01\n");
  EXPECT_FALSE(AcceleratorTable::load(path + ".not-there"));
}

TEST(AcceleratorTable, BadRowsAreRefusedWithTheirPlace) {
  const auto error = [](const std::string& row) {
    const auto read = AcceleratorTable::parse(kHeader + row, "t.csv");
    EXPECT_FALSE(read) << row;
    return read ? "" : read.error().sentence();
  };
  EXPECT_TRUE(
      AcceleratorTable::parse(std::string(kHeader) + "X,,nvidia,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026\n", "t"));
  EXPECT_THAT(error("X,,nvidia,,,,,16,0,,,,,,,,,,yes,,,,,,s,2026\n"),
              HasSubstr("t.csv:2: bandwidth_gbps is 0"));
  EXPECT_THAT(error("X,,nvidia,,,,,16,-5,,,,,,,,,,yes,,,,,,s,2026\n"), HasSubstr("bandwidth_gbps is -5"));
  EXPECT_THAT(error("X,,nvidia,,,,,80000,100,,,,,,,,,,yes,,,,,,s,2026\n"), HasSubstr("nominal_gb is 80000"));
  EXPECT_THAT(error("X,,nvidia,,,,,lots,100,,,,,,,,,,yes,,,,,,s,2026\n"), HasSubstr("is not a number"));
  EXPECT_THAT(error("X,,nvidia,,,,,16,100,,,,,,,,,,maybe,,,,,,s,2026\n"),
              HasSubstr("matrix_units is \"maybe\""));
  EXPECT_THAT(error("X,,nvidia,,,,,16,100,,,,,,,,,,yes,,,,,,,2026\n"), HasSubstr("no source"));
  EXPECT_THAT(error(",,nvidia,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026\n"), HasSubstr("no id"));
  EXPECT_THAT(error("X,,nvidia,,,16000,,16,100,,,,,,,,,,yes,,,,,,s,2026\n"), HasSubstr("memory_source"));
  EXPECT_THAT(error("X,,nvidia,,,16000,guess,16,100,,,,,,,,,,yes,,,,,,s,2026\n"),
              HasSubstr("memory_source is \"guess\""));
  EXPECT_THAT(
      error("X,Y,n,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026\nZ,nvidia y,n,,,,,16,100,,,,,,,,,,yes,,,,,,s,2026\n"),
      HasSubstr("t.csv:3: the name \"y\" of Z is another part's too"));
  EXPECT_FALSE(AcceleratorTable::parse("", "t.csv"));
  EXPECT_THAT(AcceleratorTable::parse("id,vendor\nX,n\n", "t.csv").error().sentence(),
              HasSubstr("no column"));
}

}  // namespace
}  // namespace forebay
