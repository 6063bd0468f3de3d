#include "environment/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "environment/shell_words.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

using ::testing::ElementsAre;

TEST(ShellWords, QuotesCommentsRedirectionsAndSeparators) {
  EXPECT_THAT(split_shell_line("A=1 python 'a b.py' \"c\\\"d\" e\\ f >log 2>&1 # no\n cd x&&./run|tee y"),
              ElementsAre(ElementsAre("A=1", "python", "a b.py", "c\"d", "e f"), ElementsAre("cd", "x"),
                          ElementsAre("./run"), ElementsAre("tee", "y")));
  EXPECT_THAT(split_shell_line("'unclosed"), ElementsAre(ElementsAre("unclosed")));
  EXPECT_THAT(split_shell_line("a \\"), ElementsAre(ElementsAre("a")));
  EXPECT_LE(split_shell_line(std::string(1 << 20, ';') + "x").size(), 1u);
  EXPECT_EQ(split_shell_line(shell_quoted("it's $x\n")).at(0).at(0), "it's $x\n");
}

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"usr/bin/python3", "venv/bin/python", "venv/bin/python3", "conda/envs/n/bin/python"})
      program(name, std::string("\x7f"
                                "ELF\0",
                                5));
    program("venv/bin/torchrun", "#!" + path("venv/bin/python") + "\nimport torch\n");
    program("venv/bin/long",
            "#!/bin/sh\n'''exec' \"" + path("venv/bin/python") + "\" \"$0\" \"$@\"\n' '''\n");
    program("usr/bin/true", std::string("\x7f"
                                        "ELF\0",
                                        5));
    program("usr/bin/uv", std::string("\x7f"
                                      "ELF\0",
                                      5));
    program("pyenv/shims/python", "#!/usr/bin/env bash\nexec \"/x/pyenv\" exec \"$program\" \"$@\"\n");
    program("pyenv/shims/torchrun", "#!/usr/bin/env bash\nexec \"/x/pyenv\" exec \"$program\" \"$@\"\n");
    program("train.py", "#!/usr/bin/env -S python3\nimport torch\n");
    program("run.sh", "set -e\nexport X=1\n. venv/bin/activate\nexec python train.py --lr 1\n");
    environment_["PATH"] = path("usr/bin");
  }
  std::string path(const std::string& name) { return folder_.file(name); }
  void program(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << content;
    ::chmod(path(name).c_str(), 0755);
  }
  CommandUse look(const std::vector<std::string>& command) {
    return analyse_command(command, false, environment_, folder_.path());
  }
  CommandUse look_shell(const std::string& line) {
    return analyse_command({line}, true, environment_, folder_.path());
  }

  TemporaryFolder folder_;
  std::map<std::string, std::string> environment_;
};

TEST_F(CommandLine, AProgramThatIsNoPythonUsesNone) {
  EXPECT_TRUE(look({"true"}).interpreter.empty());
  EXPECT_TRUE(look({"nowhere"}).interpreter.empty());
  EXPECT_TRUE(look({}).interpreter.empty());
  EXPECT_TRUE(look({"python"}).interpreter.empty()) << "not on this PATH";
  EXPECT_TRUE(look_shell("").interpreter.empty());
  EXPECT_TRUE(look_shell("echo python train.py").interpreter.empty());
}

TEST_F(CommandLine, PythonIsFoundOnPathAndItsScriptToo) {
  const auto use = look({"python3", "-u", "-X", "dev", "train.py", "other.py"});
  EXPECT_THAT(use.interpreter, ElementsAre(path("usr/bin/python3")));
  EXPECT_EQ(use.found_by, "PATH");
  EXPECT_EQ(use.script, path("train.py"));
  EXPECT_FALSE(use.is_isolated_python);
  EXPECT_TRUE(look({"python3", "-uI", "train.py"}).is_isolated_python);
  EXPECT_EQ(look({"python3", "-m", "torch.distributed.run", "--nproc", "2", "train.py"}).script,
            path("train.py"));
  EXPECT_EQ(look({"python3", "-m", "pkg.train"}).module, "pkg.train");
  EXPECT_EQ(look({"python3", "-c", "train.py"}).script, std::nullopt);
}

TEST_F(CommandLine, AnActiveVirtualEnvironmentIsNamed) {
  environment_["VIRTUAL_ENV"] = path("venv");
  environment_["PATH"] = path("venv/bin") + ":" + path("usr/bin");
  EXPECT_EQ(look({"python", "train.py"}).found_by, "VIRTUAL_ENV");
  const auto use = look({"torchrun", "--nproc-per-node=2", "train.py"});
  EXPECT_THAT(use.interpreter, ElementsAre(path("venv/bin/python")));
  EXPECT_EQ(use.found_by, "shebang");
  EXPECT_EQ(use.script, path("train.py"));
  EXPECT_THAT(look({"long", "x"}).interpreter, ElementsAre(path("venv/bin/python")));
}

TEST_F(CommandLine, WrappersShellsAndScriptsAreSeenThrough) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"env", "A=1", "-u", "B", "python3", "train.py"},
        {"nice", "-n", "10", "python3", "train.py"},
        {"timeout", "5m", "python3", "train.py"},
        {"A=1", "python3", "train.py"},
        {"bash", "-lc", "true && A=1 python3 train.py"},
        {"./train.py"},
        {"numactl", "--cpunodebind=0", "python3", "train.py"}}) {
    const auto use = look(command);
    EXPECT_THAT(use.interpreter, ElementsAre(path("usr/bin/python3"))) << command[0];
    EXPECT_EQ(use.script, path("train.py")) << command[0];
  }
  environment_["PATH"] = path("usr/bin");
  const auto use = look({"bash", "run.sh"});
  EXPECT_THAT(use.interpreter, ElementsAre(path("venv/bin/python")));
  EXPECT_EQ(use.found_by, "activated");
}

TEST_F(CommandLine, PyenvCondaAndRunnersKeepTheirWay) {
  environment_["PATH"] = path("pyenv/shims") + ":" + path("usr/bin");
  EXPECT_EQ(look({"python", "train.py"}).found_by, "pyenv");
  const auto tool = look({"torchrun", "train.py"});
  EXPECT_THAT(tool.interpreter, ElementsAre(path("pyenv/shims/python")));
  EXPECT_EQ(tool.found_by, "pyenv");
  environment_["CONDA_EXE"] = path("conda/bin/conda");
  EXPECT_THAT(look_shell("conda activate n; python train.py").interpreter,
              ElementsAre(path("conda/envs/n/bin/python")));
  const auto use = look({"uv", "run", "--with", "rich", "--no-sync", "train.py"});
  EXPECT_THAT(use.interpreter, ElementsAre("uv", "run", "--with", "rich", "--no-sync", "python"));
  EXPECT_EQ(use.script, path("train.py"));
  EXPECT_TRUE(look({"uv", "pip", "list"}).interpreter.empty());
}

TEST_F(CommandLine, ALoopOfScriptsEnds) {
  program("a.sh", "sh b.sh\n");
  program("b.sh", "sh a.sh\n");
  EXPECT_TRUE(look({"sh", "a.sh"}).interpreter.empty());
}

}  // namespace
}  // namespace forebay
