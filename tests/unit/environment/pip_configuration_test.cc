#include "environment/pip_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/environment_variable.h"
#include "environment/run_program.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class PipFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    fs::create_directories(fs::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name)) << content;
  }
  TemporaryFolder folder_;
};

TEST_F(PipFiles, SectionsContinuationsAndComments) {
  EXPECT_THAT(
      parse_pip_file("[global]\nindex-url = https://a/simple\nextra_index_url=\n  https://b\n  # no\n  "
                     "https://c\n; x\n[install]\nno-binary: numpy\n"
                     "index-url = https://d\n[freeze]\ntimeout = 9\n[broken\nnonsense\n= x\n"),
      UnorderedElementsAre(Pair("index-url", "https://d"), Pair("extra-index-url", "\nhttps://b\nhttps://c"),
                           Pair("no-binary", "numpy")));
  EXPECT_TRUE(parse_pip_file("  leading\n=\n").empty());
}

TEST_F(PipFiles, LaterFilesAndVariablesWin) {
  write("etc/pip.conf", "[global]\nindex-url = https://etc\ntimeout = 5\n");
  write("etc/xdg/pip/pip.conf", "[global]\nindex-url = https://xdg\nproxy = http://p:1\n");
  write("home/.config/pip/pip.conf", "[global]\ntimeout = 7\n");
  write("own.conf", "[global]\ncert = /own.pem\n");
  const std::map<std::string, std::string> environment = {{"HOME", folder_.file("home")},
                                                          {"PIP_CONFIG_FILE", folder_.file("own.conf")},
                                                          {"PIP_EXTRA_INDEX_URL", "https://x https://y"}};
  const auto pip = read_pip_configuration(environment, folder_.path());
  EXPECT_EQ(pip.files.size(), 3u);
  EXPECT_EQ(pip.options.at("index-url"), "https://etc");
  EXPECT_EQ(pip.options.at("timeout"), "5");
  const auto uv = uv_settings(pip, environment);
  EXPECT_EQ(uv.variables.at("UV_DEFAULT_INDEX"), "https://etc");
  EXPECT_EQ(uv.variables.at("UV_INDEX"), "https://x https://y");
  EXPECT_EQ(uv.variables.at("SSL_CERT_FILE"), "/own.pem");
  EXPECT_EQ(uv.variables.at("HTTPS_PROXY"), "http://p:1");
  EXPECT_EQ(uv.variables.at("UV_HTTP_TIMEOUT"), "5");
  EXPECT_EQ(uv.variables.at("UV_INDEX_STRATEGY"), "unsafe-best-match");
  EXPECT_TRUE(read_pip_configuration({{"PIP_CONFIG_FILE", "/dev/null"}, {"HOME", folder_.file("home")}},
                                     folder_.path())
                  .files.empty());
}

TEST_F(PipFiles, WhatIsSetForUvStands) {
  PipConfiguration pip;
  pip.options = {{"index-url", "https://pip"}, {"proxy", "http://pip"}, {"cert", "/pip.pem"},
                 {"find-links", "/a\n/b"},     {"no-index", "true"},    {"only-binary", ":all:"},
                 {"no-binary", "x,y"},         {"pre", "yes"}};
  const auto uv = uv_settings(
      pip, {{"UV_INDEX_URL", "https://uv"}, {"https_proxy", "http://mine"}, {"SSL_CERT_FILE", "/mine"}});
  EXPECT_FALSE(uv.variables.contains("UV_DEFAULT_INDEX"));
  EXPECT_FALSE(uv.variables.contains("HTTPS_PROXY"));
  EXPECT_FALSE(uv.variables.contains("SSL_CERT_FILE"));
  EXPECT_EQ(uv.variables.at("UV_FIND_LINKS"), "/a,/b");
  EXPECT_EQ(uv.variables.at("UV_PRERELEASE"), "allow");
  EXPECT_THAT(uv.arguments,
              ElementsAre("--no-index", "--no-binary", "x", "--no-binary", "y", "--only-binary", ":all:"));
}

TEST_F(PipFiles, PipItselfReadsTheSame) {
  write("home/.pip/pip.conf",
        "[global]\nindex-url = https://one/simple\n# c\nfind-links =\n    /a\n    /b\n[install]\nno-binary = "
        "numpy\n");
  write("home/.config/pip/pip.conf", "[global]\ntimeout=60\nTRUSTED-HOST: example.org\n");
  write("own.conf", "[global]\nindex_url = https://two/simple\n");
  std::map<std::string, std::string> environment = {{"HOME", folder_.file("home")},
                                                    {"PIP_PROXY", "http://p"},
                                                    {"PATH", environment_variable("PATH").value_or("")},
                                                    {"XDG_CONFIG_DIRS", folder_.file("none")}};
  if (const auto root = environment_variable("PYENV_ROOT")) environment["PYENV_ROOT"] = *root;
  for (const bool has_own : {false, true}) {
    if (has_own) environment["PIP_CONFIG_FILE"] = folder_.file("own.conf");
    ProgramSettings settings;
    settings.environment = environment;
    settings.deadline = Duration::from_seconds(60);
    const auto told = run_program({"python3", "-m", "pip", "config", "list"}, settings);
    if (!told || told->exit_code != 0) GTEST_SKIP() << "pip is not installed";
    const auto pip = read_pip_configuration(environment);
    // As pip prints it: section.name='value' with escapes; only what both know.
    for (const std::string name :
         {"index-url", "timeout", "trusted-host", "no-binary", "find-links", "proxy"}) {
      const auto found = pip.options.find(name);
      std::string shown = found == pip.options.end() ? "" : found->second;
      for (std::size_t at = shown.find('\n'); at != std::string::npos; at = shown.find('\n', at))
        shown.replace(at, 1, "\\n");
      if (shown.empty()) {
        EXPECT_THAT(told->output, ::testing::Not(::testing::HasSubstr("." + name + "="))) << name;
      } else {
        EXPECT_THAT(told->output, ::testing::HasSubstr("." + name + "='" + shown + "'"));
      }
    }
  }
}

}  // namespace
}  // namespace forebay
