// A child from start to end: its streams, its exit, what it inherits, what it leaves behind.
#include <signal.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "run_fixture.h"

namespace forebay {
namespace {

using testing::HasSubstr;

class ChildRunTest : public RunWithAndWithoutGroup {};
INSTANTIATE_TEST_SUITE_P(Groups, ChildRunTest, testing::Bool(),
                         [](const auto& group) { return group.param ? "group" : "no_group"; });

TEST_P(ChildRunTest, RecordsBothStreamsAndTheExitCode) {
  const ChildOutcome outcome = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_FALSE(outcome.signal);
  EXPECT_EQ(outcome.stop_reason, StopReason::kNone);
  EXPECT_EQ(log(LogStream::kOutput), "out\n");
  EXPECT_EQ(log(LogStream::kError), "err\n");
  EXPECT_EQ(outcome.log_bytes, 8u);
  EXPECT_GT(outcome.duration.nanoseconds, 0);
  EXPECT_GE(outcome.ended, outcome.started);
}

TEST_P(ChildRunTest, SaysBySignalWhatKilledTheChild) {
  const ChildOutcome outcome = run(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_FALSE(outcome.exit_code);
}

TEST_P(ChildRunTest, KeepsTheOrderOfSharedStreams) {
  ChildSpec spec = shell("for i in 1 2 3 4 5; do echo $i; echo $i >&2; done");
  spec.separate_error = false;
  spec.stream = LogStream::kSetup;
  run(spec);
  EXPECT_EQ(log(LogStream::kSetup), "1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n");
}

TEST_P(ChildRunTest, RunsSeveralChildrenInOneAttempt) {
  EXPECT_EQ(run(shell("echo one")).exit_code, 0);
  EXPECT_EQ(run(shell("echo two; exit 3")).exit_code, 3);
  EXPECT_EQ(log(), "one\ntwo\n");
}

TEST_P(ChildRunTest, ACommandThatDoesNotExistIs127) {
  ChildSpec spec = shell("");
  spec.argv = {"no-such-command-anywhere"};
  const ChildOutcome outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_EQ(outcome.start_failure->exit_code, 127);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("no-such-command-anywhere"));
}

TEST_P(ChildRunTest, WhatCannotBeExecutedIs126AndSaysWhy) {
  std::ofstream(folder.file("plain.txt")) << "text";
  ChildSpec spec = shell("");
  spec.argv = {folder.file("plain.txt")};
  ChildOutcome outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_EQ(outcome.start_failure->exit_code, 126);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("chmod +x"));

  std::ofstream(folder.file("script")) << "#!/no/such/interpreter\n";
  ::chmod(folder.file("script").c_str(), 0755);
  spec.argv = {folder.file("script")};
  outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_EQ(outcome.start_failure->exit_code, 126);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("/no/such/interpreter"));

  std::ofstream(folder.file("windows")) << "#!/bin/sh\r\necho hello\r\n";
  ::chmod(folder.file("windows").c_str(), 0755);
  spec.argv = {folder.file("windows")};
  outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("carriage return"));

  spec.argv = {folder.path()};
  outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("is a folder"));

  spec = shell("true");
  spec.cwd = folder.file("nowhere");
  outcome = run(spec);
  ASSERT_TRUE(outcome.start_failure);
  EXPECT_THAT(outcome.start_failure->sentence, HasSubstr("nowhere"));
}

TEST_P(ChildRunTest, AScriptWithoutAShebangRunsInTheShell) {
  std::ofstream(folder.file("script")) << "echo ran with $1\n";
  ::chmod(folder.file("script").c_str(), 0755);
  ChildSpec spec = shell("");
  spec.argv = {folder.file("script"), "this"};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_EQ(log(), "ran with this\n");
}

TEST_P(ChildRunTest, ChildInheritsNoDescriptorAndNoSignalSetting) {
  const int leaked = ::dup(0);  // without close-on-exec
  ::signal(SIGUSR1, SIG_IGN);
  run(shell("ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  ::close(leaked);
  ::signal(SIGUSR1, SIG_DFL);
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr("0 1 2 3 "));  // 3 is the folder that ls reads
  EXPECT_THAT(text, testing::Not(HasSubstr(" 4 ")));
  EXPECT_THAT(text, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(text, HasSubstr("SigIgn:\t0000000000000000"));
}

TEST_P(ChildRunTest, ChildHasItsOwnSessionTheTagAndItsFolder) {
  ChildSpec spec = shell(
      "echo $FOREBAY_RUN_TAG; pwd; cut -d' ' -f1,6 /proc/self/stat; echo $$; echo ${FOREBAY_LAUNCHER-none}");
  spec.environment["FOREBAY_LAUNCHER"] = "secret";
  run(spec);
  const std::string text = log();
  EXPECT_THAT(text, HasSubstr(tag + "\n" + folder.path() + "\n"));
  EXPECT_THAT(text, HasSubstr("none\n"));
}

TEST_P(ChildRunTest, StandardInputIsEmpty) {
  EXPECT_EQ(run(shell("cat; echo done")).exit_code, 0);
  EXPECT_EQ(log(), "done\n");
}

TEST_P(ChildRunTest, ADaemonThatShedsItsEnvironmentDoesNotSurvive) {
  const ChildOutcome outcome =
      run(shell("env -i setsid sh -c 'sleep 300 & echo $! > pid; setsid sleep 301 & echo $! >> pid; sleep "
                "302' >/dev/null 2>&1 & "
                "while [ ! -s pid ] || [ $(wc -l < pid) -lt 2 ]; do sleep 0.01; done; echo started"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(log(), "started\n");
  std::ifstream pids(folder.file("pid"));
  int count = 0;
  for (long pid = 0; pids >> pid; ++count) EXPECT_NE(::kill(static_cast<pid_t>(pid), 0), 0) << pid;
  EXPECT_EQ(count, 2);
  EXPECT_TRUE(outcome.unkillable.empty());
}

TEST_P(ChildRunTest, ALeftoverThatHoldsTheOutputAndIgnoresTerminationIsEnded) {
  const ChildOutcome outcome =
      run(shell("(trap '' TERM HUP; touch ready; while :; do sleep 1; done) & while [ ! -e ready ]; do sleep "
                "0.01; done; echo main ends"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(log(), "main ends\n");
  EXPECT_GE(outcome.leftovers_killed, 1);
  EXPECT_EQ(tagged_processes(), 0u);
}

TEST_P(ChildRunTest, ALeftoverMayEndInOrderAndItsLastWordsAreKept) {
  run(
      shell("(trap 'echo last words; exit' TERM; touch ready; while :; do sleep 0.02; done) & while [ ! -e "
            "ready ]; do sleep 0.01; done"));
  EXPECT_EQ(log(), "last words\n");
}

TEST_P(ChildRunTest, GrandchildrenThatNobodyWaitsForAreReaped) {
  const ChildOutcome outcome =
      run(shell("python3 -c 'import os\nfor i in range(20):\n  if os.fork() == 0:\n    if os.fork() == 0: "
                "os._exit(0)\n    os._exit(0)\n' ; echo ok"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(log(), "ok\n");
}

TEST_P(ChildRunTest, ATreeThatForksOnIsEnded) {
  ChildSpec spec = shell(
      "exec python3 -c '\nimport os,time\nprint(\"go\",flush=True)\nend=time.time()+20\nwhile "
      "time.time()<end:\n  p=os.fork()\n  if p!=0:\n    time.sleep(0.001); os._exit(0)\n'");
  spec.leftover_grace = Duration{50'000'000};
  run(spec);
  EXPECT_EQ(tagged_processes(), 0u);
}

TEST_P(ChildRunTest, ClosedOutputAndExecAreFine) {
  EXPECT_EQ(run(shell("echo before; exec 1>&- 2>&-; sleep 0.1; exit 4")).exit_code, 4);
  EXPECT_EQ(run(shell("exec sh -c 'echo after exec; exit 5'")).exit_code, 5);
  EXPECT_EQ(log(), "before\nafter exec\n");
}

TEST_P(ChildRunTest, KeepsEveryByteOfBinaryOutputAndOfALongLine) {
  EXPECT_EQ(
      run(shell("python3 -c 'import sys\nb=bytes(range(256))*40000\nsys.stdout.buffer.write(b)'")).exit_code,
      0);
  std::string expected;
  for (int i = 0; i < 40000 * 256; ++i) expected += static_cast<char>(i % 256);
  EXPECT_TRUE(log() == expected);
}

TEST_P(ChildRunTest, KeepsManyShortLines) {
  EXPECT_EQ(
      run(shell("python3 -c 'import os\nfor i in range(20000): os.write(1, b\"%d\\n\" % i)'")).exit_code, 0);
  std::string expected;
  for (int i = 0; i < 20000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(log() == expected);
}

TEST_P(ChildRunTest, TellsTheHooks) {
  std::string seen;
  StartedChild started;
  hooks.on_log = [&](std::string_view bytes) { seen += bytes; };
  hooks.on_child_started = [&](const StartedChild& child) { started = child; };
  run(shell("sleep 0.05; echo $$"));
  EXPECT_EQ(seen, std::to_string(started.child) + "\n");
  EXPECT_GT(started.warden, 0);
}

TEST_P(ChildRunTest, RemovesItsControlGroup) {
  StartedChild started;
  hooks.on_child_started = [&](const StartedChild& child) { started = child; };
  run(shell("sleep 0.05 & sleep 0.1"));
  for (const std::string& path : started.cgroup_paths) EXPECT_FALSE(path_exists(path)) << path;
  if (!GetParam()) {
    EXPECT_TRUE(started.cgroup_paths.empty());
  }
}

TEST_P(ChildRunTest, RemarksGoIntoTheLog) {
  ASSERT_TRUE(supervisor().remark("a word"));
  EXPECT_EQ(log(LogStream::kForebay), "a word\n");
}

}  // namespace
}  // namespace forebay
