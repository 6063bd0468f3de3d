#include "supervisor/exec_plan.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/installation.h"
#include "supervisor/supervisor.h"

namespace forebay {
namespace {

constexpr const char* kStandardPath = "/usr/local/bin:/usr/bin:/bin";

std::vector<std::string> candidates_for(const std::string& command, const std::string& path) {
  if (command.find('/') != std::string::npos) return {command};
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    found.push_back(join_path(folder.empty() ? "." : folder, command));
    begin = end + 1;
  }
  return found;
}

void write_fully(int fd, const void* data, std::size_t size) {
  while (::write(fd, data, size) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void fail(int report, ExecStep step, int candidate = -1) {
  const ExecFailure failure{step, errno, candidate};
  write_fully(report, &failure, sizeof failure);
  ::_exit(127);
}

void reset_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A file without a shebang is a shell script, as for every shell and for execvp.
void exec_as_shell_script(const char* file, char* const* arguments, char* const* environment) {
  constexpr std::size_t kMost = 1 << 16;
  static char* shell_arguments[kMost];
  std::size_t count = 0;
  shell_arguments[count++] = const_cast<char*>("/bin/sh");
  shell_arguments[count++] = const_cast<char*>(file);
  for (std::size_t i = 1; arguments[0] != nullptr && arguments[i] != nullptr && count + 1 < kMost; ++i)
    shell_arguments[count++] = arguments[i];
  shell_arguments[count] = nullptr;
  ::execve("/bin/sh", shell_arguments, environment);
}

std::string interpreter_of(const std::string& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char head[256];
  const ssize_t got = fd.valid() ? ::read(fd.get(), head, sizeof head) : -1;
  if (got < 3 || head[0] != '#' || head[1] != '!') return {};
  std::string line(head + 2, static_cast<std::size_t>(got) - 2);
  line = line.substr(0, line.find('\n'));
  line.erase(0, line.find_first_not_of(' ') == std::string::npos ? line.size() : line.find_first_not_of(' '));
  return line.substr(0, line.find_first_of(" \t"));
}

StartFailure explain_missing_file(const std::string& command, const std::string& file, int error_number) {
  StartFailure failure{127, error_number, {}};
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0) {
    failure.sentence = command.find('/') != std::string::npos
                           ? fmt::format("there is no file {}", command)
                           : fmt::format("there is no command {} in the PATH", command);
    return failure;
  }
  failure.exit_code = 126;
  const std::string interpreter = interpreter_of(file);
  if (!interpreter.empty() && interpreter.back() == '\r')
    failure.sentence = fmt::format(
        "{} cannot be executed: its first line ends in a carriage return (Windows line ends). Convert it "
        "with: sed -i 's/\\r$//' {}",
        file, file);
  else if (!interpreter.empty())
    failure.sentence =
        fmt::format("{} cannot be executed: its interpreter {} does not exist", file, interpreter);
  else
    failure.sentence = fmt::format(
        "{} cannot be executed: its program loader or a library folder it names does not exist", file);
  return failure;
}

}  // namespace

ExecPlan plan_exec(const ChildSpec& spec, const std::string& run_tag) {
  ExecPlan plan;
  std::map<std::string, std::string> variables = spec.environment;
  for (const std::string& name : private_variables()) variables.erase(name);
  variables[kRunTagVariable] = run_tag;
  const auto path = variables.find("PATH");
  if (!spec.argv.empty())
    plan.candidates = candidates_for(spec.argv[0], path == variables.end() ? kStandardPath : path->second);
  plan.arguments = spec.argv;
  plan.environment = environment_block(variables);
  plan.cwd = spec.cwd;
  plan.terminal = spec.use_pty;
  return plan;
}

void enter_child(const ExecPlan& plan, char* const* arguments, char* const* environment, int report) {
  const pid_t warden = ::getppid();
  for (const int join : plan.joins) write_fully(join, "0", 1);
  ::setsid();
  if (plan.terminal && ::ioctl(plan.output, TIOCSCTTY, 0) != 0) fail(report, ExecStep::kTerminal);
  ::dup2(plan.input, 0);
  ::dup2(plan.output, 1);
  ::dup2(plan.error, 2);
  // With the warden gone nobody could end this process by descent; a job may undo it, then the run tag still
  // finds it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != warden) ::_exit(127);
  if (!plan.oom_score.empty()) {
    const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) write_fully(score, plan.oom_score.data(), plan.oom_score.size());
  }
  if (::chdir(plan.cwd.c_str()) != 0) fail(report, ExecStep::kFolder);
  reset_signals();
  int best_error = ENOENT, best_candidate = 0, candidate = 0;
  for (const std::string& file : plan.candidates) {
    ::execve(file.c_str(), arguments, environment);
    if (errno == ENOEXEC) exec_as_shell_script(file.c_str(), arguments, environment);
    // The first file that is there, but cannot be run, says most; "not found" only when none is.
    if (errno != ENOENT && errno != ENOTDIR && best_error == ENOENT)
      best_error = errno, best_candidate = candidate;
    if (errno == ENOENT && best_error == ENOENT && ::access(file.c_str(), F_OK) == 0) {
      best_candidate = candidate;
      break;
    }
    ++candidate;
  }
  errno = best_error;
  fail(report, ExecStep::kExec, best_candidate);
}

StartFailure explain_exec_failure(const ExecFailure& failure, const ExecPlan& plan) {
  const std::string command = plan.arguments.empty() ? std::string() : plan.arguments[0];
  const std::string cause = std::strerror(failure.error_number);
  if (failure.step == ExecStep::kFolder)
    return {126, failure.error_number, fmt::format("the folder {} cannot be entered: {}", plan.cwd, cause)};
  if (failure.step != ExecStep::kExec)
    return {126, failure.error_number, fmt::format("no process could be started for {}: {}", command, cause)};
  const bool known =
      failure.candidate >= 0 && static_cast<std::size_t>(failure.candidate) < plan.candidates.size();
  std::string file = known ? plan.candidates[static_cast<std::size_t>(failure.candidate)] : command;
  if (!file.empty() && file[0] != '/') file = absolute_path(join_path(plan.cwd, file));
  if (failure.error_number == ENOENT) return explain_missing_file(command, file, failure.error_number);
  if (failure.error_number == EACCES) {
    struct stat info{};
    if (::stat(file.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      return {126, EACCES, fmt::format("{} is a folder", file)};
    return {
        126, EACCES,
        fmt::format("{} cannot be executed: {}. Make it executable with: chmod +x {}", file, cause, file)};
  }
  if (failure.error_number == E2BIG)
    return {126, E2BIG,
            fmt::format("{} cannot be executed: its arguments and environment are too long for the system",
                        file)};
  return {126, failure.error_number, fmt::format("{} cannot be executed: {}", file, cause)};
}

}  // namespace forebay
