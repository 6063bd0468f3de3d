#include "sizing/model_shape.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sizing/model_config.h"
#include "sizing/model_table.h"

namespace forebay {
namespace {

double total_of(std::string_view config) {
  const Result<ModelShape> shape = shape_from_config(config, "config.json");
  EXPECT_TRUE(shape) << (shape ? "" : shape.error().sentence());
  return shape ? count_parameters(*shape).total() : 0;
}

TEST(ModelShape, CountsWhatTheWeightsOfPublishedModelsHold) {
  const auto models = known_models();
  ASSERT_TRUE(models) << models.error().sentence();
  EXPECT_GE(models->size(), 100u);
  int checked = 0;
  for (const KnownModel& model : *models) {
    EXPECT_FALSE(model.source.empty()) << model.shape.name;
    EXPECT_EQ(model.date.size(), 10u) << model.shape.name;
    if (!model.published_parameters) continue;
    ++checked;
    const bool from_paper = model.shape.family.name == "megatron";  // "22B" and so on: rounded
    EXPECT_NEAR(count_parameters(model.shape).total() / *model.published_parameters, 1,
                from_paper ? 0.02 : 0.002)
        << model.shape.name << " " << static_cast<std::int64_t>(count_parameters(model.shape).total());
  }
  EXPECT_GE(checked, 80);
}

TEST(ModelShape, CountsActiveParametersOfMixtures) {
  const auto mixtral = find_model("Mixtral-8x7B-v0.1");
  ASSERT_TRUE(mixtral);
  EXPECT_NEAR(count_parameters(*mixtral).active() / 12.9e9, 1, 0.01);  // arXiv 2401.04088
  const auto deepseek = find_model("deepseek-ai/DeepSeek-V3");
  ASSERT_TRUE(deepseek);
  EXPECT_NEAR(count_parameters(*deepseek).active() / 37e9, 1, 0.03);  // arXiv 2412.19437
  EXPECT_EQ(deepseek->cache_width(), 576);
}

TEST(ModelShape, ReadsConfigurations) {
  EXPECT_EQ(
      total_of(R"({"model_type":"llama","hidden_size":4096,"intermediate_size":11008,"num_attention_heads":32,
    "num_hidden_layers":32,"num_key_value_heads":32,"vocab_size":32000,"tie_word_embeddings":false})"),
      6738415616.0);
  EXPECT_EQ(
      total_of(
          R"({"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,"n_positions":1024,"vocab_size":50257})"),
      124439808.0);
  EXPECT_EQ(
      total_of(R"({"model_type":"qwen2","hidden_size":896,"intermediate_size":4864,"num_attention_heads":14,
    "num_hidden_layers":24,"num_key_value_heads":2,"vocab_size":151936,"tie_word_embeddings":true,"sliding_window":32768,
    "use_sliding_window":false})"),
      494032768.0);
  EXPECT_EQ(
      total_of(
          R"({"model_type":"mixtral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,
    "num_hidden_layers":32,"num_key_value_heads":8,"vocab_size":32000,"num_local_experts":8,"num_experts_per_tok":2})"),
      46702792704.0);
  EXPECT_EQ(
      total_of(
          R"({"model_type":"qwen3_moe","hidden_size":2048,"intermediate_size":6144,"moe_intermediate_size":768,
    "num_attention_heads":32,"head_dim":128,"num_hidden_layers":48,"num_key_value_heads":4,"vocab_size":151936,
    "num_experts":128,"num_experts_per_tok":8})"),
      30532122624.0);
}

TEST(ModelShape, RecognisesQuantisation) {
  const std::string base =
      R"({"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":4,
    "num_hidden_layers":2,"vocab_size":100,"quantization_config":)";
  const auto name_of = [&](const std::string& quantisation) {
    const auto shape = shape_from_config(base + quantisation + "}", "c");
    return shape && shape->weights ? shape->weights->name : shape ? "none" : shape.error().sentence();
  };
  EXPECT_EQ(name_of(R"({"quant_method":"gptq","bits":4})"), "gptq4");
  EXPECT_EQ(name_of(R"({"quant_method":"awq","bits":4})"), "awq4");
  EXPECT_EQ(name_of(R"({"load_in_4bit":true,"bnb_4bit_use_double_quant":true})"), "nf4-dq");
  EXPECT_EQ(name_of(R"({"quant_method":"fp8"})"), "fp8");
  EXPECT_NE(name_of(R"({"quant_method":"magic"})").find("\"magic\" is not known"), std::string::npos);
}

struct Bad {
  const char* config;
  const char* says;
};
class BadConfig : public testing::TestWithParam<Bad> {};
TEST_P(BadConfig, IsRefusedInOneSentence) {
  const auto shape = shape_from_config(GetParam().config, "config.json");
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.error().sentence().find(GetParam().says), std::string::npos) << shape.error().sentence();
}
INSTANTIATE_TEST_SUITE_P(
    ModelShape, BadConfig,
    testing::Values(
        Bad{"{", "config.json"}, Bad{"[]", "not a JSON object"}, Bad{"{}", "model_type"},
        Bad{R"({"model_type":"unheard_of"})", "\"unheard_of\" is not known"},
        Bad{R"({"model_type":"llama"})", "no \"num_hidden_layers\""},
        Bad{R"({"model_type":"llama","num_hidden_layers":"many","hidden_size":64})", "not a whole number"},
        Bad{R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":0})",
            "no attention heads"},
        Bad{R"({"model_type":"llama","num_hidden_layers":99999999,"hidden_size":64,"num_attention_heads":4,"intermediate_size":9,"vocab_size":9})",
            "layers is 99999999"},
        Bad{R"({"model_type":"llama","num_hidden_layers":-2,"hidden_size":64,"num_attention_heads":4,"intermediate_size":9,"vocab_size":9})",
            "layers is -2"},
        Bad{R"({"model_type":"llama","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"num_key_value_heads":3,"intermediate_size":9,"vocab_size":9})",
            "cannot share 3 KV heads"}));

TEST(ModelTable, FindsVariantsAndNamesTheNearest) {
  EXPECT_TRUE(find_model("meta-llama/Llama-3.1-8B-Instruct"));
  EXPECT_TRUE(find_model("Qwen/Qwen2.5-7B"));
  EXPECT_EQ(find_model("Mixtral-8x7B")->name, "Mixtral-8x7B-v0.1");
  EXPECT_TRUE(find_model("meta-llama/Meta-Llama-3-8B"));
  const auto typo = find_model("Qwen2.6-7B");
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().sentence().find("Qwen2.5-7B"), std::string::npos);
}

TEST(ModelTable, MakesATypicalShapeOfACount) {
  EXPECT_EQ(parse_parameter_count("7B"), 7e9);
  EXPECT_EQ(parse_parameter_count("350M"), 350e6);
  EXPECT_EQ(parse_parameter_count("7GB"), std::nullopt);
  EXPECT_EQ(parse_parameter_count("0x10"), std::nullopt);
  for (const double size : {1e6, 125e6, 1.3e9, 7e9, 70e9, 1e12}) {
    const auto shape = shape_of_size(size, "test");
    ASSERT_TRUE(shape) << size << shape.error().sentence();
    if (size > 1e8) {
      EXPECT_NEAR(count_parameters(*shape).total() / size, 1, 0.02) << size;
    }
    EXPECT_TRUE(shape->only_a_guess);
  }
  EXPECT_FALSE(shape_of_size(7, "7"));
  EXPECT_FALSE(shape_of_size(1e20, "1e20"));
}

}  // namespace
}  // namespace forebay
