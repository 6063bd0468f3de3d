// Builds real environments with uv from wheels that the test makes itself: no network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/environment_variable.h"
#include "base/file.h"
#include "environment/build.h"
#include "environment/describe.h"
#include "environment/environment_cache.h"
#include "environment/plan.h"
#include "environment/run_program.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMakeWheel = R"(
import base64, hashlib, sys, zipfile
folder, name, version, requires = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
info = "%s-%s.dist-info" % (name, version)
files = {name + ".py": "VERSION = %r\n" % version,
         info + "/METADATA": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version) + "".join("Requires-Dist: %s\n" % r for r in requires),
         info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
record = "".join("%s,sha256=%s,%d\n" % (path, base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode(), len(text)) for path, text in files.items())
files[info + "/RECORD"] = record + info + "/RECORD,,\n"
with zipfile.ZipFile("%s/%s-%s-py3-none-any.whl" % (folder, name, version), "w") as wheel:
    for path, text in files.items():
        wheel.writestr(path, text)
)";

class Isolate : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = environment_variable("PATH").value_or("");
    if (find_program("uv", path, "/").empty()) GTEST_SKIP() << "uv is not installed";
    if (find_program("python3", path, "/").empty()) GTEST_SKIP() << "python3 is not installed";
    for (const char* name : {"wheels", "project", "record", "home/.config/pip"})
      fs::create_directories(folder_.file(name));
    // pip's own configuration is what must lead uv to the wheels; nothing else may be asked.
    write("home/.config/pip/pip.conf", "[global]\nno-index = true\nfind-links =\n    " +
                                           folder_.file("nowhere") + "\n    " + folder_.file("wheels") +
                                           "\n");
    fs::create_directories(folder_.file("nowhere"));
    for (const auto& [name, value] : current_environment())
      if (name.starts_with("PIP_") || name.starts_with("UV_")) ::unsetenv(name.c_str());
    ::setenv("HOME", folder_.file("home").c_str(), 1);
    ::setenv("XDG_CONFIG_DIRS", folder_.file("none").c_str(), 1);
    ::setenv("UV_CACHE_DIR", folder_.file("uv-cache").c_str(), 1);
    ::setenv("UV_PYTHON_DOWNLOADS", "never", 1);
    request_.workdir = folder_.file("project");
    request_.command = {"python", "train.py"};
    request_.record_folder = folder_.file("record");
    request_.cache_folder = folder_.file("cache");
    request_.isolate = true;
  }
  void write(const std::string& name, const std::string& content) {
    fs::create_directories(fs::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name), std::ios::binary) << content;
  }
  void wheel(const std::string& name, const std::string& version,
             const std::vector<std::string>& requires_dist = {}) {
    std::vector<std::string> argv = {"python3", "-c", kMakeWheel, folder_.file("wheels"), name, version};
    argv.insert(argv.end(), requires_dist.begin(), requires_dist.end());
    ProgramSettings settings;
    settings.environment = current_environment();
    const auto made = run_program(argv, settings);
    ASSERT_TRUE(made && made->exit_code == 0);
  }
  EnvironmentPlan make() {
    request_.base_environment = current_environment();
    auto plan = plan_environment(request_);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().sentence());
    if (!plan) return {};
    for (const auto& command : plan->commands) EXPECT_EQ(build_environment(command.argv.at(2)), 0);
    const auto finished = finish_plan(request_, *plan);
    EXPECT_TRUE(finished) << (finished ? "" : finished.error().sentence());
    return std::move(*plan);
  }
  std::string run_python(const EnvironmentPlan& plan, const std::string& code) {
    ProgramSettings settings;
    settings.environment = apply_plan(request_.base_environment, plan);
    settings.cwd = request_.workdir;
    settings.errors_to_output = true;
    settings.deadline = Duration::from_seconds(60);
    const auto result = run_program({"python", "-c", code}, settings);
    return result ? result->output : result.error().sentence();
  }
  TemporaryFolder folder_;
  EnvironmentRequest request_;
};

// Companies cap versions for everybody with a constraint file, which names packages that the job does not
// use.
TEST_F(Isolate, AConstraintOfPipLeadsTheLockAndIsNoObstacleToHashes) {
  wheel("alpha", "1.0");
  wheel("alpha", "2.0");
  write("caps.txt", "alpha<2\nelsewhere<=3\n");
  write("home/.config/pip/pip.conf", "[global]\nno-index = true\nconstraint = " + folder_.file("caps.txt") +
                                         "\nfind-links = " + folder_.file("wheels") + "\n");
  write("project/requirements.txt", "alpha\n");
  const EnvironmentPlan plan = make();
  EXPECT_EQ(run_python(plan, "import alpha; print(alpha.VERSION)"), "1.0\n");
}

TEST_F(Isolate, RequirementsAreLockedBuiltAndFoundAgain) {
  wheel("alpha", "1.0", {"beta>=1"});
  wheel("alpha", "2.0", {"beta>=1"});
  wheel("beta", "1.5");
  write("project/requirements.txt", "alpha<2\n");
  const auto plan = make();
  EXPECT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(run_python(plan, "import alpha, beta; print(alpha.VERSION, beta.VERSION)"), "1.0 1.5\n");
  const std::string lock = *read_file(folder_.file("record/environment.lock"));
  EXPECT_THAT(lock, HasSubstr("alpha==1.0"));
  EXPECT_THAT(lock, HasSubstr("--hash=sha256:"));
  const Json description = describe_environment(request_, plan, Duration::from_seconds(60));
  EXPECT_TRUE(*description["isolated"].as_bool());
  EXPECT_THAT(description["packages"].dump(), HasSubstr(R"("name":"beta","version":"1.5")"));
  EXPECT_EQ(description["requirements"]["satisfied"].as_bool(), true) << description["requirements"].dump();
  const auto again = make();
  EXPECT_TRUE(again.commands.empty());
  EXPECT_EQ(again.interpreter, plan.interpreter);
  // A changed file is resolved anew; the same lock leads to the same environment.
  write("project/requirements.txt", "alpha<2  # same\n");
  const auto same = make();
  EXPECT_EQ(same.commands.size(), 1u);
  EXPECT_EQ(same.interpreter, plan.interpreter);
  write("project/requirements.txt", "alpha\n");
  EXPECT_EQ(run_python(make(), "import alpha; print(alpha.VERSION)"), "2.0\n");
}

TEST_F(Isolate, AWheelThatDoesNotMatchItsHashIsRefused) {
  wheel("alpha", "1.0");
  write("project/requirements.txt", "alpha==1.0 --hash=sha256:" + std::string(64, '0') + "\n");
  request_.base_environment = current_environment();
  auto plan = plan_environment(request_);
  ASSERT_TRUE(plan);
  EXPECT_NE(build_environment(plan->commands.at(0).argv.at(2)), 0);
  EXPECT_FALSE(path_exists(folder_.file("record/environment-built.json")));
}

TEST_F(Isolate, AHalfBuiltEnvironmentIsBuiltAgain) {
  wheel("alpha", "1.0");
  write("project/requirements.txt", "alpha\n");
  const auto plan = make();
  const std::string environment = plan.variables.at("VIRTUAL_ENV");
  fs::remove(environment + "/.forebay-ready");
  for (const auto& entry : fs::recursive_directory_iterator(environment))
    if (entry.path().filename() == "alpha.py") {
      fs::remove(entry.path());
      break;
    }
  const auto again = make();
  EXPECT_EQ(again.commands.size(), 1u);
  EXPECT_EQ(run_python(again, "import alpha; print(alpha.VERSION)"), "1.0\n");
}

TEST_F(Isolate, TwoBuildersAndAKilledOneLeaveOneWholeEnvironment) {
  wheel("alpha", "1.0");
  write("project/requirements.txt", "alpha\n");
  request_.base_environment = current_environment();
  // Six runs, each with a record of its own, all planned while nothing is built.
  std::vector<std::string> specifications;
  for (int run = 0; run < 6; ++run) {
    EnvironmentRequest request = request_;
    request.record_folder = folder_.file("record" + std::to_string(run));
    fs::create_directories(request.record_folder);
    const auto plan = plan_environment(request);
    ASSERT_TRUE(plan);
    specifications.push_back(plan->commands.at(0).argv.at(2));
  }
  const auto start = [&] {
    const std::string specification = specifications.back();
    specifications.pop_back();
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(build_environment(specification));
    return pid;
  };
  for (const int milliseconds : {20, 190, 360, 530}) {
    const pid_t killed = start();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    ::kill(killed, SIGKILL);
    ::waitpid(killed, nullptr, 0);
  }
  const pid_t first = start(), second = start();
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_EQ(status, 0);
  ::waitpid(second, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run_python(make(), "import alpha; print(alpha.VERSION)"), "1.0\n");
}

TEST_F(Isolate, CondaFilesGiveTheirPipPartAndRefuseTheRestByName) {
  wheel("alpha", "1.0");
  write("project/environment.yml",
        "name: x\ndependencies:\n  - python>=3\n  - pip\n  - pip:\n    - alpha\n    - -r more.txt\n");
  wheel("beta", "1.0");
  write("project/more.txt", "beta\n");
  EXPECT_EQ(run_python(make(), "import alpha, beta; print(beta.VERSION)"), "1.0\n");
  write("project/environment.yml", "dependencies: [python=3.11, cudatoolkit=11.8, conda-forge::mkl, pip]\n");
  request_.base_environment = current_environment();
  const auto refused = plan_environment(request_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().sentence(), HasSubstr("cudatoolkit=11.8, conda-forge::mkl"));
}

TEST_F(Isolate, LocksOfOtherToolsAreHonoured) {
  wheel("alpha", "1.0", {"beta"});
  wheel("alpha", "2.0");
  wheel("beta", "1.0");
  write(
      "project/Pipfile.lock",
      R"({"default": {"alpha": {"version": "==1.0"}, "beta": {"version": "==1.0", "markers": "python_version >= '3'"}}, "develop": {"gamma": {"version": "==9"}}})");
  EXPECT_EQ(run_python(make(), "import alpha; print(alpha.VERSION)"), "1.0\n");
  write("project/pdm.lock",
        "[metadata]\n[[package]]\nname = \"alpha\"\nversion = \"1.0\"\ngroups = "
        "[\"default\"]\n[[package]]\nname = \"beta\"\nversion = \"1.0\"\n"
        "[[package]]\nname = \"gamma\"\nversion = \"9\"\ngroups = [\"dev\"]\n");
  EXPECT_EQ(run_python(make(), "import alpha; print(alpha.VERSION)"), "1.0\n");
  write("project/pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3\"\nalpha = \"*\"\n");
  write("project/poetry.lock",
        "[[package]]\nname = \"alpha\"\nversion = \"1.0\"\noptional = false\n[package.dependencies]\nbeta = "
        "\"*\"\nwin = {version=\"*\", markers=\"sys_platform == 'win32'\"}\n"
        "[[package]]\nname = \"beta\"\nversion = \"1.0\"\n[[package]]\nname = \"win\"\nversion = "
        "\"3\"\n[[package]]\nname = \"gamma\"\nversion = \"9\"\n");
  EXPECT_EQ(run_python(make(), "import alpha; print(alpha.VERSION)"), "1.0\n");
}

TEST_F(Isolate, ACommandThatNamesItsInterpreterIsRefused) {
  write("python", "#!/bin/sh\n");
  fs::permissions(folder_.file("python"), fs::perms(0755));
  request_.command = {folder_.file("python"), "train.py"};
  request_.base_environment = current_environment();
  const auto refused = plan_environment(request_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidInput);
}

TEST_F(Isolate, WhatTheJobFileStatesIsBuiltWhenTheActiveEnvironmentDoesNotHaveIt) {
  wheel("alpha", "1.0");
  write("project/needs.txt", "alpha\n");
  request_.isolate = false;
  request_.requirements = "needs.txt";
  const auto plan = make();
  EXPECT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.remarks.at(0).code, "active-environment-does-not-satisfy");
  EXPECT_EQ(run_python(plan, "import alpha; print(alpha.VERSION)"), "1.0\n");
}

TEST(BuildSpecification, DamagedFilesAreErrors) {
  TemporaryFolder folder;
  EXPECT_NE(build_environment(folder.file("none")), 0);
  for (const char* text :
       {"", "{}", "[]", R"({"format": 1, "source": 99})", R"({"format": 1, "source": 1})"}) {
    std::ofstream(folder.file("s")) << text;
    EXPECT_NE(build_environment(folder.file("s")), 0);
  }
}

}  // namespace
}  // namespace forebay
