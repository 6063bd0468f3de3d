#include "spec/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/text.h"
#include "spec/job_file.h"
#include "spec/schema_text.h"

namespace forebay {
namespace {

using ::testing::HasSubstr;

// FOREBAY_REGENERATE=1 spec_test --gtest_filter='CheckedIn*' writes the files instead of comparing them.
void expect_checked_in(const std::string& name, const std::string& content) {
  const std::string path = join_path(FOREBAY_SOURCE_DIR, name);
  if (environment_variable("FOREBAY_REGENERATE")) {
    ASSERT_TRUE(write_file_atomic(path, content, 0644));
    return;
  }
  const auto file = read_file(path);
  ASSERT_TRUE(file) << file.error().sentence();
  EXPECT_TRUE(*file == content) << name << " is not what the schema table makes; regenerate it";
}

TEST(CheckedInReference, IsWhatTheTableMakes) {
  expect_checked_in("docs/job-file.md", job_reference_markdown());
}
TEST(CheckedInSchema, IsWhatTheTableMakes) {
  expect_checked_in("docs/job.schema.json", job_json_schema().dump(2) + "\n");
}

TEST(SchemaTable, EveryRowIsWholeAndBelowASectionOfTheTable) {
  for (const Field& field : job_fields()) {
    EXPECT_FALSE(field.meaning.empty()) << field.key;
    EXPECT_TRUE(field.meaning.ends_with('.')) << field.key;
    EXPECT_FALSE(field.default_text.ends_with('.')) << field.key;
    const bool is_section = field.type == FieldType::kSection || field.type == FieldType::kSectionList;
    EXPECT_EQ(field.example.empty(), is_section) << field.key;
    const std::size_t dot = field.key.rfind('.');
    if (dot == std::string_view::npos) continue;
    std::string_view parent = field.key.substr(0, dot);
    const bool is_list = parent.ends_with("[]");
    if (is_list) parent.remove_suffix(2);
    const Field* above = find_field(parent);
    ASSERT_NE(above, nullptr) << field.key;
    EXPECT_EQ(is_list, above->type == FieldType::kSectionList) << field.key;
  }
}

TEST(SchemaTable, EveryExampleIsAValidJobFileOnceItsNeighboursAreThere) {
  for (const Field& field : job_fields()) {
    if (field.example.empty()) continue;
    const JobParse parse = parse_job(example_file(field), "example.yaml");
    for (const JobProblem& problem : parse.problems)
      EXPECT_THAT(problem.sentence, HasSubstr(" needs the key "))
          << field.key << ": " << problem.text() << "\n"
          << example_file(field);
  }
}

TEST(SchemaTable, EveryTextHasItsChinese) {
  for (const Field& field : job_fields()) {
    EXPECT_NE(tr_in("zh_CN", field.meaning), field.meaning) << field.key;
    if (field.default_text.find(' ') != std::string_view::npos) {
      EXPECT_NE(tr_in("zh_CN", field.default_text), field.default_text) << field.key;
    }
  }
}

TEST(JobHelp, KnowsEveryFieldByItsKeyAndTheWholePageFitsTheWidth) {
  const auto page = job_help("");
  ASSERT_TRUE(page);
  for (const Field& field : job_fields()) {
    EXPECT_THAT(*page, HasSubstr(std::string(field.key))) << field.key;
    EXPECT_TRUE(job_help(field.key)) << field.key;
  }
  EXPECT_FALSE(job_help("polcy.idle"));
  EXPECT_EQ(nearest_job_key("policy.idle_sotp"), "policy.idle_stop");
  EXPECT_EQ(job_help("outputs.to"), job_help("outputs[].to"));
  EXPECT_EQ(job_help("outputs[3].to"), job_help("outputs[].to"));
  EXPECT_EQ(job_help("idle_stop"), job_help("policy.idle_stop"));
  for (std::string_view rest = *page; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    EXPECT_LE(line.size(), 80u) << line;
    rest.remove_prefix(line.size() + 1);
  }
}

TEST(WrappedText, CountsWideCharactersAsTwoAndKeepsPunctuationOnItsLine) {
  EXPECT_EQ(wrapped("aaa bbb ccc", 2, 9), "  aaa bbb\n  ccc\n");
  EXPECT_EQ(wrapped("作业文件，说明", 0, 8), "作业文\n件，说明\n");
  EXPECT_EQ(wrapped("word-longer-than-the-width x", 0, 8), "word-longer-than-the-width\nx\n");
  EXPECT_EQ(wrapped("", 2, 8), "");
}

TEST(JsonSchema, ForbidsWhatTheTableDoesNotKnow) {
  const Json schema = job_json_schema();
  EXPECT_EQ(schema["additionalProperties"], Json(false));
  EXPECT_EQ(schema["properties"]["policy"]["additionalProperties"], Json(false));
  EXPECT_EQ(schema["properties"]["outputs"]["items"]["required"].dump(), R"(["from","to"])");
  EXPECT_EQ(schema["properties"]["policy"]["properties"]["capacity"]["enum"].dump(),
            R"(["auto","spot","on-demand","reserved"])");
  EXPECT_EQ(schema["properties"]["environment"]["properties"]["python"]["type"], Json("string"));
}

}  // namespace
}  // namespace forebay
