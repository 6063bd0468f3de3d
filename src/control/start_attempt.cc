#include "control/start_attempt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/installation.h"

namespace forebay {
namespace {

constexpr int kReadyTimeoutMilliseconds = 20'000;
constexpr int kReadyDescriptor = 3;

// In the child: only async-signal-safe calls from here to exec.
[[noreturn]] void become_attempt(const char* program, const char* directory, int ready, int log) {
  ::setsid();
  // A grandchild, so that the caller has no child to reap and the attempt has no parent to lose.
  const pid_t second = ::fork();
  if (second != 0) ::_exit(second > 0 ? 0 : 1);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  const int null = ::open("/dev/null", O_RDWR);
  if (ready != kReadyDescriptor)
    ::dup2(ready, kReadyDescriptor);
  else
    ::fcntl(ready, F_SETFD, 0);
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::dup2(log, 2);
  const char* arguments[] = {program, "attempt", directory, nullptr};
  ::execv(program, const_cast<char* const*>(arguments));
  ::_exit(127);
}

// Reads the attempt's one line: "ready", or the sentence of what went wrong.
Result<void> await_ready(int fd) {
  std::string line;
  char buffer[1024];
  while (line.find('\n') == std::string::npos) {
    pollfd waiting{fd, POLLIN, 0};
    const int count = ::poll(&waiting, 1, kReadyTimeoutMilliseconds);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0)
      return make_error(ErrorCode::kTimeout, "start", "the run",
                        "its supervisor did not answer within 20 seconds", "See `forebay ps`.");
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    line.append(buffer, static_cast<std::size_t>(got));
  }
  if (line == "ready\n") return {};
  if (line.empty())
    return make_error(ErrorCode::kInternal, "start", "the run",
                      "its supervisor ended before it took the run over",
                      "See supervisor.log in the run's record.");
  line.pop_back();
  return make_error(ErrorCode::kInternal, "start", "the run", line);
}

}  // namespace

Result<void> start_attempt(const RunDirectory& directory) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("create", "a pipe", errno);
  UniqueFd reading(ends[0]), writing(ends[1]);
  UniqueFd log(::open(directory.supervisor_log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return system_error("create", directory.supervisor_log(), errno);
  const std::string program = own_program();
  const pid_t child = ::fork();
  if (child < 0) return system_error("start", program, errno);
  if (child == 0) become_attempt(program.c_str(), directory.path().c_str(), writing.get(), log.get());
  writing.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return await_ready(reading.get());
}

}  // namespace forebay
