#include "environment/object_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "base/hash.h"

namespace forebay {

Result<ObjectFolder> ObjectFolder::open(const std::string& folder, Use use) {
  FOREBAY_CHECK(make_directories(join_path(folder, "incoming")));
  const std::string lock_path = join_path(folder, "lock");
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return system_error("open", lock_path, errno);
  while (::flock(lock.get(), use == Use::kKeep ? LOCK_SH : LOCK_EX) != 0) {
    // A file system without locks: removing would be unsafe, keeping is not.
    if (errno == EINTR) continue;
    if (use == Use::kRemove) return system_error("lock", lock_path, errno);
    break;
  }
  return ObjectFolder(folder, std::move(lock));
}

std::string ObjectFolder::path_of(std::string_view sha256) const {
  return fmt::format("{}/{}/{}", folder_, sha256.substr(0, 2), sha256.substr(2));
}

bool ObjectFolder::has(std::string_view sha256, std::int64_t size) const {
  struct stat info{};
  return ::stat(path_of(sha256).c_str(), &info) == 0 && info.st_size == size;
}

std::string ObjectFolder::temporary_path() {
  return fmt::format("{}/incoming/{}-{}", folder_, ::getpid(), counter_++);
}

Result<void> ObjectFolder::publish(const std::string& temporary, const std::string& sha256) {
  const std::string path = path_of(sha256);
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (errno == ENOENT) {
    FOREBAY_CHECK(make_directories(fmt::format("{}/{}", folder_, sha256.substr(0, 2))));
    if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  }
  const int error_number = errno;
  ::unlink(temporary.c_str());
  return system_error("keep", path, error_number);
}

Result<std::string> ObjectFolder::keep(std::string_view bytes) {
  std::string sha256 = sha256_hex(bytes);
  if (has(sha256, static_cast<std::int64_t>(bytes.size()))) return sha256;
  const std::string temporary = temporary_path();
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd.valid()) return system_error("create", temporary, errno);
  if (auto written = write_all(fd.get(), bytes, temporary); !written) {
    ::unlink(temporary.c_str());
    return std::move(written).error();
  }
  FOREBAY_CHECK(publish(temporary, sha256));
  return sha256;
}

Result<ObjectFolder::KeptFile> ObjectFolder::keep_file(int fd, const std::string& name) {
  const std::string temporary = temporary_path();
  UniqueFd out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!out.valid()) return system_error("create", temporary, errno);
  Sha256 hash;
  KeptFile kept;
  std::string buffer(256 << 10, '\0');
  // As long as it is now: a log that somebody goes on writing would never end.
  struct stat info{};
  if (::fstat(fd, &info) != 0) return system_error("look at", name, errno);
  while (kept.bytes < info.st_size) {
    const auto want =
        std::min<std::int64_t>(info.st_size - kept.bytes, static_cast<std::int64_t>(buffer.size()));
    const ssize_t got = ::read(fd, buffer.data(), static_cast<std::size_t>(want));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) break;
    const std::string_view block(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    auto written =
        got < 0 ? Result<void>(system_error("read", name, errno)) : write_all(out.get(), block, temporary);
    if (!written) {
      ::unlink(temporary.c_str());
      return std::move(written).error();
    }
    hash.update(block);
    kept.bytes += got;
  }
  kept.sha256 = hash.finish_hex();
  if (has(kept.sha256, kept.bytes))
    ::unlink(temporary.c_str());
  else
    FOREBAY_CHECK(publish(temporary, kept.sha256));
  return kept;
}

Result<std::int64_t> ObjectFolder::remove_unwanted(const std::function<bool(const std::string&)>& is_wanted) {
  std::int64_t freed = 0;
  FOREBAY_TRY(const auto prefixes, list_directory(folder_));
  for (const auto& prefix : prefixes) {
    const std::string inner = join_path(folder_, prefix);
    if (prefix.size() != 2 && prefix != "incoming") continue;
    FOREBAY_TRY(const auto names, list_directory(inner));
    for (const auto& name : names) {
      if (prefix != "incoming" && is_wanted(prefix + name)) continue;
      struct stat info{};
      const std::string path = join_path(inner, name);
      if (::lstat(path.c_str(), &info) == 0 && ::unlink(path.c_str()) == 0) freed += info.st_size;
    }
  }
  return freed;
}

}  // namespace forebay
