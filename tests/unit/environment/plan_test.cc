#include "environment/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/environment_variable.h"
#include "environment/describe.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> codes(const Json& description) {
  std::vector<std::string> result;
  for (const auto& remark : description["remarks"].items())
    result.push_back(remark["code"].string_or_empty());
  return result;
}

class Plan : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.file("project"));
    request_.workdir = folder_.file("project");
    request_.base_environment = {{"PATH", environment_variable("PATH").value_or("/usr/bin:/bin")},
                                 {"HOME", folder_.path()}};
    if (const auto root = environment_variable("PYENV_ROOT")) request_.base_environment["PYENV_ROOT"] = *root;
    request_.command = {"python3", "train.py"};
    request_.record_folder = folder_.path();
    request_.cache_folder = folder_.file("cache");
  }
  // A virtual environment of the python3 on PATH, with made-up distributions in it.
  void make_venv() {
    if (std::system(
            ("python3 -m venv --without-pip '" + folder_.file("venv") + "' >/dev/null 2>&1").c_str()) != 0)
      GTEST_SKIP() << "python3 with venv is not installed";
    for (const auto& entry : fs::recursive_directory_iterator(folder_.file("venv/lib")))
      if (entry.path().filename() == "site-packages") site_ = entry.path().string();
    request_.base_environment["VIRTUAL_ENV"] = folder_.file("venv");
    request_.base_environment["PATH"] = folder_.file("venv/bin") + ":" + request_.base_environment["PATH"];
  }
  void install(const std::string& name, const std::string& version, const std::string& more = "",
               const std::string& direct_url = "") {
    const std::string folder = site_ + "/" + name + "-" + version + ".dist-info";
    fs::create_directories(folder);
    std::ofstream(folder + "/METADATA")
        << "Metadata-Version: 2.1\nName: " << name << "\nVersion: " << version << "\n"
        << more << "\nRequires-Dist: not-a-header\n";
    if (!direct_url.empty()) std::ofstream(folder + "/direct_url.json") << direct_url;
    std::ofstream(site_ + "/" + name + ".py") << "";
  }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(request_.workdir + "/" + name, std::ios::binary) << content;
  }
  EnvironmentPlan plan() {
    auto result = plan_environment(request_);
    EXPECT_TRUE(result) << (result ? "" : result.error().sentence());
    return result ? *result : EnvironmentPlan{};
  }
  Json describe() { return describe_environment(request_, plan(), Duration::from_seconds(60)); }

  TemporaryFolder folder_;
  std::string site_;
  EnvironmentRequest request_;
};

TEST_F(Plan, AProgramWithoutPythonIsAskedNothing) {
  request_.command = {"true"};
  write("requirements.txt", "torch\n");
  const auto made = plan();
  EXPECT_TRUE(made.commands.empty());
  EXPECT_TRUE(made.interpreter.empty());
  EXPECT_TRUE(made.probe_request.is_null());
  EXPECT_FALSE(made.variables.contains("PYTHONUNBUFFERED"));
  EXPECT_FALSE(describe().contains("packages"));
}

TEST_F(Plan, TheActiveEnvironmentIsUsedAndRecordedExactly) {
  make_venv();
  install("torch", "2.5.0+cpu", "Requires-Dist: opt-einsum; extra == \"opt\"\n");
  install("numpy", "1.26.4");
  install("mine", "0.1", "", R"({"url": "file:///src/mine", "dir_info": {"editable": true}})");
  install(
      "fork", "1.0", "",
      R"({"url": "https://user:hunter22@example.org/fork.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}})");
  write("requirements.txt",
        "torch>=2.0  # comment\nnumpy<2 ; python_version > \"3\"\nwindows-only; sys_platform == "
        "\"win32\"\n-r more.txt\n--extra-index-url https://x\n");
  write("more.txt", "Mine\n");
  write("train.py", "import torch, os, mine\n");
  const Json description = describe();
  EXPECT_EQ(description["found_by"].string_or_empty(), "VIRTUAL_ENV");
  EXPECT_EQ(description["interpreter"]["prefix"].string_or_empty(), folder_.file("venv"));
  EXPECT_EQ(description["requirements"]["satisfied"].as_bool(), true) << description["requirements"].dump(1);
  EXPECT_EQ(description["requirements"]["files"].size(), 2u);
  EXPECT_THAT(codes(description), ::testing::IsEmpty()) << description["remarks"].dump(1);
  const std::string packages = description["packages"].dump();
  EXPECT_THAT(packages,
              HasSubstr(R"({"name":"mine","version":"0.1","url":"file:///src/mine","editable":true})"));
  EXPECT_THAT(packages, HasSubstr(R"("name":"torch","version":"2.5.0+cpu")"));
  EXPECT_THAT(packages, HasSubstr(R"("commit":"abc")"));
  EXPECT_THAT(description.dump(), Not(HasSubstr("hunter22")));
}

TEST_F(Plan, WhatIsNotMetIsSaidAndNothingIsInstalled) {
  make_venv();
  install("numpy", "2.1.0");
  install("torch", "2.5.0", "Requires-Dist: opt-einsum>=3; extra == \"opt\"\nProvides-Extra: opt\n");
  write("requirements.txt",
        "numpy<2\nabsent\ntorch[opt]\n-e ./local\nhttps://u:hunter22@example.org/x.whl\n");
  write("pyproject.toml",
        "[project]\nname = 'x'\nrequires-python = '>=3.99'\ndependencies = ['also-absent>=1']\n");
  const auto made = plan();
  EXPECT_TRUE(made.commands.empty());
  const Json description = describe_environment(request_, made, Duration::from_seconds(60));
  EXPECT_EQ(description["requirements"]["satisfied"].as_bool(), false);
  const std::string unmet = description["requirements"]["unsatisfied"].dump();
  for (const char* text : {"numpy<2", "\"2.1.0\"", "absent", "opt-einsum", "python >=3.99", "also-absent>=1"})
    EXPECT_THAT(unmet, HasSubstr(text));
  EXPECT_THAT(codes(description), Contains("requirements-not-met"));
  EXPECT_THAT(codes(description), Contains("requirements-unknown"));
  EXPECT_THAT(description.dump(), Not(HasSubstr("hunter22")));
}

TEST_F(Plan, MissingImportsAreListedWithTheirDistribution) {
  make_venv();
  install("numpy", "2.1.0");
  write("train.py",
        "import cv2, numpy, os.path, sub\nfrom sklearn.svm import SVC\ntry:\n  import optional\nexcept "
        "ImportError: pass\ndef f():\n  import lazy\n");
  write("sub.py", "import yaml\n");
  const Json description = describe();
  std::vector<std::string> found;
  for (const auto& item : description["missing_imports"].items())
    found.push_back(item["distribution"].string_or_empty());
  EXPECT_THAT(found, ::testing::UnorderedElementsAre("opencv-python", "scikit-learn", "PyYAML"));
  EXPECT_THAT(description["remarks"].at(0)["sentence"].string_or_empty(),
              HasSubstr("-m pip install opencv-python"));
}

TEST_F(Plan, AHostileProjectBreaksNothing) {
  make_venv();
  std::string bytes = "\xFF\xFE\0a\0b";
  write("train.py", std::string("import a\0b\n\xFF", 12));
  write("requirements.txt", "-r requirements.txt\n-r ../../../../etc/passwd\n=====\n[\n" +
                                std::string(100'000, 'x') + "\n-c\n-e\n${HOME}\n");
  write("pyproject.toml", "[project\n");
  write(".python-version", std::string(5000, '3'));
  const Json description = describe();
  EXPECT_TRUE(description.contains("packages")) << description["probe_error"].dump();
  EXPECT_EQ(description["problems"].dump(), "null");
}

TEST_F(Plan, AModuleOfTheProjectCannotStandInForOneOfTheProbe) {
  make_venv();
  for (const char* name : {"json.py", "re.py", "importlib.py", "packaging.py", "sitecustomize.py"})
    write(name, "raise SystemExit(9)\n");
  request_.base_environment["PYTHONPATH"] = request_.workdir;
  EXPECT_TRUE(describe().contains("packages"));
}

TEST_F(Plan, ABrokenInterpreterIsSaid) {
  write("python3", "#!/bin/sh\nexit 3\n");
  fs::permissions(request_.workdir + "/python3", fs::perms(0755));
  request_.command = {"./python3", "x.py"};
  EXPECT_THAT(codes(describe()), Contains("environment-not-described"));
  write("python3", "#!/bin/sh\nsleep 100\n");
  const auto made = plan();
  EXPECT_THAT(codes(describe_environment(request_, made, Duration::from_seconds(0.2))),
              Contains("environment-not-described"));
}

TEST_F(Plan, AStatedVersionOrFileThatIsMetUsesTheActiveEnvironment) {
  make_venv();
  install("numpy", "1.26.4");
  write("needs.txt", "numpy==1.26.*\n");
  request_.requirements = "needs.txt";
  const auto made = plan();
  EXPECT_TRUE(made.commands.empty());
  EXPECT_TRUE(made.remarks.empty());
  request_.requirements = "nowhere.txt";
  const auto missing = plan_environment(request_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST_F(Plan, SecretsAreTakenByNameAndNeverRecorded) {
  request_.command = {"true"};
  request_.secrets = {"WANDB_API_KEY", "PLAIN"};
  request_.base_environment["PLAIN"] = "plain-secret-value";
  auto made = plan_environment(request_);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().sentence(), HasSubstr("WANDB_API_KEY"));
  EXPECT_THAT(made.error().sentence(), Not(HasSubstr("plain-secret-value")));
  request_.base_environment["WANDB_API_KEY"] = "another-secret";
  request_.base_environment["AWS_SESSION_TOKEN"] = "third-secret";
  request_.base_environment["PIP_INDEX_URL"] = "https://user:fourth-secret@example.org/simple";
  request_.variables = {{"NCCL_DEBUG", "WARN"}, {"MY_PASSWORD", "fifth-secret"}, {"ODD", "a \"b\"\n\tc $X"}};
  const Json description = describe();
  EXPECT_THAT(description.dump(), Not(HasSubstr("-secret")));
  EXPECT_EQ(description["variables"]["set"]["NCCL_DEBUG"].string_or_empty(), "WARN");
  EXPECT_EQ(description["variables"]["set"]["ODD"].string_or_empty(), "a \"b\"\n\tc $X");
  EXPECT_EQ(description["variables"]["set"]["MY_PASSWORD"]["set"].as_bool(), true);
  const auto variables = apply_plan(request_.base_environment, plan());
  EXPECT_EQ(variables.at("WANDB_API_KEY"), "another-secret");
  EXPECT_EQ(variables.at("MY_PASSWORD"), "fifth-secret");
}

TEST_F(Plan, VariablesAreSetOnlyWhereTheJobFixesSomething) {
  auto made = plan();
  EXPECT_EQ(made.variables.at("PYTHONUNBUFFERED"), "1");
  EXPECT_FALSE(made.variables.contains("OMP_NUM_THREADS"));
  request_.cpus = 3;
  request_.gpus = 2;
  request_.machine_gpus = 8;
  made = plan();
  EXPECT_EQ(made.variables.at("OMP_NUM_THREADS"), "3");
  EXPECT_EQ(made.variables.at("CUDA_VISIBLE_DEVICES"), "0,1");
  EXPECT_EQ(made.remarks.size(), 2u);
  request_.base_environment["CUDA_VISIBLE_DEVICES"] = "5";
  request_.variables["OMP_NUM_THREADS"] = "1";
  made = plan();
  EXPECT_FALSE(made.variables.contains("CUDA_VISIBLE_DEVICES"));
  EXPECT_EQ(made.variables.at("OMP_NUM_THREADS"), "1");
  request_.gpus = 0;
  request_.base_environment.erase("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(plan().variables.at("CUDA_VISIBLE_DEVICES"), "");
}

}  // namespace
}  // namespace forebay
