#include "control/debug_bundle.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/text.h"
#include "environment/redact.h"
#include "record/log_file.h"
#include "record/run_record.h"

namespace forebay {
namespace {

constexpr std::size_t kLogTail = 1 << 20;

struct Secrets {
  std::vector<std::string> values;
  std::vector<std::string> unknown;  // names of secrets whose value is not in this environment
};

// What must not leave: values of the job's secrets, of its variables and options that look like secrets, and
// of those of the environment of whoever makes the bundle.
Secrets secrets_of(const RunDirectory& directory) {
  Secrets found;
  const auto environment = current_environment();
  std::vector<std::string> names;
  if (const auto job = read_json_file(directory.job())) {
    for (const Json& name : (*job)["environment"]["secrets"].items()) {
      names.push_back(name.string_or_empty());
      if (!environment.contains(names.back())) found.unknown.push_back(names.back());
    }
    for (const auto& [name, value] : (*job)["environment"]["variables"].members())
      if (looks_like_secret(name)) found.values.push_back(value.string_or_empty());
    std::vector<std::string> words;
    for (const Json& word : (*job)["run"].items()) words.push_back(word.string_or_empty());
    for (const Json* script : {&(*job)["run"], &(*job)["setup"]})
      for (std::istringstream text(script->string_or_empty()); text >> std::ws && !text.eof();)
        text >> words.emplace_back();
    for (std::string& value : secret_arguments(words)) found.values.push_back(std::move(value));
  }
  for (std::string& value : secret_values(environment, names)) found.values.push_back(std::move(value));
  return found;
}

Result<void> run_tar(const std::string& folder, const std::string& name, const std::string& target) {
  // Whether it can be written is said by us, not by tar.
  if (UniqueFd probe(::open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)); !probe.valid())
    return system_error("write", target, errno);
  std::vector<std::string> words{"tar", "-czf", target, "-C", folder, name};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int code = ::posix_spawnp(&child, "tar", nullptr, nullptr, arguments.data(), environ); code != 0)
    return system_error("start", "tar", code);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  struct stat info{};
  if (::lstat(target.c_str(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(target.c_str());  // half of it
  return make_error(ErrorCode::kInternal, "write", target, std::string(tr("tar failed")));
}

}  // namespace

Result<DebugBundle> write_debug_bundle(const RunDirectory& directory, const std::string& target) {
  FOREBAY_CHECK(check_record_version(directory));
  const std::string id = std::filesystem::path(directory.path()).filename().string();
  std::string pattern = (std::filesystem::temp_directory_path() / "forebay-bundle-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return system_error("create", pattern, errno);
  const std::string inner = join_path(pattern, "forebay-" + id);
  FOREBAY_CHECK(make_directories(inner));
  DebugBundle bundle;
  bundle.path = target;
  const auto secrets = secrets_of(directory);
  FOREBAY_TRY(const auto names, list_directory(directory.path()));
  for (const std::string& name : names) {
    const std::string path = directory.file(name);
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || name.starts_with("log-")) continue;
    auto content = read_file(path);
    if (!content) {
      bundle.left_out.push_back(content.error().sentence());
      continue;
    }
    const bool is_binary = name == "samples.seg" || name == "steps.seg";
    FOREBAY_CHECK(
        write_file_atomic(join_path(inner, name), is_binary ? *content : redact(*content, secrets.values)));
    bundle.files.push_back(name);
  }
  if (secrets.unknown.empty()) {
    FOREBAY_CHECK(write_file_atomic(join_path(inner, "log-tail.txt"),
                                    redact(read_log_tail(directory, kLogTail), secrets.values)));
    bundle.files.push_back("log-tail.txt");
  } else {
    for (const std::string& name : secrets.unknown)
      bundle.left_out.push_back(fmt::format(
          fmt::runtime(tr("the log: the value of the secret {0} is not known here and could not be removed")),
          name));
  }
  bundle.left_out.push_back("code/ and all but the last MiB of the log");
  const auto written = run_tar(pattern, "forebay-" + id, target);
  (void)remove_tree(pattern);
  FOREBAY_CHECK(written);
  struct stat info{};
  if (::stat(target.c_str(), &info) == 0) bundle.bytes = info.st_size;
  return bundle;
}

}  // namespace forebay
