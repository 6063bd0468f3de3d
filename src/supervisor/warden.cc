#include "supervisor/warden.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "supervisor/kill_point.h"
#include "supervisor/process_tree.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace forebay {
namespace {

constexpr int kLowestKept = 20;  // descriptors are moved above the standard ones first
constexpr std::int64_t kGraceWithoutSupervisor = 1'000'000'000;
constexpr std::int64_t kPatience = 30'000'000'000;  // with processes that do not die of SIGKILL

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void close_between(int first, int last) {
  if (first > last) return;
  if (::syscall(SYS_close_range, first, last, 0) == 0) return;
  const long most = std::min<long>(::sysconf(_SC_OPEN_MAX), 65536);
  for (int fd = first; fd <= last && fd < most; ++fd) ::close(fd);
}

// The process after the fork. Single-threaded; uses system calls and, in the end, the allocator (which glibc
// makes usable after fork).
class WardenProcess {
 public:
  WardenProcess(ExecPlan plan, const std::optional<Cgroup>& cgroup, int channel, pid_t supervisor)
      : plan_(std::move(plan)), cgroup_(cgroup), channel_(channel), supervisor_(supervisor) {}

  [[noreturn]] void live() {
    set_up();
    kill_point("warden-ready");
    if (!wait_for_release()) end(0);
    start_child();
    kill_point("warden-child-forked");
    while (true) {
      pollfd waits[3] = {{signals_, POLLIN, 0}, {channel_, POLLIN, 0}, {exec_result_, POLLIN, 0}};
      if (::poll(waits, exec_result_ >= 0 ? 3 : 2, -1) < 0 && errno != EINTR) end(1);
      if (exec_result_ >= 0 && waits[2].revents != 0) read_exec_result();
      if (waits[0].revents != 0) read_signals();
      if (waits[1].revents != 0 && is_supervisor_gone()) end_tree();
      if (::getppid() != supervisor_) end_tree();
    }
  }

 private:
  void set_up() {
    ::setsid();
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    // Only wakes: who is gone is decided by getppid and the channel, since this signal also comes when a mere
    // thread ends.
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
    ::prctl(PR_SET_NAME, "forebay-warden");
    keep_only_needed_descriptors();
    signals_ = ::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void keep_only_needed_descriptors() {
    std::vector<int*> kept{&channel_, &plan_.input, &plan_.output, &plan_.error};
    for (int& join : plan_.joins) kept.push_back(&join);
    std::vector<int> numbers;
    for (int* fd : kept) {
      *fd = ::fcntl(*fd, F_DUPFD_CLOEXEC, kLowestKept);
      numbers.push_back(*fd);
    }
    std::sort(numbers.begin(), numbers.end());
    int next = 0;
    for (const int number : numbers) {
      close_between(next, number - 1);
      next = number + 1;
    }
    close_between(next, INT32_MAX);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, 0);
    ::dup2(nothing, 1);
    ::dup2(nothing, 2);
    if (nothing > 2) ::close(nothing);
  }

  bool wait_for_release() {
    while (true) {
      pollfd waits[2] = {{channel_, POLLIN, 0}, {signals_, POLLIN, 0}};
      ::poll(waits, 2, -1);
      char byte = 0;
      const ssize_t got = ::recv(channel_, &byte, 1, MSG_DONTWAIT);
      if (got == 1) return true;
      if (got == 0 || ::getppid() != supervisor_) return false;
      signalfd_siginfo info;
      while (::read(signals_, &info, sizeof info) > 0) {
      }
    }
  }

  void start_child() {
    std::vector<char*> arguments = pointers_to(plan_.arguments);
    std::vector<char*> environment = pointers_to(plan_.environment);
    int ends[2] = {-1, -1};
    child_ = ::pipe2(ends, O_CLOEXEC) == 0 ? ::fork() : -1;
    if (child_ == 0) enter_child(plan_, arguments.data(), environment.data(), ends[1]);
    const int error_number = errno;
    if (ends[1] >= 0) ::close(ends[1]);
    exec_result_ = ends[0];
    for (const int fd : {plan_.input, plan_.output, plan_.error}) ::close(fd);
    for (const int join : plan_.joins) ::close(join);
    if (child_ < 0) fail(ExecFailure{ExecStep::kFork, error_number, -1});
  }

  void read_exec_result() {
    ExecFailure failure;
    const ssize_t got = ::read(exec_result_, &failure, sizeof failure);
    if (got < 0 && errno == EINTR) return;
    ::close(exec_result_);
    exec_result_ = -1;
    if (got == static_cast<ssize_t>(sizeof failure)) fail(failure);
    WardenReport report{WardenReport::Kind::kStarted, child_, 0, {}, {}};
    tell(report);
    kill_point("warden-child-started");
    reap();
  }

  [[noreturn]] void fail(const ExecFailure& failure) {
    WardenReport report{WardenReport::Kind::kFailed, child_, 0, failure, {}};
    tell(report);
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    end(0);
  }

  void read_signals() {
    signalfd_siginfo info;
    while (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    }
    if (exec_result_ < 0) reap();
  }

  // Once waitpid knows no child, no descendant exists: orphans of any depth become children of this process.
  void reap() {
    while (true) {
      WardenReport report{WardenReport::Kind::kExited, 0, 0, {}, {}};
      report.pid = ::wait4(-1, &report.status, WNOHANG, &report.usage);
      if (report.pid == 0 || (report.pid < 0 && errno == EINTR)) return;
      if (report.pid < 0) break;
      if (report.pid == child_) {
        has_exited_ = true;
        tell(report);
        kill_point("warden-child-exited");
      }
    }
    if (!has_exited_) return;
    WardenReport report{WardenReport::Kind::kEmpty, 0, 0, {}, {}};
    tell(report);
    end(0);
  }

  bool is_supervisor_gone() {
    char byte = 0;
    const ssize_t got = ::recv(channel_, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }

  static void pause_for(std::int64_t nanoseconds) { system_clock().sleep(Duration{nanoseconds}); }

  // True when no child is left.
  static bool reap_all() {
    pid_t pid = 0;
    while ((pid = ::wait4(-1, nullptr, WNOHANG, nullptr)) > 0) {
    }
    return pid < 0 && errno == ECHILD;
  }

  [[noreturn]] void end_tree() {
    const auto find = [this] {
      std::vector<ProcessStat> members = below(all_processes(), ::getpid());
      if (cgroup_) add_group_members(members);
      return members;
    };
    for (const ProcessStat& member : find()) {
      signal_exactly(member, SIGTERM);
      signal_exactly(member, SIGCONT);
    }
    const std::int64_t begin = system_clock().monotonic_ns();
    while (!reap_all() && system_clock().monotonic_ns() - begin < kGraceWithoutSupervisor)
      pause_for(10'000'000);
    while (!reap_all() && system_clock().monotonic_ns() - begin < kPatience) {
      if (!cgroup_ || !cgroup_->kill())
        kill_hard(find, [this](bool frozen) { return cgroup_ && cgroup_->freeze(frozen); });
      kill_hard(find, {});
      pause_for(20'000'000);
    }
    if (cgroup_) cgroup_->remove();
    end(0);
  }

  void add_group_members(std::vector<ProcessStat>& members) const {
    for (const std::int64_t pid : cgroup_->members()) {
      if (pid == ::getpid() || std::any_of(members.begin(), members.end(),
                                           [pid](const auto& member) { return member.pid == pid; }))
        continue;
      if (auto stat = read_process_stat(pid); stat && stat->state != 'Z') members.push_back(std::move(*stat));
    }
  }

  void tell(const WardenReport& report) const {
    while (::send(channel_, &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }

  [[noreturn]] static void end(int code) { ::_exit(code); }

  ExecPlan plan_;
  const std::optional<Cgroup>& cgroup_;
  int channel_;
  pid_t supervisor_;
  pid_t child_ = 0;
  int signals_ = -1;
  int exec_result_ = -1;
  bool has_exited_ = false;
};

}  // namespace

Result<Warden> start_warden(const ExecPlan& plan, const std::optional<Cgroup>& cgroup) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("connect to", "the warden", errno);
  Warden warden{0, UniqueFd(ends[0])};
  UniqueFd other(ends[1]);
  const pid_t supervisor = ::getpid();
  warden.pid = ::fork();
  if (warden.pid < 0) return system_error("start", "the warden process", errno);
  if (warden.pid == 0) WardenProcess(plan, cgroup, other.get(), supervisor).live();
  ::fcntl(warden.channel.get(), F_SETFL, O_NONBLOCK);
  return warden;
}

bool release_warden(const Warden& warden) {
  return ::send(warden.channel.get(), "g", 1, MSG_NOSIGNAL) == 1;
}

std::optional<WardenMessage> read_warden(const Warden& warden) {
  WardenMessage message;
  ssize_t got = 0;
  do got = ::recv(warden.channel.get(), &message.report, sizeof message.report, 0);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return std::nullopt;
  if (got != static_cast<ssize_t>(sizeof message.report)) message.closed = true;
  return message;
}

}  // namespace forebay
