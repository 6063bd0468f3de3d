#include "sizing/safetensors.h"

#include <fstream>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace forebay {
namespace {

std::string file_of(const std::string& json, std::size_t data) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>((json.size() >> (8 * i)) & 0xff);
  return text + json + std::string(data, '\0');
}

TEST(Safetensors, AddsUpBytesAndValues) {
  const std::string file = file_of(R"({"__metadata__":{"format":"pt"},
    "model.embed_tokens.weight":{"dtype":"BF16","shape":[10,4],"data_offsets":[0,80]},
    "model.layers.0.mlp.up_proj.weight":{"dtype":"F32","shape":[3],"data_offsets":[80,92]}})",
                                   92);
  const auto summary = read_safetensors_header(file, file.size(), "m.safetensors");
  ASSERT_TRUE(summary) << summary.error().sentence();
  EXPECT_EQ(summary->bytes, 92);
  EXPECT_EQ(summary->parameters, 43);
  EXPECT_EQ(summary->shape.layers, 1);
  EXPECT_EQ(summary->bytes_by_type.at("F32"), 12);
}

TEST(Safetensors, CountsPackedWeightsAsWhatTheyHold) {
  const std::string file =
      file_of(R"({"model.layers.0.q.qweight":{"dtype":"I32","shape":[8,16],"data_offsets":[0,512]},
    "model.layers.0.q.g_idx":{"dtype":"I32","shape":[64],"data_offsets":[512,768]}})",
              768);
  const auto summary = read_safetensors_header(file, file.size(), "m.safetensors");
  ASSERT_TRUE(summary);
  ASSERT_TRUE(summary->quantised);
  EXPECT_EQ(summary->quantised->name, "gptq4");
  EXPECT_EQ(summary->parameters, 1024);
}

TEST(Safetensors, ReadsOnlyTheHeaderOfAFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/model.safetensors";
  std::ofstream(path, std::ios::binary)
      << file_of(R"({"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}})", 12);
  const auto summary = read_safetensors_file(path);
  ASSERT_TRUE(summary) << summary.error().sentence();
  EXPECT_EQ(summary->parameters, 6);
  EXPECT_FALSE(read_safetensors_file(folder.path()));
  EXPECT_FALSE(read_safetensors_file(folder.path() + "/none"));
}

struct Bad {
  std::string file;
  const char* says;
};
class BadSafetensors : public testing::TestWithParam<Bad> {};
TEST_P(BadSafetensors, IsRefusedInOneSentence) {
  const auto summary = read_safetensors_header(GetParam().file, GetParam().file.size(), "m.safetensors");
  ASSERT_FALSE(summary);
  EXPECT_NE(summary.error().sentence().find(GetParam().says), std::string::npos)
      << summary.error().sentence();
}
const std::string kWhole = file_of(R"({"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}})", 12);
INSTANTIATE_TEST_SUITE_P(
    Safetensors, BadSafetensors,
    testing::Values(
        Bad{"", "truncated"}, Bad{kWhole.substr(0, 5), "truncated"}, Bad{kWhole.substr(0, 30), "truncated"},
        Bad{kWhole.substr(0, kWhole.size() - 1), "truncated: w would end at byte 12"},
        Bad{"<!DOCTYPE html><html>", "no safetensors file"}, Bad{file_of("{}", 0), "no tensor"},
        Bad{file_of("[1]", 0), "not JSON"}, Bad{file_of("{\"w\"", 0), "not JSON"},
        Bad{file_of(R"({"w":{"dtype":"X","shape":[2],"data_offsets":[0,4]}})", 4), "unknown type"},
        Bad{file_of(R"({"w":{"dtype":"F16","shape":[-2],"data_offsets":[0,4]}})", 4), "no list of sizes"},
        Bad{file_of(R"({"w":{"dtype":"F16","shape":[2],"data_offsets":[4,0]}})", 4), "absurd"},
        Bad{file_of(R"({"w":{"dtype":"F16","shape":[999999999999,999999999],"data_offsets":[0,4]}})", 4),
            "contradict"}));

}  // namespace
}  // namespace forebay
