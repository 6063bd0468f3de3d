// Descriptors that close themselves, whole-file reads with a limit, and writes that are whole or absent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace forebay {

// Owns a file descriptor; closes it once. Move-only.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Reads a whole file of at most `limit` bytes (a longer one is kResourceExhausted). Works on /proc files.
Result<std::string> read_file(const std::string& path, std::size_t limit = 64u << 20);
// Writes to a temporary file beside `path`, fsyncs, renames over it, fsyncs the folder: afterwards the whole
// new content or the old one is there, also after power loss. Mode applies to a new file.
Result<void> write_file_atomic(const std::string& path, std::string_view content, unsigned mode = 0600);
// Appends with O_APPEND; creates with `mode`.
Result<void> append_file(const std::string& path, std::string_view content, unsigned mode = 0600);
// write(2) until everything is written or an error other than EINTR.
Result<void> write_all(int fd, std::string_view content, const std::string& name);
// mkdir -p. New folders get `mode`.
Result<void> make_directories(const std::string& path, unsigned mode = 0700);
// Removes a file or a whole folder tree without following links; a missing path is fine.
Result<void> remove_tree(const std::string& path);
bool path_exists(const std::string& path);
// Names in a folder, without "." and "..", sorted.
Result<std::vector<std::string>> list_directory(const std::string& path);
std::string join_path(std::string_view folder, std::string_view name);
// An absolute path with . and .. removed lexically; relative ones are taken from the current folder.
std::string absolute_path(const std::string& path);

}  // namespace forebay
