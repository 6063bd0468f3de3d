#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

namespace forebay {

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) reset(other.release());
  return *this;
}

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return system_error("read", path, errno);
  struct stat info{};
  std::string content;
  std::size_t size_hint = 4096;
  if (::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    size_hint = static_cast<std::size_t>(info.st_size) + 1;
  std::size_t filled = 0;
  while (true) {
    if (filled > limit)
      return make_error(ErrorCode::kResourceExhausted, "read", path,
                        fmt::format("it is larger than {} bytes", limit));
    if (content.size() < filled + std::min(size_hint, limit + 1))
      content.resize(filled + std::min(size_hint, limit + 1));
    const ssize_t got = ::read(fd.get(), content.data() + filled, content.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error("read", path, errno);
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

Result<void> write_all(int fd, std::string_view content, const std::string& name) {
  while (!content.empty()) {
    const ssize_t done = ::write(fd, content.data(), content.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      return system_error("write", name, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> write_file_atomic(const std::string& path, std::string_view content, unsigned mode) {
  const std::string temporary = fmt::format("{}.{}.new", path, ::getpid());
  {
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (!fd.valid()) return system_error("create", temporary, errno);
    auto written = write_all(fd.get(), content, path);
    if (written && ::fsync(fd.get()) != 0) written = system_error("flush", path, errno);
    if (!written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    ::unlink(temporary.c_str());
    return system_error("replace", path, error_number);
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  UniqueFd directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) ::fsync(directory.get());
  return {};
}

Result<void> append_file(const std::string& path, std::string_view content, unsigned mode) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode));
  if (!fd.valid()) return system_error("append to", path, errno);
  return write_all(fd.get(), content, path);
}

Result<void> make_directories(const std::string& path, unsigned mode) {
  if (path.empty() || path == "/") return {};
  if (::mkdir(path.c_str(), mode) == 0) return {};
  if (errno == ENOENT) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (parent != path) FOREBAY_CHECK(make_directories(parent, mode));
    if (::mkdir(path.c_str(), mode) == 0) return {};
  }
  struct stat info{};
  if (errno == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return system_error("create the folder", path, errno);
}

Result<void> remove_tree(const std::string& path) {
  std::error_code code;
  std::filesystem::remove_all(path, code);
  if (code) return system_error("remove", path, code.value());
  return {};
}

bool path_exists(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) return system_error("list", path, errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return folder.back() == '/' ? fmt::format("{}{}", folder, name) : fmt::format("{}/{}", folder, name);
}

std::string absolute_path(const std::string& path) {
  std::error_code code;
  std::filesystem::path absolute = std::filesystem::absolute(path, code);
  if (code) return path;
  std::string text = absolute.lexically_normal().string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace forebay
