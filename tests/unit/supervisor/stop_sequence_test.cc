#include "supervisor/stop_sequence.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

// A process in a group of its own that sleeps until a signal ends it.
// An interrupt that comes before it has given up the handlers of this process waits for it.
pid_t sleeper() {
  sigset_t interrupt, before;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, &before);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::signal(SIGINT, SIG_DFL);
    sigset_t none;  // a supervisor of an earlier test may have left signals blocked
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (;;) ::pause();
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::setpgid(pid, pid);
  return pid;
}

int signal_that_ended(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

class StopSequenceTest : public ::testing::Test {
 protected:
  StopSequence sequence() {
    StopTarget target;
    target.members = [] { return std::vector<ProcessStat>(); };
    target.foreground_group = [this] { return group_; };
    return StopSequence(std::move(target), Duration{10'000 * kMillisecond}, Duration{0});
  }
  pid_t group_ = 0;
};

TEST_F(StopSequenceTest, AnInterruptBeforeTheJobIsThereReachesItWhenItIs) {
  StopSequence stop = sequence();
  stop.request(StopRequest::kInterrupt, 0);
  EXPECT_EQ(stop.phase(), StopSequence::Phase::kInterrupted);
  stop.tick(*stop.next_tick_ns());
  group_ = sleeper();
  const std::int64_t told = *stop.next_tick_ns();
  EXPECT_LE(told, 100 * kMillisecond);
  stop.tick(told);
  EXPECT_EQ(signal_that_ended(group_), SIGINT);
  EXPECT_EQ(*stop.next_tick_ns(), told + 10'000 * kMillisecond) << "the grace begins when it has heard";
}

TEST_F(StopSequenceTest, ATerminationAfterAnUnheardInterruptTakesItsPlace) {
  StopSequence stop = sequence();
  stop.request(StopRequest::kInterrupt, 0);
  stop.request(StopRequest::kTerminate, 1);
  group_ = sleeper();
  stop.tick(*stop.next_tick_ns());
  EXPECT_EQ(::kill(group_, 0), 0);
  ::usleep(20'000);
  EXPECT_EQ(::waitpid(group_, nullptr, WNOHANG), 0) << "asked to end, it is not interrupted any more";
  ::kill(group_, SIGKILL);
  EXPECT_EQ(signal_that_ended(group_), SIGKILL);
}

}  // namespace
}  // namespace forebay
