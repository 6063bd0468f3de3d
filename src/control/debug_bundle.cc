#include "control/debug_bundle.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "environment/redact.h"
#include "record/log_file.h"
#include "record/run_record.h"

namespace forebay {
namespace {

constexpr std::size_t kLogTail = 1 << 20;

std::vector<std::string> secrets_of(const RunDirectory& directory) {
  std::vector<std::string> names;
  if (const auto job = read_json_file(directory.job()))
    for (const Json& name : (*job)["environment"]["secrets"].items()) names.push_back(name.string_or_empty());
  return secret_values(current_environment(), names);
}

Result<void> run_tar(const std::string& folder, const std::string& name, const std::string& target) {
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
  if (status != 0) return make_error(ErrorCode::kInternal, "write", target, "tar failed");
  return {};
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
        write_file_atomic(join_path(inner, name), is_binary ? *content : redact(*content, secrets)));
    bundle.files.push_back(name);
  }
  FOREBAY_CHECK(write_file_atomic(join_path(inner, "log-tail.txt"),
                                  redact(read_log_tail(directory, kLogTail), secrets)));
  bundle.files.push_back("log-tail.txt");
  bundle.left_out.push_back("code/ and all but the last MiB of the log");
  const auto written = run_tar(pattern, "forebay-" + id, target);
  (void)remove_tree(pattern);
  FOREBAY_CHECK(written);
  struct stat info{};
  if (::stat(target.c_str(), &info) == 0) bundle.bytes = info.st_size;
  return bundle;
}

}  // namespace forebay
