#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace forebay {
namespace {

Error wrong_name(const std::string& path, std::string cause, std::string advice = {}) {
  return make_error(ErrorCode::kInvalidInput, "write", path, std::move(cause), std::move(advice));
}

bool is_special(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Where a link leads; the path itself otherwise.
std::string followed(const std::string& path) {
  std::error_code problem;
  const auto target = std::filesystem::weakly_canonical(path, problem);
  return problem ? path : target.string();
}

Result<void> check_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0 && errno != EACCES)
    return wrong_name(path, fmt::format(fmt::runtime(tr("the folder {0} does not exist")), folder),
                      std::string(tr("Make it, or name another file.")));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return system_error("write", path, errno);
  return {};
}

}  // namespace

Result<void> check_output_file(const std::string& typed) {
  if (typed.empty()) return wrong_name("\"\"", std::string(tr("the name of the file is empty")));
  const std::string path = absolute_path(typed);
  if (is_special(path)) return {};
  struct stat info{};
  if (typed.ends_with('/') || (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)))
    return wrong_name(typed, std::string(tr("it is a folder")), std::string(tr("Name a file in it.")));
  return check_folder(followed(path));
}

Result<void> write_output_file(const std::string& typed, std::string_view content) {
  FOREBAY_CHECK(check_output_file(typed));
  const std::string path = absolute_path(typed);
  if (is_special(path)) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid()) return system_error("write", path, errno);
    return write_all(fd.get(), content, path);
  }
  auto written = write_file_atomic(followed(path), content, 0644);
  if (written) return {};
  Error error = written.error();  // without the name of the temporary file
  error.tried = "write";
  error.on = path;
  return error;
}

}  // namespace forebay
