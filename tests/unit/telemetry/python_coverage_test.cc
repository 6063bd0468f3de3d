#include "telemetry/python_coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "temporary_folder.h"

namespace forebay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(PythonCommand, KnowsIsolatedInterpreters) {
  const auto isolated = [](std::string arguments) {
    std::ranges::replace(arguments, ' ', '\0');
    return is_isolated_python(arguments);
  };
  EXPECT_TRUE(isolated("python -I train.py"));
  EXPECT_TRUE(isolated("python -sE train.py"));
  EXPECT_TRUE(isolated("python -u -S -m package"));
  EXPECT_TRUE(isolated("python -W ignore -I train.py"));
  EXPECT_FALSE(isolated("python train.py -I"));
  EXPECT_FALSE(isolated("python -c print(1) -I"));
  EXPECT_FALSE(isolated("python -m pip -I"));
  EXPECT_FALSE(isolated("python -Xdev train.py"));
  EXPECT_FALSE(isolated("python"));
  EXPECT_FALSE(isolated(""));
}

TEST(PythonCommand, KnowsInterpreters) {
  EXPECT_TRUE(is_python_program("/opt/venv/bin/python3.11"));
  EXPECT_TRUE(is_python_program("python"));
  EXPECT_FALSE(is_python_program("/usr/bin/bash"));
  EXPECT_FALSE(is_python_program("/home/python/run.sh"));
}

class PythonCoverageTest : public testing::Test {
 protected:
  void put(std::int64_t pid, std::int64_t parent, const std::string& program, std::string command,
           std::string environment) {
    const std::string path = folder.file(std::to_string(pid));
    std::filesystem::create_directories(path);
    std::filesystem::remove(path + "/exe");
    std::filesystem::create_symlink(program, path + "/exe");
    std::ranges::replace(command, ' ', '\0');
    std::ranges::replace(environment, ' ', '\0');
    std::ofstream(path + "/cmdline") << command << '\0';
    std::ofstream(path + "/environ") << environment << '\0';
    TreeProcess process;
    process.pid = pid;
    process.parent = parent;
    process.start_ticks = static_cast<std::uint64_t>(pid);
    process.state = 'S';
    processes.push_back(std::move(process));
  }
  Json after(std::int64_t seconds) {
    for (std::int64_t i = 0; i <= seconds; ++i) coverage.update(processes, seen, i * kSecond);
    return coverage.to_json(seen);
  }
  TemporaryFolder folder;
  PythonCoverage coverage{folder.path(), "/lib/forebay/hook"};
  std::vector<TreeProcess> processes;
  std::set<std::int64_t> seen;
};

constexpr const char* kHooked = "A=1 PYTHONPATH=/lib/forebay/hook:/x FOREBAY_HOOK_DIR=/run/hook";

TEST_F(PythonCoverageTest, SaysWhichLoadedTheHookAndWhyOthersDidNot) {
  put(10, 1, "/usr/bin/python3.11", "python train.py", kHooked);
  put(11, 10, "/usr/bin/python3.11", "python -I tool.py", kHooked);
  put(12, 10, "/usr/bin/python3.11", "python other.py", "A=1");
  put(13, 10, "/usr/bin/bash", "bash -c x", kHooked);
  put(14, 10, "/usr/bin/python3.11", "python strange.py", kHooked);
  seen = {10};
  const Json json = after(5);
  EXPECT_EQ(json["python_processes"].as_integer(), 4);
  EXPECT_EQ(json["covered"].as_integer(), 1);
  std::map<std::int64_t, std::string> reasons;
  for (const Json& each : json["not_covered"].items())
    reasons[each["pid"].as_integer().value()] = each["reason"].string_or_empty();
  EXPECT_EQ(reasons,
            (std::map<std::int64_t, std::string>{{11, "isolated"}, {12, "environment"}, {14, "unknown"}}));
}

TEST_F(PythonCoverageTest, AForkedChildHasWhatItsParentLoaded) {
  put(10, 1, "/usr/bin/python3.11", "python train.py", kHooked);
  put(11, 10, "/usr/bin/python3.11", "python train.py", kHooked);
  seen = {10};
  const Json json = after(5);
  EXPECT_EQ(json["covered"].as_integer(), 2);
}

TEST_F(PythonCoverageTest, AProcessGoneBeforeTheFirstScanCountsBecauseItReportedItself) {
  seen = {10};
  const Json json = after(0);
  EXPECT_EQ(json["python_processes"].as_integer(), 1);
  EXPECT_EQ(json["covered"].as_integer(), 1);
  EXPECT_EQ(json["not_covered_processes"].as_integer(), 0);
}

TEST_F(PythonCoverageTest, AProcessIsCountedOnceAlsoWhenItReportedItselfAndEnded) {
  put(10, 1, "/usr/bin/python3.11", "python train.py", kHooked);
  seen = {10};
  after(2);
  processes.clear();
  EXPECT_EQ(after(0)["python_processes"].as_integer(), 1);
}

TEST_F(PythonCoverageTest, ProcessesThatEndedStayCounted) {
  put(10, 1, "/usr/bin/python3.11", "python train.py", kHooked);
  put(11, 1, "/usr/bin/python3.11", "python -I tool.py", kHooked);
  seen = {10};
  after(5);
  processes.clear();
  const Json json = after(0);
  EXPECT_EQ(json["python_processes"].as_integer(), 2);
  EXPECT_EQ(json["covered"].as_integer(), 1);
  EXPECT_EQ(json["not_covered"].size(), 1u);
}

TEST_F(PythonCoverageTest, OnesThatEndedAtOnceAreNotAccused) {
  put(10, 1, "/usr/bin/python3.11", "python -V", kHooked);
  after(0);
  processes.clear();
  const Json json = after(0);
  EXPECT_EQ(json["short_lived"].as_integer(), 1);
  EXPECT_EQ(json["not_covered"].size(), 0u);
}

}  // namespace
}  // namespace forebay
