// kill -9 of the supervisor, of the warden and of both: no process is left, and what was written stays.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <thread>

#include "base/file.h"
#include "run_fixture.h"

namespace forebay {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// A tree that tries to stay: a daemon of its own session without the tag in its environment, one that ignores
// signals, a worker.
constexpr const char* kTree =
    "(trap '' TERM HUP INT; while :; do sleep 0.2; done) & "
    "env -i setsid sh -c 'trap \"\" TERM HUP; echo $$ > stray; while :; do sleep 0.2; done' & "
    "sleep 305 & while [ ! -s stray ]; do sleep 0.01; done; echo ready; wait";

class DeathTest : public RunWithAndWithoutGroup {
 protected:
  // A supervisor in a process of its own.
  pid_t start(const std::string& script, const std::string& kill_at = "") {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setsid();
    if (!kill_at.empty()) ::setenv("FOREBAY_KILL_AT", kill_at.c_str(), 1);
    auto created = Supervisor::create(settings());
    if (!created) ::_exit(90);
    ChildSpec spec = shell(script);
    spec.leftover_grace = Duration{100'000'000};
    const auto outcome = created->run(spec, {}, {});
    ::_exit(!outcome ? 91 : outcome->stop_reason == StopReason::kWardenLost ? 50 : 0);
  }
  bool wait_until(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      ::usleep(10'000);
    }
    return false;
  }
  bool is_ready() { return log().find("ready") != std::string::npos; }
  bool is_stray_gone() {
    std::ifstream file(folder.file("stray"));
    long pid = 0;
    if (!(file >> pid)) return true;
    const auto stat = read_process_stat(pid);
    return !stat || stat->state == 'Z';
  }
  bool is_nothing_left() { return tagged_processes() == 0 && is_stray_gone(); }
  SupervisorRecord record() {
    const auto read = read_supervisor_record(directory);
    EXPECT_TRUE(read);
    return read ? *read : SupervisorRecord{};
  }
};
INSTANTIATE_TEST_SUITE_P(Groups, DeathTest, testing::Bool(),
                         [](const auto& group) { return group.param ? "group" : "no_group"; });

TEST_P(DeathTest, OfTheSupervisorTheWardenEndsTheTree) {
  const pid_t supervisor_pid = start(kTree);
  ASSERT_TRUE(wait_until([this] { return is_ready(); }));
  const SupervisorRecord before = record();
  EXPECT_EQ(presence_of(before), SupervisorPresence::kAlive);
  EXPECT_FALSE(stop_tree_of(before, system_clock())) << "a living supervisor's tree is not touched";
  ::kill(supervisor_pid, SIGKILL);
  ::waitpid(supervisor_pid, nullptr, 0);
  EXPECT_EQ(presence_of(before), SupervisorPresence::kGone);
  EXPECT_TRUE(wait_until([this] { return is_nothing_left(); }));
  EXPECT_TRUE(wait_until([&] { return !is_alive(*before.warden); }));
  for (const std::string& path : before.cgroups) EXPECT_FALSE(path_exists(path));
  EXPECT_EQ(log(), "ready\n");
}

TEST_P(DeathTest, OfTheWardenTheSupervisorEndsTheTree) {
  const pid_t supervisor_pid = start(kTree);
  ASSERT_TRUE(wait_until([this] { return is_ready(); }));
  ::kill(static_cast<pid_t>(record().warden->pid), SIGKILL);
  int status = 0;
  ::waitpid(supervisor_pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 50);
  EXPECT_TRUE(is_nothing_left());
}

TEST_P(DeathTest, OfBothTheTreeIsFoundAndEnded) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans come to the test, which must not mistake them for its own
  const pid_t supervisor_pid = start(kTree);
  ASSERT_TRUE(wait_until([this] { return is_ready(); }));
  const SupervisorRecord before = record();
  ::kill(supervisor_pid, SIGSTOP);  // so that neither sees the other die
  ::kill(static_cast<pid_t>(before.warden->pid), SIGKILL);
  ::kill(supervisor_pid, SIGKILL);
  ::waitpid(supervisor_pid, nullptr, 0);
  EXPECT_FALSE(find_survivors(before).empty());
  const auto survivors = stop_tree_of(before, system_clock(), Duration{100'000'000});
  ASSERT_TRUE(survivors) << survivors.error().sentence();
  EXPECT_FALSE(survivors->empty());
  for (const Survivor& survivor : *survivors) EXPECT_TRUE(survivor.gone) << survivor.name;
  EXPECT_EQ(tagged_processes(), 0u);
  if (!before.cgroups.empty()) {
    EXPECT_TRUE(is_stray_gone());  // without a group a stray without its tag cannot be known
  } else {
    std::ifstream file(folder.file("stray"));
    long pid = 0;
    if (file >> pid) ::kill(static_cast<pid_t>(pid), SIGKILL);
  }
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_P(DeathTest, AtEveryPointNothingIsLeft) {
  for (const char* point :
       {"supervisor-created", "warden-forked", "supervisor-recorded", "supervisor-child-started",
        "supervisor-child-exited", "supervisor-child-finished", "warden-ready", "warden-child-forked",
        "warden-child-started", "warden-child-exited"}) {
    SCOPED_TRACE(point);
    ::unlink(folder.file("stray").c_str());
    const pid_t supervisor_pid =
        start("(trap '' TERM; sleep 306) & sleep 307 & echo ready; sleep 0.1", point);
    int status = 0;
    ::waitpid(supervisor_pid, &status, 0);
    EXPECT_TRUE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || WIFEXITED(status)) << status;
    if (std::string(point).rfind("supervisor", 0) == 0 || std::string(point) == "warden-forked") {
      EXPECT_TRUE(WIFSIGNALED(status));
    }
    EXPECT_TRUE(wait_until([this] { return is_nothing_left(); }));
    // The warden too; it carries no tag.
    EXPECT_TRUE(wait_until([&] {
      const auto read = read_supervisor_record(directory);
      return !read || !read->warden || !is_alive(*read->warden);
    }));
  }
}

TEST_P(DeathTest, AtRandomNothingIsLeftAndTheLogReadsToItsEnd) {
  for (int round = 0; round < 8; ++round) {
    const pid_t supervisor_pid = start(
        "(trap '' TERM; sleep 308) & i=0; while [ $i -lt 100000 ]; do echo line $i; i=$((i+1)); done; sleep "
        "309");
    ::usleep(static_cast<useconds_t>(7'000 + 13'000 * round));
    const auto before = read_supervisor_record(directory);
    if (round % 2 == 1 && before && before->warden) ::kill(static_cast<pid_t>(before->warden->pid), SIGKILL);
    ::kill(supervisor_pid, SIGKILL);
    ::waitpid(supervisor_pid, nullptr, 0);
    if (before && before->supervisor.pid == supervisor_pid) {
      const auto ended = stop_tree_of(*before, system_clock(), Duration{50'000'000});
      EXPECT_TRUE(ended);
    }
    EXPECT_TRUE(wait_until([this] { return tagged_processes() == 0; }));
    log();  // expects every frame to be whole
  }
}

TEST(LostRun, ARecordOfAnotherMachineOrBootIsNotTakenForThisOne) {
  SupervisorRecord record;
  record.supervisor = own_identity();
  EXPECT_EQ(presence_of(record), SupervisorPresence::kAlive);
  record.supervisor.start_ticks += 1;
  EXPECT_EQ(presence_of(record), SupervisorPresence::kGone);
  record.supervisor.boot_id = "another-boot";
  EXPECT_EQ(presence_of(record), SupervisorPresence::kGone);
  record.host = "another-host.example";
  EXPECT_EQ(presence_of(record), SupervisorPresence::kElsewhere);
  const auto stopped = stop_tree_of(record, system_clock());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnsupported);
}

TEST(LostRun, ADamagedRecordIsAnError) {
  TemporaryFolder folder;
  const RunDirectory directory(folder.path());
  for (const char* text : {"", "{", "[]", "{}", "{\"supervisor\": {\"pid\": -1}}"}) {
    std::ofstream(directory.supervisor(), std::ios::trunc) << text;
    EXPECT_FALSE(read_supervisor_record(directory)) << text;
  }
}

}  // namespace
}  // namespace forebay
