#include "planning/relative_speed.h"

#include <gtest/gtest.h>

#include "catalog/accelerator_table.h"

namespace forebay {
namespace {

class RelativeSpeed : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = AcceleratorTable::embedded();
    auto model = RelativeSpeedModel::embedded();
    ASSERT_TRUE(table && model) << model.error().sentence();
    table_ = *std::move(table);
    model_ = *model;
  }
  std::optional<SpeedRatio> ratio(const char* name, double count, const char* reference,
                                  double reference_count) {
    return relative_speed(model_, {table_.find(name), count}, {table_.find(reference), reference_count});
  }
  AcceleratorTable table_;
  RelativeSpeedModel model_;
};

TEST_F(RelativeSpeed, TheSameMachineIsAsFastAsItself) {
  const auto same = ratio("A100", 8, "A100", 8);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->low, 1);
  EXPECT_EQ(same->likely, 1);
  EXPECT_EQ(same->high, 1);
}

TEST_F(RelativeSpeed, MoreDevicesHelpLessThanInProportion) {
  const auto eight = ratio("A100", 8, "A100", 1);
  EXPECT_GT(eight->likely, 6);
  EXPECT_LT(eight->likely, 8);
  EXPECT_EQ(ratio("L4", 0.125, "L4", 1)->likely, 0.125);
}

// bert_large, fp16, one GPU each: an H100 SXM is about twice as fast as an A100 40GB PCIe.
TEST_F(RelativeSpeed, ANewerPartIsFasterWithinWhatIsMeasured) {
  const auto h100 = ratio("H100-SXM-80GB", 1, "A100-PCIe-40GB", 1);
  ASSERT_TRUE(h100);
  EXPECT_LT(h100->low, 2);
  EXPECT_GT(h100->high, 2);
  const auto back = ratio("A100-PCIe-40GB", 1, "H100-SXM-80GB", 1);
  EXPECT_NEAR(h100->likely * back->likely, 1, 1e-9);
  EXPECT_NEAR(h100->low * back->high, 1, 1e-9);
}

TEST_F(RelativeSpeed, AMissingFigureGivesNoRatio) {
  EXPECT_FALSE(ratio("MI308X", 1, "A100", 1)) << "its rates are not published";
  EXPECT_FALSE(ratio("nothing of this name", 1, "A100", 1));
}

}  // namespace
}  // namespace forebay
