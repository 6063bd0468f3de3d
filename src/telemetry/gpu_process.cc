#include "telemetry/gpu_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/installation.h"

extern char** environ;

namespace forebay {
namespace {

// posix_spawn's settings with their owner.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
  }
};

bool make_pipe(UniqueFd& reading, UniqueFd& writing) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  reading.reset(ends[0]);
  writing.reset(ends[1]);
  return true;
}

}  // namespace

Result<GpuReaderProcess> start_gpu_reader(std::vector<std::string> command,
                                          const std::vector<std::string>& arguments) {
  if (command.empty()) command = {own_program(), "gpu-reader"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  GpuReaderProcess started;
  UniqueFd input, output;
  if (!make_pipe(input, started.requests) || !make_pipe(started.answers, output))
    return system_error("start", "the GPU reader", errno);
  ::fcntl(started.answers.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(started.requests.get(), F_SETFL, O_NONBLOCK);

  SpawnSettings settings;
  ::posix_spawn_file_actions_adddup2(&settings.actions, input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&settings.actions, output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&settings.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(&settings.attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::vector<char*> argv;
  for (std::string& each : command) argv.push_back(each.data());
  argv.push_back(nullptr);
  const int failed =
      ::posix_spawn(&started.pid, argv[0], &settings.actions, &settings.attributes, argv.data(), environ);
  if (failed != 0) return system_error("start", command[0], failed);
  started.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  return started;
}

}  // namespace forebay
