#include "catalog/accelerator_name.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(AcceleratorName, SpellingsOfOnePartAreTheSame) {
  EXPECT_EQ(comparable_name("NVIDIA GeForce RTX 4090"), comparable_name("rtx4090"));
  EXPECT_EQ(comparable_name("4090"), comparable_name("RTX_4090"));
  EXPECT_EQ(comparable_name("nvidia-tesla-t4"), comparable_name("T4"));
  EXPECT_EQ(comparable_name("AMD Instinct MI300X"), comparable_name("mi300x"));
  EXPECT_NE(comparable_name("L40"), comparable_name("L40S"));
  EXPECT_NE(comparable_name("Quadro RTX 6000"), comparable_name("RTX PRO 6000"));
  EXPECT_EQ(comparable_name("NVIDIA"), "");
  EXPECT_EQ(comparable_name(" - "), "");
}

TEST(AcceleratorName, AShortNameMeansIdsThatHoldItsWordsInOrder) {
  EXPECT_TRUE(may_mean("A100", "A100-PCIe-80GB"));
  EXPECT_TRUE(may_mean("a100-80gb", "A100-PCIe-80GB"));
  EXPECT_TRUE(may_mean("nvidia-tesla-a100", "A100-SXM-40GB"));
  EXPECT_TRUE(may_mean("4060Ti", "RTX-4060-Ti-8GB"));
  EXPECT_FALSE(may_mean("L4", "L40S"));
  EXPECT_FALSE(may_mean("A100-80GB", "A100-SXM-40GB"));
  EXPECT_FALSE(may_mean("80GB", "A100-SXM-80GB"));
  EXPECT_FALSE(may_mean("A100-80GB-SXM", "A100-SXM-80GB")) << "not in this order";
  EXPECT_FALSE(may_mean("", "A100-SXM-80GB"));
  EXPECT_FALSE(may_mean("A100", ""));
}

TEST(AcceleratorName, SharesOfAPartAreTold) {
  EXPECT_EQ(shared_part("NVIDIA A10-8Q"), "NVIDIA A10");
  EXPECT_EQ(shared_part("GRID T4-16Q"), "GRID T4");
  EXPECT_FALSE(shared_part("A100-SXM-80GB"));
  EXPECT_FALSE(shared_part("RTX-4090"));
  EXPECT_FALSE(shared_part("-8Q"));
  EXPECT_FALSE(shared_part("A10-Q"));
  EXPECT_FALSE(shared_part(""));
}

}  // namespace
}  // namespace forebay
