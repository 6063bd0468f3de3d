#include "base/installation.h"

#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <filesystem>

#include "base/environment_variable.h"
#include "base/file.h"

namespace forebay {
namespace {

std::string home_folder() {
  if (const auto home = environment_variable("HOME"); home && !home->empty()) return *home;
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_dir : "/";
}

constexpr int kLevelsToSourceTree = 4;

std::string folder_from(const char* own, const char* standard, const char* fallback) {
  if (const auto value = environment_variable(own); value && !value->empty()) return absolute_path(*value);
  if (const auto value = environment_variable(standard); value && !value->empty())
    return join_path(*value, "forebay");
  return join_path(join_path(home_folder(), fallback), "forebay");
}

}  // namespace

std::string own_program() {
  if (const auto launcher = environment_variable("FOREBAY_LAUNCHER"); launcher && !launcher->empty())
    return *launcher;
  char buffer[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer - 1);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

std::string hook_folder() {
  if (const auto folder = environment_variable("FOREBAY_HOOK_FOLDER")) return *folder;
  const std::filesystem::path program(own_program());
  const auto holds_hook = [](const std::filesystem::path& folder) {
    return path_exists((folder / "sitecustomize.py").string());
  };
  const std::filesystem::path installed = program.parent_path().parent_path() / "lib/forebay/hook";
  if (holds_hook(installed)) return installed.string();
  // A build folder inside the source tree: the hook lies some levels up.
  std::filesystem::path folder = program.parent_path();
  for (int level = 0; level < kLevelsToSourceTree && folder.has_relative_path();
       ++level, folder = folder.parent_path())
    if (holds_hook(folder / "python/forebay_hook")) return (folder / "python/forebay_hook").string();
  return {};
}

std::string state_folder() {
  return folder_from("FOREBAY_HOME", "XDG_STATE_HOME", ".local/state");
}
std::string cache_folder() {
  return folder_from("FOREBAY_CACHE", "XDG_CACHE_HOME", ".cache");
}

const std::vector<std::string>& private_variables() {
  static const std::vector<std::string> names{"FOREBAY_LAUNCHER", "FOREBAY_HOOK_FOLDER", "FOREBAY_FAULT",
                                              "FOREBAY_NVML"};
  return names;
}

}  // namespace forebay
