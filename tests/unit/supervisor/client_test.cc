// Clients of a running supervisor: following, feeding, hostile ones; and children on a pty.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "run_fixture.h"
#include "supervisor/client.h"
#include "supervisor/connection.h"
#include "supervisor/process_tree.h"
#include "supervisor/socket_address.h"

namespace forebay {
namespace {

using testing::HasSubstr;

// A follower in a process of its own, with descriptors that the test holds the other end of.
class FollowerProcess {
 public:
  FollowerProcess(FollowSettings settings, bool on_terminal) {
    int from[2], to[2];
    if (on_terminal) {
      int master = -1, slave = -1;
      winsize size{33, 101, 0, 0};
      EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
      from[0] = to[1] = master;
      from[1] = to[0] = slave;
    } else {
      EXPECT_EQ(::pipe(from), 0);
      EXPECT_EQ(::pipe(to), 0);
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      if (on_terminal) {
        enter_foreground(to[0]);
      } else {
        ::close(from[0]);
        ::close(to[1]);
      }
      settings.input = to[0];
      settings.output = settings.error = from[1];
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      const auto result = follow(settings);
      ::_exit(!result                                   ? 99
              : result->end == FollowEnd::kRunEnded     ? 10
              : result->end == FollowEnd::kOutputClosed ? 11
                                                        : 12);
    }
    reading_ = from[0];
    writing_ = to[1];
    if (on_terminal) {
      slave_ = from[1];
    } else {
      ::close(from[1]);
      ::close(to[0]);
    }
  }
  ~FollowerProcess() {
    if (pid_ > 0) {
      ::kill(pid(), SIGKILL);
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  void type(std::string_view text) {
    EXPECT_EQ(::write(writing_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_input() {
    ::close(writing_);
    writing_ = -1;
  }
  void close_output() { ::close(reading_); }
  void signal(int number) { ::kill(pid(), number); }
  // On a terminal the follower is a child of a stand-in for the shell, as a process of a group without one
  // cannot be suspended.
  pid_t pid() const {
    for (const ProcessStat& process : all_processes())
      if (process.parent == pid_) return static_cast<pid_t>(process.pid);
    return pid_;
  }
  int slave() const { return slave_; }
  // Reads until the text has come (or ten seconds have passed). What was read so far.
  std::string wait_for(const std::string& text) {
    for (int i = 0; i < 200 && seen_.find(text) == std::string::npos; ++i) {
      pollfd wait{reading_, POLLIN, 0};
      if (::poll(&wait, 1, 50) <= 0) continue;
      char buffer[65536];
      const ssize_t got = ::read(reading_, buffer, sizeof buffer);
      if (got <= 0) break;
      seen_.append(buffer, static_cast<std::size_t>(got));
    }
    return seen_;
  }
  int wait_for_end() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  // Returns in the foreground process; the one before it waits for it as a shell would.
  static void enter_foreground(int terminal) {
    ::setsid();
    ::ioctl(terminal, TIOCSCTTY, 0);
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t follower = ::fork();
    if (follower == 0) {
      ::setpgid(0, 0);
      ::tcsetpgrp(terminal, ::getpgrp());
      return;
    }
    int status = 0;
    while (::waitpid(follower, &status, 0) < 0 && errno == EINTR) {
    }
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
  }

  pid_t pid_ = 0;
  int reading_ = -1, writing_ = -1, slave_ = -1;
  std::string seen_;
};

class ClientTest : public RunFixture {
 protected:
  ClientTest() { use_cgroup = false; }
  FollowSettings follow_settings() { return FollowSettings{directory, system_clock(), {}}; }
  // Runs the child while `script` plays the people around it.
  ChildOutcome run_with(const ChildSpec& spec, std::function<void()> script) {
    supervisor();
    std::thread people(std::move(script));
    const ChildOutcome outcome = run(spec);
    people.join();
    return outcome;
  }
};

TEST_F(ClientTest, StatusTellsOfTheChild) {
  run_with(shell("while [ ! -e asked ]; do sleep 0.01; done"), [this] {
    auto client = Client::connect(directory);
    ASSERT_TRUE(client) << client.error().sentence();
    const auto status = client->status(Duration{5'000'000'000});
    ASSERT_TRUE(status);
    EXPECT_EQ((*status)["state"].string_or_empty(), "running");
    EXPECT_EQ((*status)["supervisor_pid"].as_integer(), ::getpid());
    std::ofstream(folder.file("asked"));
  });
}

TEST_F(ClientTest, NobodyAnswersForARunWithoutSupervisor) {
  const auto client = Client::connect(directory);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kUnavailable);
}

TEST_F(ClientTest, AFollowerSeesEverythingAndEndsWithTheRun) {
  supervisor();
  FollowerProcess follower(follow_settings(), false);
  run(shell("echo one; sleep 0.1; echo two >&2; sleep 0.1; head -c 300000 /dev/zero | tr '\\0' x; echo end"));
  std::thread later([this] { end_supervisor(); });
  const std::string seen = follower.wait_for("end\n");
  later.join();
  EXPECT_EQ(seen, "one\ntwo\n" + std::string(300000, 'x') + "end\n");
}

TEST_F(ClientTest, ALateFollowerSeesAllOfIt) {
  run(shell("echo one; echo two"));
  end_supervisor();
  FollowSettings settings = follow_settings();
  settings.until_end = false;
  FollowerProcess follower(settings, false);
  EXPECT_EQ(follower.wait_for("two\n"), "one\ntwo\n");
  EXPECT_EQ(follower.wait_for_end(), 10);
}

TEST_F(ClientTest, InputReachesTheChildToItsEnd) {
  ChildSpec spec = shell("wc -c; echo done");
  spec.input = InputSource::kClient;
  FollowSettings settings = follow_settings();
  settings.attached = settings.feed_input = true;
  supervisor();
  FollowerProcess follower(settings, false);
  const ChildOutcome outcome = run_with(spec, [&] {
    for (int i = 0; i < 100; ++i) follower.type(std::string(5000, 'a'));
    follower.close_input();
  });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(log(), HasSubstr("500000\ndone\n"));
}

TEST_F(ClientTest, InputNobodyReadsDoesNotHoldASignalUp) {
  ChildSpec spec = shell(
      "exec python3 -u -c '\nimport signal,sys,time\nsignal.signal(signal.SIGINT, lambda *a: "
      "sys.exit(5))\nprint(\"ready\")\ntime.sleep(100)'");
  spec.input = InputSource::kClient;
  FollowSettings settings = follow_settings();
  settings.attached = settings.feed_input = true;
  supervisor();
  FollowerProcess follower(settings, false);
  const ChildOutcome outcome = run_with(spec, [&] {
    follower.wait_for("ready");
    follower.type(std::string(60000, 'a'));
    follower.signal(SIGINT);
  });
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(outcome.stop_reason, StopReason::kCancelled);
}

TEST_F(ClientTest, InputEndsWhenItsClientDies) {
  ChildSpec spec = shell("echo ready; cat; echo end of input");
  spec.input = InputSource::kClient;
  FollowSettings settings = follow_settings();
  settings.attached = settings.feed_input = true;
  supervisor();
  FollowerProcess follower(settings, false);
  const ChildOutcome outcome = run_with(spec, [&] {
    follower.wait_for("ready");
    follower.type("text\n");
    follower.wait_for("text");
    follower.signal(SIGKILL);
  });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stop_reason, StopReason::kNone);
  EXPECT_EQ(log(), "ready\ntext\nend of input\n");
}

TEST_F(ClientTest, AHangupLeavesTheRunAlone) {
  supervisor();
  FollowSettings settings = follow_settings();
  settings.attached = true;
  FollowerProcess follower(settings, false);
  const ChildOutcome outcome =
      run_with(shell("echo ready; while [ ! -e go ]; do sleep 0.01; done; echo finished"), [&] {
        follower.wait_for("ready");
        follower.signal(SIGHUP);
        EXPECT_EQ(follower.wait_for_end(), 12);
        std::ofstream(folder.file("go"));
      });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(log(), HasSubstr("finished"));
}

TEST_F(ClientTest, AClosedOutputEndsTheFollowerOnly) {
  supervisor();
  FollowSettings settings = follow_settings();
  settings.attached = true;
  FollowerProcess follower(settings, false);
  const ChildOutcome outcome =
      run_with(shell("echo ready; while [ ! -e go ]; do sleep 0.01; done; echo finished"), [&] {
        follower.wait_for("ready");
        follower.close_output();
        EXPECT_EQ(follower.wait_for_end(), 11);
        std::ofstream(folder.file("go"));
      });
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(ClientTest, ASlowFollowerDoesNotSlowTheRun) {
  supervisor();
  FollowerProcess follower(follow_settings(), false);  // nobody reads its output
  const ChildOutcome outcome = run(shell("head -c 20000000 /dev/zero"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.log_bytes, 20000000u);
}

TEST_F(ClientTest, HostileClientsAreSentAwayAndTheRunGoesOn) {
  const ChildOutcome outcome = run_with(shell("while [ ! -e go ]; do sleep 0.01; done"), [this] {
    const auto record = read_supervisor_record(directory);
    ASSERT_TRUE(record);
    for (const std::string& words :
         {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100000, '\xff'),
          encode(MessageKind::kStop, "\2"),
          encode(MessageKind::kHello, hello_payload(true)) + encode(static_cast<MessageKind>(200), "x"),
          encode(MessageKind::kHello, hello_payload(true)) + encode(MessageKind::kStop, "\x7f"),
          encode(MessageKind::kHello, hello_payload(true)) +
              encode(MessageKind::kInput, std::string(40000, 'x')) +
              encode(MessageKind::kInput, std::string(40000, 'x'))}) {
      auto fd = connect_to_socket(record->socket);
      ASSERT_TRUE(fd);
      (void)::send(fd->get(), words.data(), words.size(), MSG_NOSIGNAL);
      pollfd wait{fd->get(), POLLIN, 0};
      char buffer[4096];
      ssize_t got = 1;
      for (int i = 0; i < 100 && got > 0; ++i) {
        ::poll(&wait, 1, 100);
        got = ::recv(fd->get(), buffer, sizeof buffer, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) got = 1;
      }
      EXPECT_LE(got, 0) << "not sent away";
    }
    // More silent guests than the house holds.
    std::vector<UniqueFd> guests;
    for (int i = 0; i < 60; ++i)
      if (auto fd = connect_to_socket(record->socket)) guests.push_back(std::move(*fd));
    auto client = Client::connect(directory);
    EXPECT_TRUE(client);
    std::ofstream(folder.file("go"));
  });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stop_reason, StopReason::kNone);
}

TEST_F(ClientTest, ALongPathIsReachedAllTheSame) {
  std::string path = folder.path();
  for (int i = 0; i < 6; ++i) path += "/a-folder-with-a-rather-long-name";
  ASSERT_TRUE(make_directories(path));
  directory = RunDirectory(path + "/run");
  ASSERT_TRUE(create_run_directory(directory));
  run_with(shell("while [ ! -e asked ]; do sleep 0.01; done"), [this] {
    auto client = Client::connect(directory);
    EXPECT_TRUE(client) << client.error().sentence();
    std::ofstream(folder.file("asked"));
  });
}

class TerminalTest : public ClientTest {
 protected:
  ChildSpec on_terminal(const std::string& script) {
    ChildSpec spec = shell(script);
    spec.use_pty = true;
    spec.input = InputSource::kClient;
    return spec;
  }
  FollowSettings raw_settings() {
    FollowSettings settings = follow_settings();
    settings.attached = settings.feed_input = settings.raw_terminal = true;
    return settings;
  }
};

TEST_F(TerminalTest, TheChildHasATerminalOfTheRightSize) {
  ChildSpec spec = on_terminal(
      "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size && cat /dev/tty > /dev/null & wait; tty > /dev/null && "
      "echo terminal");
  spec.window_size = WindowSize{11, 77};
  spec.input = InputSource::kNothing;
  run(spec);
  spec = on_terminal("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size");
  spec.window_size = WindowSize{11, 77};
  EXPECT_EQ(run(spec).exit_code, 0);
  EXPECT_THAT(log(), HasSubstr("11 77"));
}

TEST_F(TerminalTest, LastWordsBeforeTheEndAreKept) {
  run(on_terminal("head -c 100000 /dev/zero | tr '\\0' x; echo end"));
  EXPECT_EQ(log(), std::string(100000, 'x') + "end\r\n");
}

TEST_F(TerminalTest, TypedLinesReachTheChildAndTheWindowFollows) {
  supervisor();
  FollowerProcess follower(raw_settings(), true);
  const ChildOutcome outcome =
      run_with(on_terminal("echo ready; read line; echo got $line; read line; stty size"), [&] {
        follower.wait_for("ready");
        follower.type("hello\r");
        follower.wait_for("got hello");
        winsize size{44, 55, 0, 0};
        ::ioctl(follower.slave(), TIOCSWINSZ, &size);
        follower.signal(SIGWINCH);
        for (int i = 0; i < 100; ++i) ::usleep(1000);
        follower.type("\r");
        follower.wait_for("44 55");
      });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(log(), HasSubstr("44 55"));
}

TEST_F(TerminalTest, CtrlCStopsTheRunInOrderAndTheTerminalComesBack) {
  supervisor();
  FollowerProcess follower(raw_settings(), true);
  termios before{};
  ::tcgetattr(follower.slave(), &before);
  const ChildOutcome outcome =
      run_with(on_terminal("trap 'echo caught; exit 6' INT; echo ready; while :; do sleep 0.02; done"), [&] {
        follower.wait_for("ready");
        termios during{};
        ::tcgetattr(follower.slave(), &during);
        EXPECT_EQ(during.c_lflag & ICANON, 0u);
        follower.type("\x03");
        follower.wait_for("caught");
      });
  EXPECT_EQ(outcome.stop_reason, StopReason::kCancelled);
  std::ofstream(directory.outcome()) << "{}";
  end_supervisor();
  EXPECT_EQ(follower.wait_for_end(), 10);
  termios after{};
  ::tcgetattr(follower.slave(), &after);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_oflag, before.c_oflag);
}

TEST_F(TerminalTest, ASecondCtrlCKills) {
  supervisor();
  FollowerProcess follower(raw_settings(), true);
  ChildSpec spec =
      on_terminal("trap 'echo caught' INT; trap '' TERM; echo ready; while :; do sleep 0.02; done");
  spec.grace = Duration{60'000'000'000};
  const ChildOutcome outcome = run_with(spec, [&] {
    follower.wait_for("ready");
    follower.type("\x03");
    follower.wait_for("caught");
    follower.type("\x03");
  });
  EXPECT_EQ(outcome.signal, SIGKILL);
}

TEST_F(TerminalTest, KeysOfAProgramThatReadsThemItselfArePassedOn) {
  supervisor();
  FollowerProcess follower(raw_settings(), true);
  const ChildOutcome outcome =
      run_with(on_terminal("stty raw -echo; printf ready; head -c 2 | od -An -tx1; stty sane"), [&] {
        follower.wait_for("ready");
        follower.type("\x03\x1a");
        follower.wait_for("1a");
      });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stop_reason, StopReason::kNone);
  EXPECT_THAT(log(), HasSubstr("03 1a"));
}

TEST_F(TerminalTest, CtrlZSuspendsOnlyTheDisplay) {
  supervisor();
  FollowerProcess follower(raw_settings(), true);
  const ChildOutcome outcome =
      run_with(on_terminal("echo ready; while [ ! -e go ]; do sleep 0.01; done; echo finished"), [&] {
        follower.wait_for("ready");
        follower.type("\x1a");
        bool is_stopped = false;
        for (int i = 0; i < 300 && !is_stopped; ++i) {
          const auto stat = read_process_stat(follower.pid());
          is_stopped = stat && stat->state == 'T';
          ::usleep(10'000);
        }
        EXPECT_TRUE(is_stopped);
        termios during{};
        ::tcgetattr(follower.slave(), &during);
        EXPECT_NE(during.c_lflag & ICANON, 0u) << "the shell must get a sane terminal";
        std::ofstream(folder.file("go"));
        follower.signal(SIGCONT);
        follower.wait_for("finished");
      });
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_F(TerminalTest, AJobThatClosesItsTerminalAndOpensItAgainIsHeard) {
  run(on_terminal("exec </dev/null >/dev/null 2>&1; sleep 0.1; echo back > /dev/tty"));
  EXPECT_EQ(log(), "back\r\n");
}

}  // namespace
}  // namespace forebay
