#include "sizing/memory.h"

#include <gtest/gtest.h>

#include "sizing/activations.h"
#include "sizing/model_table.h"

namespace forebay {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

MemoryConstants constants() {
  const auto built_in = built_in_memory_constants();
  EXPECT_TRUE(built_in);
  return *built_in;
}
ModelShape model(std::string_view name) {
  const auto shape = find_model(name);
  EXPECT_TRUE(shape) << name;
  return *shape;
}
double activations_gib(std::string_view name, const Workload& work) {
  return count_activations(model(name), work, constants()).layers / kGiB;
}

// arXiv 2205.05198, figure 1.
TEST(Activations, AreThoseOfTheMegatronPaper) {
  Workload work{.kernels = Kernels::kMegatron,
                .flash_attention = false,
                .micro_batch = 4,
                .devices = 8,
                .tensor_parallel = 8};
  EXPECT_NEAR(activations_gib("megatron-22B", work), 59.25, 0.01);
  work.recompute = Recompute::kSelective;
  work.sequence_parallel = true;
  EXPECT_NEAR(activations_gib("megatron-22B", work), 9.5625, 0.01);
  Workload pipeline{.kernels = Kernels::kMegatron,
                    .flash_attention = false,
                    .accumulation = 64,
                    .devices = 64,
                    .tensor_parallel = 8,
                    .pipeline_parallel = 8,
                    .interleaving = 3};
  EXPECT_NEAR(activations_gib("gpt3-175B", pipeline), 66.84, 0.05);
}

TEST(Memory, OfFullTrainingIsSixteenBytesAParameterAndMore) {
  const ModelShape shape = model("Llama-2-7b");
  const MemoryEstimate estimate =
      estimate_memory(shape, Workload{.recompute = Recompute::kFull, .sequence = 512}, constants());
  const double states = estimate.of(MemoryTerm::kWeights) + estimate.of(MemoryTerm::kMaster) +
                        estimate.of(MemoryTerm::kGradients) + estimate.of(MemoryTerm::kOptimizer);
  EXPECT_NEAR(states / (16 * 6738415616.0), 1, 1e-6);
  double sum = 0;
  for (const TermBytes& term : estimate.terms) sum += term.bytes;
  EXPECT_NEAR(sum, estimate.likely, 1);
  EXPECT_LT(estimate.low, estimate.likely);
  EXPECT_GT(estimate.high, estimate.likely);
  EXPECT_LE(estimate.allocated, estimate.reserved);
}

TEST(Memory, IsSharedByZeroStageByStage) {
  const ModelShape shape = model("Llama-2-7b");
  Workload work{.recompute = Recompute::kFull, .devices = 8};
  double before = estimate_memory(shape, work, constants()).likely;
  for (int stage = 1; stage <= 3; ++stage) {
    work.zero_stage = stage;
    const MemoryEstimate estimate = estimate_memory(shape, work, constants());
    EXPECT_LT(estimate.likely, before) << stage;
    before = estimate.likely;
  }
  EXPECT_NEAR(estimate_memory(shape, work, constants()).of(MemoryTerm::kOptimizer), 8 * 6738415616.0 / 8, 1);
}

TEST(Memory, OfOptimizersIsWhatTheirStatesAre) {
  const ModelShape shape = model("Llama-2-7b");
  const auto state = [&](Optimizer optimizer) {
    return estimate_memory(shape, Workload{.optimizer = optimizer}, constants()).of(MemoryTerm::kOptimizer) /
           6738415616.0;
  };
  EXPECT_DOUBLE_EQ(state(Optimizer::kAdamW), 8);
  EXPECT_DOUBLE_EQ(state(Optimizer::kLion), 4);
  EXPECT_DOUBLE_EQ(state(Optimizer::kSgdMomentum), 4);
  EXPECT_NEAR(state(Optimizer::kAdamW8Bit), 2.03, 0.01);
  EXPECT_EQ(state(Optimizer::kSgd), 0);
  EXPECT_EQ(state(Optimizer::kPagedAdamW8Bit), 0);
  EXPECT_LT(state(Optimizer::kAdafactor), 0.01);
  EXPECT_GT(state(Optimizer::kMuon), 4);
}

TEST(Memory, OfAdaptersCountsTheirMatrices) {
  EXPECT_EQ(lora_parameters(model("Llama-2-7b"), LoraSettings{.rank = 8}), 4194304);     // litgpt's table
  EXPECT_EQ(lora_parameters(model("Llama-3.2-3B"), LoraSettings{.rank = 32}), 9175040);  // PEFT's table
  EXPECT_EQ(lora_parameters(model("phi-1_5"), LoraSettings{.rank = 8}), 1572864);
}

TEST(Memory, OfTheCacheFollowsHeadsWindowAndLatentAttention) {
  const auto cache = [&](std::string_view name, std::int64_t tokens) {
    return estimate_memory(
               model(name),
               Workload{
                   .method = Method::kInference, .precision = TrainingPrecision::kPure16, .sequence = tokens},
               constants())
        .of(MemoryTerm::kCache);
  };
  EXPECT_EQ(cache("Llama-2-7b", 1000), 1000.0 * 32 * 2 * 4096 * 2);
  EXPECT_EQ(cache("Llama-3-8B", 1000), 1000.0 * 32 * 2 * 1024 * 2);
  EXPECT_EQ(cache("DeepSeek-V3", 1000), 1000.0 * 61 * 576 * 2);  // arXiv 2412.19437: 512 + 64 values a layer
  EXPECT_EQ(cache("Mistral-7B-v0.1", 32000), cache("Mistral-7B-v0.1", 4096));
}

TEST(Memory, GrowsWithBatchAndSequenceAndNeverFalls) {
  const ModelShape shape = model("Qwen2.5-7B");
  double before = 0;
  for (const std::int64_t tokens : {128, 512, 2048, 8192, 32768}) {
    const double likely =
        estimate_memory(
            shape,
            Workload{.method = Method::kLora, .precision = TrainingPrecision::kPure16, .sequence = tokens},
            constants())
            .likely;
    EXPECT_GT(likely, before);
    before = likely;
  }
}

TEST(Memory, FitsOnlyWhenEvenTheHighEndDoes) {
  MemoryEstimate estimate;
  estimate.low = 8;
  estimate.likely = 10;
  estimate.high = 12;
  EXPECT_EQ(fit_of(estimate, Bytes{12}), Fit::kFits);
  EXPECT_EQ(fit_of(estimate, Bytes{11}), Fit::kTight);
  EXPECT_EQ(fit_of(estimate, Bytes{9}), Fit::kDoesNotFit);
}

TEST(MemoryConstants, RefusesAFileWithoutThem) {
  EXPECT_FALSE(parse_memory_constants("{}", "c.json"));
  EXPECT_FALSE(parse_memory_constants("", "c.json"));
}

TEST(Workload, RefusesWhatCannotBe) {
  const ModelShape shape = model("Llama-2-7b");
  EXPECT_FALSE(check_workload(Workload{.devices = 3, .tensor_parallel = 2}, shape));
  EXPECT_FALSE(check_workload(Workload{.micro_batch = 0}, shape));
  EXPECT_FALSE(check_workload(Workload{.micro_batch = 1LL << 40}, shape));
  EXPECT_FALSE(check_workload(Workload{.devices = 64, .pipeline_parallel = 64}, shape));
  EXPECT_FALSE(check_workload(Workload{.weights = find_weight_format("nf4")}, shape));
  EXPECT_FALSE(check_workload(Workload{.devices = 8, .expert_parallel = 8}, shape));
  EXPECT_TRUE(check_workload(Workload{.devices = 8, .tensor_parallel = 2}, shape));
}

}  // namespace
}  // namespace forebay
