// Every file of tests/data/job with what is said about it beside it (NAME.yaml, NAME.txt).
// After a change that is meant: FOREBAY_REGENERATE=1 spec_test --gtest_filter='JobGolden*', and read the
// difference.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/environment_variable.h"
#include "base/file.h"
#include "spec/job_file.h"

namespace forebay {
namespace {

const std::string& folder() {
  static const std::string path = join_path(FOREBAY_SOURCE_DIR, "tests/data/job");
  return path;
}

// All problems as the command line shows them; for a file without errors also its explanation.
std::string said_about(const std::string& text, const std::string& name) {
  JobParse parse = parse_job(text, name);
  const bool is_valid = parse.ok();
  add_local_problems(parse);
  std::string out;
  for (const JobProblem& problem : parse.problems) out += problem.text() + "\n";
  return is_valid ? out + "---\n" + explain_job(parse.job) : out;
}

class JobGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(JobGolden, SaysExactlyThis) {
  const auto text = read_file(join_path(folder(), GetParam()));
  ASSERT_TRUE(text) << text.error().sentence();
  const std::string said = said_about(*text, GetParam());
  const std::string path = join_path(folder(), GetParam().substr(0, GetParam().size() - 5) + ".txt");
  if (environment_variable("FOREBAY_REGENERATE")) {
    ASSERT_TRUE(write_file_atomic(path, said, 0644));
    return;
  }
  const auto expected = read_file(path);
  ASSERT_TRUE(expected) << expected.error().sentence();
  EXPECT_EQ(said, *expected);
  EXPECT_EQ(said.find("do-not-show"), std::string::npos);
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  if (const auto all = list_directory(folder()))
    std::copy_if(all->begin(), all->end(), std::back_inserter(names),
                 [](const std::string& name) { return name.ends_with(".yaml"); });
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.size() - 5);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, JobGolden, ::testing::ValuesIn(golden_files()), test_name);

TEST(JobGoldenFiles, AreManyAndMostOfThemBad) {
  EXPECT_GE(golden_files().size(), 100u);
  int bad = 0;
  for (const std::string& name : golden_files()) {
    const auto text = read_file(join_path(folder(), name));
    if (text && !parse_job(*text, name).ok()) ++bad;
  }
  EXPECT_GE(bad, 90);
}

}  // namespace
}  // namespace forebay
