#include "environment/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/file.h"
#include "base/text.h"

namespace forebay {
namespace {

struct Pipe {
  UniqueFd read_end, write_end;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("open", "a pipe", errno);
  Pipe pipe;
  pipe.read_end.reset(ends[0]);
  pipe.write_end.reset(ends[1]);
  return pipe;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Starts the program in a session of its own with clean signals.
Result<pid_t> start(const std::string& file, std::vector<std::string> argv, const ProgramSettings& settings,
                    int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  if (!settings.cwd.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, settings.cwd.c_str());
  if (input >= 0)
    ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  else
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (settings.errors_to_output)
    ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  else
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  auto block = environment_block(settings.environment);
  pid_t pid = -1;
  const int error_number =
      ::posix_spawn(&pid, file.c_str(), &actions, &attributes, pointers(argv).data(), pointers(block).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error_number != 0) return system_error("run", file, error_number);
  return pid;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Kills and reaps the child's session when it goes out of scope before being waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  // Waits until it ends or the deadline (CLOCK_MONOTONIC ns) is over.
  std::optional<int> wait_until(std::int64_t deadline_ns) {
    std::int64_t nap_ns = 100'000;
    while (true) {
      int status = 0;
      const pid_t got = ::waitpid(pid_, &status, WNOHANG);
      if (got == pid_) {
        pid_ = -1;
        return exit_code_of(status);
      }
      if (got < 0 && errno != EINTR) {  // somebody else reaped it
        pid_ = -1;
        return 0;
      }
      if (system_clock().monotonic_ns() >= deadline_ns) return std::nullopt;
      system_clock().sleep(Duration{nap_ns});
      nap_ns = std::min<std::int64_t>(nap_ns * 2, 10'000'000);
    }
  }

 private:
  pid_t pid_;
};

Error timeout_error(const std::string& file, Duration deadline) {
  return make_error(ErrorCode::kTimeout, "run", file,
                    fmt::format("it did not end within {}", format_duration(deadline)));
}

Result<std::string> read_output(int fd, const std::string& file, const ProgramSettings& settings,
                                std::int64_t deadline_ns) {
  std::string output;
  std::array<char, 65536> buffer;
  while (true) {
    const std::int64_t left_ns = deadline_ns - system_clock().monotonic_ns();
    if (left_ns <= 0) return timeout_error(file, settings.deadline);
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left_ns / 1'000'000 + 1));
    if (ready < 0 && errno != EINTR) return system_error("read the output of", file, errno);
    if (ready <= 0) continue;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read the output of", file, errno);
    if (got == 0) return output;
    if (output.size() + static_cast<std::size_t>(got) > settings.output_limit)
      return make_error(ErrorCode::kResourceExhausted, "read the output of", file,
                        fmt::format("it is larger than {} bytes", settings.output_limit));
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

bool is_executable_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name, const std::string& search_path, const std::string& cwd) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) {
    const std::string path = name.front() == '/' ? name : join_path(cwd, name);
    return is_executable_file(path) ? path : std::string();
  }
  for (std::size_t begin = 0; begin <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
    const std::string folder = search_path.substr(begin, end - begin);
    // An empty entry means the current folder.
    const std::string path =
        join_path(folder.starts_with('/') ? folder : join_path(cwd, folder.empty() ? "." : folder), name);
    if (is_executable_file(path)) return path;
    begin = end + 1;
  }
  return {};
}

Result<ProgramResult> run_program(const std::vector<std::string>& argv, const ProgramSettings& settings) {
  const auto path = settings.environment.find("PATH");
  const std::string search_path =
      path == settings.environment.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second;
  const std::string file = argv.empty() ? std::string() : find_program(argv[0], search_path, settings.cwd);
  if (file.empty())
    return make_error(ErrorCode::kNotFound, "run", argv.empty() ? std::string() : argv[0],
                      std::string(tr("there is no such program")));
  const std::int64_t deadline_ns = system_clock().monotonic_ns() + settings.deadline.nanoseconds;
  FOREBAY_TRY(Pipe output, make_pipe());
  Pipe input;
  if (!settings.input.empty()) {
    FOREBAY_TRY(input, make_pipe());
    if (settings.input.size() > 64u << 10)
      return make_error(ErrorCode::kInternal, "run", file, "its input is too long");
    FOREBAY_CHECK(write_all(input.write_end.get(), settings.input, "a pipe"));
    input.write_end.reset();
  }
  FOREBAY_TRY(const pid_t pid, start(file, argv, settings, input.read_end.get(), output.write_end.get()));
  Child child(pid);
  output.write_end.reset();
  input.read_end.reset();
  ProgramResult result;
  FOREBAY_TRY(result.output, read_output(output.read_end.get(), file, settings, deadline_ns));
  const auto code = child.wait_until(deadline_ns);
  if (!code) return timeout_error(file, settings.deadline);
  result.exit_code = *code;
  return result;
}

}  // namespace forebay
