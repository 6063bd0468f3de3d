#include "spec/job_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problems_of(const JobParse& parse) {
  std::string out;
  for (const JobProblem& problem : parse.problems) out += problem.text() + "\n";
  return out;
}

// The example of the design, complete.
constexpr const char* kWholeJob = R"(name: resnet-photos
workdir: .                       # .gitignore and .forebayignore are honoured
workload:
  kind: train
  model: ./config.json
  batch_size: 32
  sequence_length: 4096
  precision: bf16
resources:
  gpu: {memory: 16GiB+, count: 1, architecture: ampere+}
  cpus: 8+
  memory: 32GiB+
  disk: 100GiB
  nodes: 1
  on: [aws/us-east-1, gcp, ssh:lab, slurm:hpc]
environment:
  python: "3.11"
  requirements: requirements.txt
  variables: {NCCL_DEBUG: WARN}
  secrets: [WANDB_API_KEY]
data:
  - {from: s3://photos/train/, to: /data/train, mode: stage}
checkpoint: {path: checkpoints/, complete: "*.done", keep: 3}
outputs:
  - {from: checkpoints/, to: s3://results/$FOREBAY_RUN/, every: 10m}
setup: pip install -e .
run: python train.py --data /data/train
policy:
  objective: cost
  deadline: 2026-12-05T18:00+08:00
  budget: 20 USD
  capacity: auto
  interruptible: auto
  retries: 3
  max_duration: 12h
  idle_stop: 15m
  hang_stop: 30m
)";

TEST(ParseJob, ReadsEveryFieldOfAWholeJob) {
  const JobParse parse = parse_job(kWholeJob, "job.yaml");
  ASSERT_EQ(problems_of(parse), "");
  const Job& job = parse.job;
  EXPECT_FALSE(parse.is_skypilot);
  EXPECT_EQ(job.name, "resnet-photos");
  EXPECT_EQ(job.workload.batch_size, 32);
  EXPECT_EQ(job.resources.gpu->memory, (Amount<Bytes>{Bytes{16LL << 30}, true}));
  EXPECT_EQ(job.resources.gpu->architecture, (Amount<std::string>{"ampere", true}));
  EXPECT_EQ(job.resources.cpus, (Amount<double>{8, true}));
  EXPECT_EQ(job.resources.disk, (Amount<Bytes>{Bytes{100LL << 30}, false}));
  ASSERT_EQ(job.resources.on.size(), 4u);
  EXPECT_EQ(job.resources.on[0].region, "us-east-1");
  EXPECT_EQ(job.resources.on[2].name, "lab");
  EXPECT_EQ(job.environment.python, "3.11");
  EXPECT_EQ(job.environment.variables, (std::vector<JobVariable>{{"NCCL_DEBUG", "WARN"}}));
  EXPECT_EQ(job.environment.secrets, std::vector<std::string>{"WANDB_API_KEY"});
  EXPECT_EQ(job.data.at(0).to, "/data/train");
  EXPECT_EQ(job.checkpoint->complete, "*.done");
  EXPECT_EQ(job.outputs.at(0).every, Duration::from_seconds(600));
  EXPECT_EQ(job.run.script, "python train.py --data /data/train");
  EXPECT_EQ(job.policy.budget, (Money{20'000'000'000, "USD"}));
  EXPECT_EQ(job.policy.deadline, Instant{1796464800'000'000'000});
  EXPECT_EQ(job.policy.idle_stop, Duration::from_seconds(900));
}

TEST(ParseJob, AnEmptyFileIsAnEmptyJob) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "{}", "---\n...\n", "\xEF\xBB\xBF"}) {
    const JobParse parse = parse_job(text, "job.yaml");
    EXPECT_EQ(problems_of(parse), "") << text;
    EXPECT_EQ(parse.job, Job{}) << text;
  }
}

TEST(ParseJob, FindsAllProblemsInOnePassInTheOrderOfTheFile) {
  const JobParse parse = parse_job(
      "naem: x\nresources: {cpu: 8, memory: 32}\npolicy:\n  idle_stop: 15\n  capacity: sopt\n", "job.yaml");
  ASSERT_EQ(parse.problems.size(), 5u) << problems_of(parse);
  EXPECT_EQ(parse.problems[0].line, 1);
  EXPECT_EQ(parse.problems[1].column, 13);
  EXPECT_EQ(parse.problems[2].key, "resources.memory");
  EXPECT_EQ(parse.problems[3].line, 4);
  EXPECT_EQ(parse.problems[3].column, 14);
  EXPECT_FALSE(parse.ok());
}

TEST(ParseJob, VariablesAreKeptExactlyAsWritten) {
  const JobParse parse = parse_job(
      "environment:\n  variables:\n    QUOTED: 'it''s \"so\"'\n    LINES: \"a\\nb\\tc\"\n    BLOCK: |\n      "
      "one\n      two\n    NUMBER: 0x1F\n"
      "    VERSION: 3.10\n    BOOLEAN: yes\n    TRUTH: true\n    EMPTY: \"\"\n    DOLLAR: $HOME/${X}\n    "
      "ASKED:\n    HASH: 'a # b'\n",
      "job.yaml");
  ASSERT_TRUE(parse.ok()) << problems_of(parse);
  const std::vector<JobVariable> expected{
      {"QUOTED", "it's \"so\""}, {"LINES", "a\nb\tc"},    {"BLOCK", "one\ntwo\n"}, {"NUMBER", "0x1F"},
      {"VERSION", "3.10"},       {"BOOLEAN", "yes"},      {"TRUTH", "true"},       {"EMPTY", ""},
      {"DOLLAR", "$HOME/${X}"},  {"ASKED", std::nullopt}, {"HASH", "a # b"}};
  EXPECT_EQ(parse.job.environment.variables, expected);
  EXPECT_EQ(missing_variables(parse.job), std::vector<std::string>{"ASKED"});
}

TEST(ParseJob, CarriageReturnsAndAByteOrderMarkChangeNothing) {
  std::string dos = "\xEF\xBB\xBF";
  for (const char* c = kWholeJob; *c != '\0'; ++c)
    dos += *c == '\n' ? std::string("\r\n") : std::string(1, *c);
  const JobParse parse = parse_job(dos, "job.yaml");
  EXPECT_EQ(problems_of(parse), "");
  EXPECT_EQ(parse.job, parse_job(kWholeJob, "job.yaml").job);
}

TEST(ParseJob, ColumnsCountCharactersNotBytes) {
  const JobParse parse = parse_job("# 注释\nname: 图片训练\nresources: {名: 1}\n", "job.yaml");
  ASSERT_EQ(parse.problems.size(), 1u) << problems_of(parse);
  EXPECT_EQ(parse.problems[0].line, 3);
  EXPECT_EQ(parse.problems[0].column, 13);
  const JobParse after = parse_job("{name: 图片训练, naem: 1}\n", "job.yaml");
  EXPECT_EQ(after.problems.at(0).column, 14);
}

TEST(ParseJob, AnchorsAliasesAndMergeKeysWork) {
  const JobParse parse = parse_job(
      "outputs:\n  - &first {from: a, to: /b, every: 10m}\n  - {<<: *first, from: c, to: /c}\n", "job.yaml");
  ASSERT_EQ(problems_of(parse), "");
  ASSERT_EQ(parse.job.outputs.size(), 2u);
  EXPECT_EQ(parse.job.outputs[1].from, "c");
  EXPECT_EQ(parse.job.outputs[1].to, "/c");
  EXPECT_EQ(parse.job.outputs[1].every, Duration::from_seconds(600));
}

TEST(ParseJob, TwoOutputsDoNotGoToOnePlace) {
  const JobParse parse = parse_job(
      "outputs:\n  - {from: a, to: /results/}\n  - {from: b, to: \"file:///results\"}\n", "job.yaml");
  EXPECT_THAT(problems_of(parse), HasSubstr("3:"));
  EXPECT_THAT(problems_of(parse), HasSubstr("outputs[1].to is where outputs[0] goes already"));
}

TEST(ParseJob, AnotherToolsNameForAKeyOfASectionIsRecognised) {
  const JobParse parse = parse_job("outputs:\n  - {path: a, destination: /b}\n", "job.yaml");
  EXPECT_THAT(problems_of(parse), HasSubstr("\"path\" is not a key of outputs. Did you mean from?"));
  EXPECT_THAT(problems_of(parse), HasSubstr("\"destination\" is not a key of outputs. Did you mean to?"));
}

TEST(ParseJob, ABillionLaughsAreRefusedQuickly) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    text += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 10; ++j) text += fmt::format("{}*a{}", j ? ", " : "", i - 1);
    text += "]\n";
  }
  const JobParse parse = parse_job(text, "job.yaml");
  ASSERT_FALSE(parse.ok());
  EXPECT_THAT(problems_of(parse), HasSubstr("unfolds to more than 20000 values"));
}

TEST(ParseJob, DeepNestingIsRefusedWithoutRecursion) {
  for (const char* opening : {"[", "{a: ", "- ", "? "}) {
    std::string text = "run: ";
    if (std::string_view(opening) == "- " || std::string_view(opening) == "? ") text = "run:\n  ";
    for (int i = 0; i < 100000; ++i) text += opening;
    EXPECT_FALSE(parse_job(text, "job.yaml").ok()) << opening;
  }
}

TEST(ParseJob, NestingIsBounded) {
  const std::string deep = "run: " + std::string(33, '[') + std::string(33, ']') + "\n";
  EXPECT_THAT(problems_of(parse_job(deep, "job.yaml")), HasSubstr("nested too deeply"));
}

TEST(ParseJob, ASecretsValueIsNeverShown) {
  const std::string value = "hunter2-value";
  for (const std::string& text : {"environment:\n  secrets: {WANDB_API_KEY: " + value + "}\n",
                                  "environment:\n  secrets: [WANDB_API_KEY=" + value + "]\n",
                                  "environment:\n  secrets: WANDB_API_KEY=" + value + "\n",
                                  "environment:\n  secrets: [{WANDB_API_KEY: " + value + "}]\n"}) {
    const JobParse parse = parse_job(text, "job.yaml");
    EXPECT_FALSE(parse.ok()) << text;
    EXPECT_THAT(problems_of(parse) + job_check_json(parse).dump(), ::testing::Not(HasSubstr("hunter2")))
        << text;
  }
}

TEST(JobJson, IsItselfAJobFileAndReadsBackTheSame) {
  for (const std::string& text :
       {std::string(kWholeJob), std::string("run: [python, -c, 'print(1)', '']\n"),
        std::string(
            "resources: {gpu: A100-80GB:8, cpus: 0.5, memory: 1.5GB}\npolicy: {objective: {cost: 0.7, time: "
            "0.3}, interruptible: no, max_duration: 1h30m, hang_stop: 250ms, budget: 0.123456789 CNY}\n"),
        std::string("run: x\nservice: {port: 8000, health: /health, scale: {requests_per_second: 20, min: 0, "
                    "max: 4}}\n"),
        std::string("workload: {parameters: 46.7B}\nsweep:\n  parameters: {lr: [1e-4, 3e-4], seed: 1..5}\n  "
                    "strategy: grid\n  metric: {name: val_acc, goal: maximise}\n"),
        std::string("environment: {variables: {A: \"1\\n\", B: , C: ''}, python: '3.10'}\n")}) {
    const JobParse parse = parse_job(text, "job.yaml");
    ASSERT_TRUE(parse.ok()) << problems_of(parse);
    const Json json = parse.job.to_json();
    const auto again = job_from_json(json);
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_EQ(*again, parse.job) << json.dump(1);
    const JobParse as_file = parse_job(json.dump(2), "job.json");
    EXPECT_TRUE(as_file.ok()) << problems_of(as_file);
    EXPECT_EQ(as_file.job, parse.job);
  }
}

TEST(JobJson, AnInvalidOneIsRefusedWithTheKey) {
  const auto job = job_from_json(Json::object({{"policy", Json::object({{"idle_stop", 15}})}}));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(job.error().sentence(), HasSubstr("policy.idle_stop"));
}

TEST(JobFromCommand, KeepsTheWordsApart) {
  const Job job = job_from_command({"python", "-c", "print('a b')", ""});
  EXPECT_EQ(job.run.text(), "python -c 'print('\\''a b'\\'')' ''");
  EXPECT_THAT(unsupported_locally(job), IsEmpty());
}

}  // namespace
}  // namespace forebay
