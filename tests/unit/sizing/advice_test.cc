#include "sizing/advice.h"

#include <gtest/gtest.h>

#include "sizing/deepspeed.h"
#include "sizing/model_table.h"

namespace forebay {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

struct Case {
  ModelShape shape = *find_model("Llama-3.1-8B");
  MemoryConstants constants = *built_in_memory_constants();
  Bytes usable{24 * kGiB};
};

TEST(Advice, RanksChangesByTheirSaving) {
  const Case c;
  const Workload work{.method = Method::kLora, .precision = TrainingPrecision::kPure16, .micro_batch = 4};
  const MemoryEstimate now = estimate_memory(c.shape, work, c.constants);
  const std::vector<SizingChange> changes = possible_changes(c.shape, work, c.constants, now, c.usable);
  ASSERT_GE(changes.size(), 3u);
  for (const SizingChange& change : changes) {
    EXPECT_GT(change.saving, 0);
    EXPECT_NEAR(now.likely - change.saving, change.after.likely, 1);
  }
}

TEST(Advice, FindsASeriesThatFits) {
  const Case c;
  const Workload work{.method = Method::kLora, .precision = TrainingPrecision::kPure16, .micro_batch = 4};
  const MemoryEstimate now = estimate_memory(c.shape, work, c.constants);
  ASSERT_NE(fit_of(now, c.usable), Fit::kFits);
  const std::vector<SizingChange> together = changes_that_fit(c.shape, work, c.constants, now, c.usable);
  ASSERT_FALSE(together.empty());
  EXPECT_EQ(together.back().fit, Fit::kFits);
  EXPECT_TRUE(changes_that_fit(*find_model("Llama-3.1-405B"), work, c.constants, now, Bytes{kGiB}).empty());
}

TEST(Advice, ToldOfALateFailureNamesTheSequenceThatIsTooLong) {
  const Case c;
  const Workload work{.method = Method::kLora,
                      .precision = TrainingPrecision::kPure16,
                      .recompute = Recompute::kFull,
                      .sequence = 512,
                      .devices = 4};
  const auto longest = longest_sequence(c.shape, work, c.constants, c.usable);
  ASSERT_TRUE(longest);
  EXPECT_GT(*longest, 512);
  Workload at = work;
  at.sequence = *longest;
  EXPECT_LE(estimate_memory(c.shape, at, c.constants).likely, static_cast<double>(c.usable.count));
  at.sequence = *longest + 1;
  EXPECT_GT(estimate_memory(c.shape, at, c.constants).likely, static_cast<double>(c.usable.count));
  const auto why =
      why_late(c.shape, work, c.constants, estimate_memory(c.shape, work, c.constants), c.usable, 0.23);
  ASSERT_GE(why.size(), 4u);
  EXPECT_NE(why[0].why.find(std::to_string(*longest)), std::string::npos);
  EXPECT_NE(why[0].why.find("23 %"), std::string::npos);
  EXPECT_FALSE(longest_sequence(c.shape, work, c.constants, Bytes{kGiB}));
}

TEST(DeepSpeed, StatesWhatItStatesAndNoMore) {
  const auto settings = read_deepspeed(
      R"({"zero_optimization":{"stage":3,"offload_optimizer":{"device":"cpu"}},"bf16":{"enabled":true},
    "train_micro_batch_size_per_gpu":"auto","gradient_accumulation_steps":4,"optimizer":{"type":"AdamW"}})",
      "ds.json");
  ASSERT_TRUE(settings) << settings.error().sentence();
  EXPECT_EQ(settings->zero_stage, 3);
  EXPECT_EQ(settings->offload, Offload::kOptimizer);
  EXPECT_EQ(settings->accumulation, 4);
  EXPECT_FALSE(settings->micro_batch);
  EXPECT_EQ(settings->optimizer, Optimizer::kAdamW);
  EXPECT_FALSE(read_deepspeed("{}", "ds.json"));
  EXPECT_FALSE(read_deepspeed(R"({"zero_optimization":{"stage":9}})", "ds.json"));
}

}  // namespace
}  // namespace forebay
