#include "environment/uv.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/text.h"
#include "environment/environment_cache.h"
#include "environment/pip_configuration.h"
#include "environment/run_program.h"

namespace forebay {
namespace {

std::string search_path(const std::map<std::string, std::string>& environment) {
  const auto path = environment.find("PATH");
  return path == environment.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

void say(const std::string& sentence) {
  fmt::print(stderr, "forebay: {}\n", sentence);
}

Result<std::string> version_of(const std::vector<std::string>& program,
                               const std::map<std::string, std::string>& environment) {
  std::vector<std::string> argv = program;
  argv.emplace_back("--version");
  ProgramSettings settings;
  settings.environment = environment;
  settings.deadline = Duration::from_seconds(30);
  FOREBAY_TRY(const ProgramResult result, run_program(argv, settings));
  if (result.exit_code != 0 || !result.output.starts_with("uv "))
    return make_error(ErrorCode::kUnsupported, "run", program[0],
                      fmt::format("it ended with {}", result.exit_code));
  const std::string line = first_line(result.output).substr(3);
  return line.substr(0, line.find(' '));
}

Result<std::string> install_uv(const std::string& tools,
                               const std::map<std::string, std::string>& environment) {
  const std::string uv = tools + "/uv/bin/uv";
  EnvironmentCache cache(tools);
  bool had_to_wait = false;
  FOREBAY_TRY(const UniqueFd lock, cache.lock("uv", had_to_wait));
  if (path_exists(uv)) return uv;
  say(fmt::format(fmt::runtime(tr("uv is not installed; it is put into {0} with pip (Forebay's own folder, "
                                  "nothing else is changed)")),
                  tools));
  const std::string fresh = tools + "/uv.new";
  FOREBAY_CHECK(remove_tree(fresh));
  auto variables = environment;
  // Settings of the person that contradict --target.

  for (const char* name : {"PIP_USER", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_VIRTUALENV"})
    variables.erase(name);
  const auto code =
      run_in_sight({"python3", "-m", "pip", "install", "--quiet", "--target", fresh, "uv"}, tools, variables);
  if (!code || *code != 0)
    return make_error(ErrorCode::kNotFound, "find", "uv",
                      std::string(tr("it is not installed and pip could not install it")),
                      std::string(tr("Install uv (https://docs.astral.sh/uv/) and run again.")));
  FOREBAY_CHECK(remove_tree(tools + "/uv"));
  if (std::rename(fresh.c_str(), (tools + "/uv").c_str()) != 0) return system_error("install", uv, errno);
  return uv;
}

}  // namespace

Result<int> run_in_sight(const std::vector<std::string>& argv, const std::string& cwd,
                         const std::map<std::string, std::string>& environment) {
  const std::string file =
      argv.empty() ? std::string() : find_program(argv[0], search_path(environment), cwd);
  if (file.empty())
    return make_error(ErrorCode::kNotFound, "run", argv.empty() ? "" : argv[0],
                      std::string(tr("there is no such program")));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (!cwd.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, cwd.c_str());
  std::vector<std::string> words = argv, block = environment_block(environment);
  std::vector<char*> argument_pointers, block_pointers;
  for (auto& word : words) argument_pointers.push_back(word.data());
  for (auto& line : block) block_pointers.push_back(line.data());
  argument_pointers.push_back(nullptr);
  block_pointers.push_back(nullptr);
  pid_t pid = -1;
  const int error_number =
      ::posix_spawn(&pid, file.c_str(), &actions, nullptr, argument_pointers.data(), block_pointers.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error_number != 0) return system_error("run", file, error_number);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return system_error("wait for", file, errno);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<Uv> Uv::find(const std::string& cache_folder, std::map<std::string, std::string> environment) {
  Uv uv;
  const auto pip_environment = environment;
  const UvSettings settings = uv_settings(read_pip_configuration(environment), environment);
  for (const auto& [name, value] : settings.variables) environment[name] = value;
  uv.index_arguments_ = settings.arguments;
  uv.environment_ = std::move(environment);
  const std::string tools = cache_folder + "/tools";
  const std::string on_path = find_program("uv", search_path(uv.environment_), "/");
  for (const std::vector<std::string>& candidate :
       {std::vector<std::string>{on_path}, {tools + "/uv/bin/uv"}, {"python3", "-m", "uv"}}) {
    if (candidate[0].empty()) continue;
    if (auto version = version_of(candidate, uv.environment_)) {
      uv.program_ = candidate;
      uv.version_ = *version;
      return uv;
    }
  }
  FOREBAY_CHECK(make_directories(tools));
  FOREBAY_TRY(const std::string installed, install_uv(tools, pip_environment));
  uv.program_ = {installed};
  FOREBAY_TRY(uv.version_, version_of(uv.program_, uv.environment_));
  return uv;
}

Result<void> Uv::run(std::vector<std::string> arguments, const std::string& cwd, bool use_index) const {
  std::vector<std::string> argv = program_;
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  if (use_index) argv.insert(argv.end(), index_arguments_.begin(), index_arguments_.end());
  // Constraints did their work when the lock was made; beside hashes uv would want a hash of each of them.
  std::map<std::string, std::string> surroundings = environment_;
  if (std::find(arguments.begin(), arguments.end(), "--require-hashes") != arguments.end())
    surroundings.erase("UV_CONSTRAINT");
  FOREBAY_TRY(const int code, run_in_sight(argv, cwd, surroundings));
  if (code == 0) return {};
  const std::string what = arguments.size() > 1 ? "uv " + arguments[0] + " " + arguments[1] : "uv";
  return make_error(code > 128 ? ErrorCode::kCancelled : ErrorCode::kUnavailable, "run", what,
                    fmt::format(fmt::runtime(tr("it ended with {0}; its own words are above")), code));
}

Result<std::string> Uv::ask(std::vector<std::string> arguments, const std::string& cwd) const {
  std::vector<std::string> argv = program_;
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ProgramSettings settings;
  settings.cwd = cwd;
  settings.environment = environment_;
  settings.deadline = Duration::from_seconds(60);
  FOREBAY_TRY(const ProgramResult result, run_program(argv, settings));
  if (result.exit_code != 0)
    return make_error(ErrorCode::kNotFound, "ask", "uv " + arguments[0],
                      fmt::format("it ended with {}", result.exit_code));
  return first_line(result.output);
}

}  // namespace forebay
