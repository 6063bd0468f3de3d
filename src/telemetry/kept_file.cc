#include "telemetry/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace forebay {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

ssize_t read_at(int fd, char* into, std::size_t size, std::size_t offset) {
  ssize_t got = 0;
  do got = ::pread(fd, into, size, static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

UniqueFd open_for_sampling(const std::string& path) {
  return UniqueFd(::open(path.c_str(), kOpenFlags));
}
UniqueFd open_for_sampling_at(int folder, const char* name) {
  return UniqueFd(::openat(folder, name, kOpenFlags));
}

std::optional<std::string_view> ReadBuffer::read_whole(int fd) {
  std::size_t filled = 0;
  while (filled < limit_) {
    if (filled == bytes_.size()) bytes_.resize(std::min(bytes_.size() * 2, std::max(limit_, kFirst)));
    const ssize_t got = read_at(fd, bytes_.data() + filled, std::min(bytes_.size(), limit_) - filled, filled);
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return std::string_view(bytes_.data(), filled);
}

std::optional<std::string_view> ReadBuffer::read_once(int fd) {
  const ssize_t got = read_at(fd, bytes_.data(), std::min(bytes_.size(), limit_), 0);
  if (got < 0) return std::nullopt;
  return std::string_view(bytes_.data(), static_cast<std::size_t>(got));
}

std::optional<std::string_view> KeptFile::read(ReadBuffer& buffer) {
  if (fd_.valid())
    if (const auto text = buffer.read_whole(fd_.get())) return text;
  fd_ = open_for_sampling(path_);
  if (!fd_.valid()) return std::nullopt;
  const auto text = buffer.read_whole(fd_.get());
  if (!text) fd_.reset();
  return text;
}

}  // namespace forebay
