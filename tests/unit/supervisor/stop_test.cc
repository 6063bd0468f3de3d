// How a child is stopped: requests, limits, memory, a disk that is full.
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "base/file.h"
#include "run_fixture.h"
#include "supervisor/client.h"

namespace forebay {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Does something from another thread once the child has written `word`.
class StopTest : public RunWithAndWithoutGroup {
 protected:
  StopTest() { record_events(); }
  ~StopTest() override {
    if (helper_.joinable()) helper_.join();
  }
  void when_written(const std::string& word, std::function<void()> action) {
    hooks.on_log = [this, word, action](std::string_view bytes) {
      seen_ += bytes;
      if (helper_.joinable() || seen_.find(word) == std::string::npos) return;
      helper_ = std::thread(action);
    };
  }
  void ask(StopRequest request) {
    auto client = Client::connect(directory);
    ASSERT_TRUE(client) << client.error().sentence();
    EXPECT_TRUE(client->request_stop(request));
  }

 private:
  std::string seen_;
  std::thread helper_;
};
INSTANTIATE_TEST_SUITE_P(Groups, StopTest, testing::Bool(),
                         [](const auto& group) { return group.param ? "group" : "no_group"; });

TEST_P(StopTest, ARequestEndsTheChildInOrder) {
  when_written("ready", [this] { ask(StopRequest::kTerminate); });
  const ChildOutcome outcome =
      run(shell("trap 'echo saved; exit 9' TERM; echo ready; while :; do sleep 0.02; done"));
  EXPECT_EQ(outcome.stop_reason, StopReason::kCancelled);
  EXPECT_EQ(outcome.exit_code, 9);
  EXPECT_EQ(log(), "ready\nsaved\n");
  EXPECT_TRUE(supervisor().stop_requested());
  EXPECT_THAT(events, Contains("stop"));
}

TEST_P(StopTest, AfterARequestNothingMoreIsStartedButTheSavingOfOutputs) {
  when_written("ready", [this] { ask(StopRequest::kNow); });
  run(shell("echo ready; sleep 100"));
  const ChildOutcome refused = run(shell("echo never"));
  EXPECT_EQ(refused.stop_reason, StopReason::kCancelled);
  EXPECT_FALSE(refused.exit_code);
  ChildSpec saving = shell("echo saving");
  saving.despite_stop = true;
  EXPECT_EQ(run(saving).exit_code, 0);
  EXPECT_EQ(log(), "ready\nsaving\n");
}

TEST_P(StopTest, WhoIgnoresTheRequestIsKilledAfterTheGrace) {
  when_written("ready", [this] { ask(StopRequest::kTerminate); });
  ChildSpec spec = shell("trap '' TERM INT; echo ready; while :; do sleep 0.05; done");
  spec.grace = Duration{300'000'000};
  const ChildOutcome outcome = run(spec);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_EQ(tagged_processes(), 0u);
}

TEST_P(StopTest, AStoppedProcessIsEndedToo) {
  when_written("ready", [this] { ask(StopRequest::kTerminate); });
  const ChildOutcome outcome = run(shell("echo ready; kill -STOP $$; echo continued"));
  EXPECT_EQ(outcome.stop_reason, StopReason::kCancelled);
  EXPECT_EQ(outcome.signal, SIGTERM);
}

TEST_P(StopTest, AnInterruptReachesTheGroupAndASecondOneKills) {
  when_written("ready", [this] {
    ask(StopRequest::kInterrupt);
    ask(StopRequest::kInterrupt);
  });
  ChildSpec spec = shell("trap '' INT TERM; echo ready; while :; do sleep 0.05; done");
  spec.grace = Duration{60'000'000'000};
  EXPECT_EQ(run(spec).signal, SIGKILL);
}

TEST_P(StopTest, PythonSeesAKeyboardInterrupt) {
  when_written("ready", [this] { ask(StopRequest::kInterrupt); });
  ChildSpec spec = shell(
      "exec python3 -u -c '\nimport time\ntry:\n  print(\"ready\")\n  time.sleep(100)\nexcept "
      "KeyboardInterrupt:\n  print(\"interrupted\"); raise SystemExit(3)'");
  EXPECT_EQ(run(spec).exit_code, 3);
  EXPECT_THAT(log(), HasSubstr("interrupted"));
}

TEST_P(StopTest, WorkersAreAskedAfterTheOneThatStartedThem) {
  // The parent needs its worker alive to save: a polite stop goes to the parent alone.
  when_written("ready", [this] { ask(StopRequest::kTerminate); });
  ChildSpec spec = shell(
      "exec python3 -u -c '\nimport os,signal,sys,time\nr,w=os.pipe()\npid=os.fork()\nif pid==0:\n  "
      "time.sleep(0.4); os.write(w,b\"k\"); time.sleep(100)\n"
      "def save(*a):\n  os.read(r,1); print(\"saved with worker\"); os.kill(pid,9); "
      "sys.exit(0)\nsignal.signal(signal.SIGTERM,save)\nprint(\"ready\")\ntime.sleep(100)'");
  spec.grace = Duration{4'000'000'000};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(log(), HasSubstr("saved with worker"));
}

TEST_P(StopTest, TerminatingTheSupervisorStopsTheRunInOrder) {
  when_written("ready", [] { ::kill(::getpid(), SIGTERM); });
  const ChildOutcome outcome =
      run(shell("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.02; done"));
  EXPECT_EQ(outcome.stop_reason, StopReason::kTerminated);
  EXPECT_THAT(log(), HasSubstr("saved"));
}

TEST_P(StopTest, TheTimeLimitEndsIt) {
  Limits limits;
  limits.max_duration = Duration{200'000'000};
  const ChildOutcome outcome = run(shell("sleep 100"), limits);
  EXPECT_EQ(outcome.stop_reason, StopReason::kMaxDuration);
  EXPECT_THAT(outcome.stop_sentence, HasSubstr("max_duration"));
  EXPECT_THAT(events, Contains("limit"));
  EXPECT_FALSE(supervisor().stop_requested());
}

TEST_P(StopTest, AnIdleJobIsEndedOnlyWhenTheRecorderSaysSo) {
  hooks.activity = [] {
    Activity activity;
    activity.sampled_ns = system_clock().monotonic_ns();
    activity.cpu_known = activity.io_known = true;
    return activity;
  };
  Limits limits;
  limits.idle_stop = Duration{200'000'000};
  EXPECT_EQ(run(shell("sleep 100"), limits).stop_reason, StopReason::kIdle);
}

TEST_P(StopTest, ASliceEndsItSoonAfterItsStepsHaveBeenCounted) {
  std::int64_t reached_ns = 0;
  hooks.activity = [&, asked = 0]() mutable {
    Activity activity;
    activity.most_steps = ++asked * 10;
    if (activity.most_steps == 30) reached_ns = system_clock().monotonic_ns();
    return activity;
  };
  Limits limits;
  limits.slice_steps = 30;
  const ChildOutcome outcome =
      run(shell("trap 'echo saved; exit 0' TERM; while :; do sleep 0.02; done"), limits);
  EXPECT_EQ(outcome.stop_reason, StopReason::kSlice);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.stop_sentence, HasSubstr("30 steps"));
  EXPECT_THAT(log(), HasSubstr("saved")) << "it was asked, not killed";
  EXPECT_THAT(events, Contains("limit"));
  EXPECT_LT(system_clock().monotonic_ns() - reached_ns, 1'500'000'000);
  EXPECT_EQ(tagged_processes(), 0u);
}

TEST_P(StopTest, AMemoryLimitEndsItWithFigures) {
  ChildSpec spec = shell(
      "exec python3 -c '\nimport time\nb=[]\nfor i in range(64):\n  b.append(bytearray(b\"x\")*(8<<20)); "
      "time.sleep(0.02)\ntime.sleep(5)'");
  spec.memory_limit = Bytes{96 << 20};
  const ChildOutcome outcome = run(spec);
  EXPECT_EQ(outcome.stop_reason, StopReason::kMemoryLimit);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_THAT(outcome.stop_sentence, HasSubstr("96.0 MiB"));
  ASSERT_TRUE(outcome.peak_memory);
  EXPECT_GT(outcome.peak_memory->count, 60 << 20);
}

TEST_P(StopTest, MemoryOfAWorkerCountsAndAllAreEnded) {
  ChildSpec spec = shell(
      "python3 -c 'b=bytearray(b\"x\")*(300<<20); import time; time.sleep(5)'; echo not reached; sleep 5");
  spec.memory_limit = Bytes{150 << 20};
  const ChildOutcome outcome = run(spec);
  EXPECT_EQ(outcome.stop_reason, StopReason::kMemoryLimit);
  EXPECT_EQ(tagged_processes(), 0u);
}

TEST_P(StopTest, AnAllocatorThatIsRefusedUnderTheLimitGoesOn) {
  ChildSpec spec = shell("python3 -c 'b=bytearray(20<<20); print(\"fine\")'");
  spec.memory_limit = Bytes{400 << 20};
  const ChildOutcome outcome = run(spec);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stop_reason, StopReason::kNone);
}

// A log on a file system of a few pages. Needs the right to mount.
class FullDiskTest : public RunFixture {
 protected:
  void SetUp() override {
    mounted_ = folder.file("small");
    ASSERT_TRUE(make_directories(mounted_));
    if (::mount("tmpfs", mounted_.c_str(), "tmpfs", 0, "size=1m") != 0)
      GTEST_SKIP() << "mounting is not allowed here";
    directory = RunDirectory(mounted_ + "/run");
    ASSERT_TRUE(create_run_directory(directory));
    record_events();
  }
  void TearDown() override {
    end_supervisor();
    ::umount2(mounted_.c_str(), MNT_DETACH);
  }
  std::string mounted_;
};

TEST_F(FullDiskTest, TheJobIsStoppedWithASentenceWhatWasWrittenIsKeptAndTheRestCounted) {
  SupervisorSettings wanted = settings();
  wanted.log_stall = Duration{300'000'000};
  auto created = Supervisor::create(wanted);
  ASSERT_TRUE(created);
  const auto outcome = created->run(shell("head -c 3000000 /dev/zero; sleep 100"), {}, hooks);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stop_reason, StopReason::kLogFailed);
  EXPECT_THAT(outcome->stop_sentence, HasSubstr("No space left"));
  EXPECT_GT(outcome->log_bytes, 100'000u);
  EXPECT_GT(outcome->lost_log_bytes, 0u);
  EXPECT_EQ(log().size(), outcome->log_bytes);
  EXPECT_THAT(events, Contains("log-stalled"));
  EXPECT_THAT(events, Contains("log-failed"));
}

TEST_F(FullDiskTest, SpaceThatComesBackInTimeLosesNothing) {
  {
    std::ofstream(mounted_ + "/ballast") << std::string(600'000, 'x');
  }
  std::thread helper;
  hooks.on_event = [&](const std::string& name, const Json&) {
    events.push_back(name);
    if (name == "log-stalled" && !helper.joinable())
      helper = std::thread([this] { ::unlink((mounted_ + "/ballast").c_str()); });
  };
  const auto outcome = supervisor().run(shell("head -c 600000 /dev/zero"), {}, hooks);
  if (helper.joinable()) helper.join();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stop_reason, StopReason::kNone);
  EXPECT_EQ(outcome->lost_log_bytes, 0u);
  EXPECT_EQ(log(), std::string(600'000, '\0'));
  EXPECT_THAT(events, Contains("log-resumed"));
}

}  // namespace
}  // namespace forebay
