// Values and names one by one: what must read back exactly, and what must be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/text.h"
#include "spec/job_file.h"
#include "spec/job_text.h"
#include "spec/place.h"
#include "spec/sentence.h"
#include "spec/url.h"

namespace forebay {
namespace {

using ::testing::HasSubstr;

TEST(Place, ReadsEngineRegionAndNameAndWritesThemBack) {
  for (const char* text : {"local", "any", "aws", "aws/us-east-1", "aws/us-east-1/us-east-1a", "ssh:lab",
                           "ssh:me@10.0.0.1:2222", "slurm:hpc", "slurm", "kubernetes:ctx"}) {
    const auto place = parse_place(text);
    ASSERT_TRUE(place) << text;
    EXPECT_EQ(place->text(), text);
  }
}

TEST(Place, RefusesWhatCouldBeAnOptionOrIsNoPlace) {
  for (const char* text : {"", "ssh", "ssh:", "ssh:-oProxyCommand=x", "ssh:a b", "aws/", "aws/us-east-1/",
                           "local:x", "any/y", "moon", "ssh:a;b", "aws:$(x)", "AWS"})
    EXPECT_FALSE(parse_place(text)) << text;
}

TEST(Url, OnlyPathsAndFileUrlsOfThisMachineAreLocal) {
  EXPECT_EQ(local_path("results/"), "results/");
  EXPECT_EQ(local_path("/results"), "/results");
  EXPECT_EQ(local_path("file:///results/a"), "/results/a");
  EXPECT_EQ(local_path("file://host/results"), std::nullopt);
  EXPECT_EQ(local_path("s3://bucket"), std::nullopt);
  EXPECT_EQ(url_scheme("C:\\x"), std::nullopt);
  EXPECT_EQ(url_scheme("host:path"), std::nullopt);
}

TEST(NearestName, IsNearAndPrefersTheSameBeginning) {
  EXPECT_EQ(nearest_name("cpu", {"gpu", "cpus"}), "cpus");
  EXPECT_EQ(nearest_name("memroy", {"gpu", "memory"}), "memory");
  EXPECT_EQ(nearest_name("xyz", {"gpu", "memory"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"gpu"}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {"aaa"}), std::nullopt);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
}

TEST(JobText, WritesTheShortestExactForm) {
  EXPECT_EQ(bytes_text(Bytes{32LL << 30}), "32GiB");
  EXPECT_EQ(bytes_text(Bytes{64'000'000'000}), "64GB");
  EXPECT_EQ(bytes_text(Bytes{1}), "1B");
  EXPECT_EQ(duration_text(Duration{90'000'000'000}), "90s");
  EXPECT_EQ(duration_text(Duration{1'500'000}), "1.500000ms");
  EXPECT_EQ(money_text(Money{20'500'000'000, "USD"}), "20.5 USD");
  EXPECT_EQ(parameter_count_text(7e9), "7B");
  EXPECT_EQ(parameter_count_text(46.7e9), "46.7B");
}

TEST(JobVariable, IsSetReplacedOrTakenFromTheCaller) {
  Job job;
  ASSERT_TRUE(set_job_variable(job, "A=b=c"));
  ASSERT_TRUE(set_job_variable(job, "A="));
  ASSERT_TRUE(set_job_variable(job, "PATH"));
  ASSERT_EQ(job.environment.variables.size(), 2u);
  EXPECT_EQ(job.environment.variables[0], (JobVariable{"A", ""}));
  EXPECT_FALSE(job.environment.variables[1].value->empty());
  EXPECT_FALSE(set_job_variable(job, "NOT_SET_ANYWHERE_1"));
  EXPECT_FALSE(set_job_variable(job, "=x"));
  EXPECT_FALSE(set_job_variable(job, "1A=x"));
}

TEST(ShownText, CannotSteerATerminalAndIsShort) {
  EXPECT_EQ(shown("a\x1b[31m\n\t\x7f"), "\"a\\x1b[31m\\n\\t\\x7f\"");
  EXPECT_EQ(shown("\xC2\x9B"
                  "1m"),
            "\"\\x9b1m\"");
  EXPECT_EQ(shown(std::string(61, 'x')), "\"" + std::string(60, 'x') + "…\"");
  std::string wide;
  for (int i = 0; i < 60; ++i) wide += "图";
  EXPECT_EQ(shown(wide), "\"" + wide + "\"");
}

TEST(ParseJob, RefusesAFileThatIsTooLargeWithoutReadingIt) {
  const JobParse parse = parse_job(std::string(kMaximumJobFileSize + 1, 'a'), "job.yaml");
  ASSERT_EQ(parse.problems.size(), 1u);
  EXPECT_THAT(parse.problems[0].sentence, HasSubstr("at most 1048576"));
}

TEST(ParseJob, SaysTheFirstHundredProblemsOfAFileThatIsSomethingElse) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "key" + std::to_string(i) + "x: 1\n";
  const JobParse parse = parse_job(text, "job.yaml");
  ASSERT_EQ(parse.problems.size(), 101u);
  EXPECT_THAT(parse.problems.back().text(), HasSubstr("400 more"));
}

TEST(SkyPilot, IsToldApartByItsKeys) {
  EXPECT_TRUE(is_skypilot("resources: {accelerators: A100:1}\nrun: x\n"));
  EXPECT_TRUE(is_skypilot("num_nodes: 1\nrun: x\n"));
  EXPECT_TRUE(is_skypilot("service: {readiness_probe: /}\nrun: x\n"));
  EXPECT_FALSE(is_skypilot("resources: {cpus: 8+}\nrun: x\n"));
  EXPECT_FALSE(is_skypilot("envs: {A: b}\npolicy: {retries: 1}\n"));
  EXPECT_FALSE(is_skypilot("a: [\n"));
  EXPECT_FALSE(is_skypilot(""));
}

TEST(SkyPilot, TranslatesWhatHasAMeaningHere) {
  const JobParse parse = parse_job(
      "name: t\nworkdir: .\nnum_nodes: 1\nenvs: {DIR: /srv, B: 3.10}\nsecrets: [TOKEN]\nresources: "
      "{accelerators: {T4: 2}, cpus: 4, memory: 16+, infra: k8s/ctx}\n"
      "file_mounts: {/data: \"${DIR}/x/$OTHER\"}\nrun: a\n",
      "task.yaml");
  ASSERT_TRUE(parse.ok()) << parse.problems.front().text();
  const Job& job = parse.job;
  EXPECT_TRUE(parse.is_skypilot);
  EXPECT_EQ(job.resources.gpu->name, "T4");
  EXPECT_EQ(job.resources.gpu->count, 2);
  EXPECT_EQ(job.resources.cpus, (Amount<double>{4, true}));
  EXPECT_EQ(job.resources.memory, (Amount<Bytes>{Bytes{16'000'000'000}, true}));
  EXPECT_EQ(job.resources.on.at(0).text(), "kubernetes/ctx");
  EXPECT_EQ(job.data.at(0).from, "/srv/x/$OTHER");
  EXPECT_EQ(job.environment.secrets, std::vector<std::string>{"TOKEN"});
  EXPECT_EQ(job.environment.variables.at(1), (JobVariable{"B", "3.10"}));
  EXPECT_EQ(job.environment.variables.back(), (JobVariable{"SKYPILOT_NUM_GPUS_PER_NODE", "2"}));
}

// Speaks another language while it lives.
class InLanguage {
 public:
  explicit InLanguage(std::string_view language) { set_language(language); }
  ~InLanguage() { set_language("en"); }
};

TEST(Chinese, EverySentenceAboutTheGoldenFilesHasIts) {
  const std::string folder = join_path(FOREBAY_SOURCE_DIR, "tests/data/job");
  const auto names = list_directory(folder);
  ASSERT_TRUE(names);
  for (const std::string& name : *names) {
    if (!name.ends_with(".yaml")) continue;
    const auto text = read_file(join_path(folder, name));
    ASSERT_TRUE(text);
    JobParse english = parse_job(*text, name);
    add_local_problems(english);
    const InLanguage chinese("zh_CN");
    JobParse other = parse_job(*text, name);
    add_local_problems(other);
    ASSERT_EQ(english.problems.size(), other.problems.size()) << name;
    for (std::size_t i = 0; i < english.problems.size(); ++i) {
      EXPECT_NE(english.problems[i].sentence, other.problems[i].sentence);
      EXPECT_EQ(other.problems[i].sentence.find("{0}"), std::string::npos) << other.problems[i].sentence;
    }
  }
}

}  // namespace
}  // namespace forebay
