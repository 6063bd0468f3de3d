#include "storage/file_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace forebay {
namespace {

constexpr std::size_t kBlock = 1 << 20;
constexpr int kAttempts = 3;

FileMarks marks_of(const struct stat& info) {
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return {info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim), info.st_ino,
          info.st_mode & 07777u};
}

Error cancelled(const std::string& path) {
  return make_error(ErrorCode::kCancelled, "copy", path, std::string(tr("it was asked to stop")));
}

void hash_zeros(Sha256& hash, std::int64_t count) {
  static const std::string zeros(64 << 10, '\0');
  for (; count > 0; count -= static_cast<std::int64_t>(zeros.size()))
    hash.update(std::string_view(zeros).substr(
        0, static_cast<std::size_t>(std::min<std::int64_t>(count, static_cast<std::int64_t>(zeros.size())))));
}

// Where the next data begins at or after `offset`; `size` when only a hole is left, `offset` where holes are
// not known.
std::int64_t next_data(int fd, std::int64_t offset, std::int64_t size) {
  const off_t data = ::lseek(fd, offset, SEEK_DATA);
  if (data >= 0) return data;
  return errno == ENXIO ? size : offset;
}

class Copier {
 public:
  Copier(const std::string& from, const std::string& to, const BlockCallback& on_block)
      : from_(from), to_(to), on_block_(on_block) {}

  // One attempt; kConflict when the source changed meanwhile.
  Result<FileCopy> attempt() {
    UniqueFd in(::open(from_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!in.valid()) return system_error("read", from_, errno);
    struct stat info{};
    if (::fstat(in.get(), &info) != 0) return system_error("read", from_, errno);
    if (!S_ISREG(info.st_mode))
      return make_error(ErrorCode::kUnsupported, "copy", from_, std::string(tr("it is no regular file")));
    FileCopy copy;
    copy.source = marks_of(info);
    UniqueFd out(::open(to_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!out.valid()) return system_error("create", to_, errno);
    FOREBAY_TRY(copy.sha256, transfer(in.get(), out.get(), copy.source.bytes));
    if (::fsync(out.get()) != 0) return system_error("flush", to_, errno);
    // Out of the page cache, so that what is read back comes from the disk.
    ::posix_fadvise(out.get(), 0, 0, POSIX_FADV_DONTNEED);
    FOREBAY_TRY(const std::string again, hash_file(to_, {}));
    const auto now = file_marks(from_);
    if (!now || !(*now == copy.source))
      return make_error(ErrorCode::kConflict, "copy", from_,
                        std::string(tr("it keeps changing while it is copied")));
    if (again != copy.sha256)
      return make_error(ErrorCode::kCorrupt, "copy", to_,
                        std::string(tr("what was read back is not what was written")));
    if (::fchmod(out.get(), copy.source.mode) != 0) return system_error("set the mode of", to_, errno);
    const timespec modified{copy.source.modified_ns / 1'000'000'000, copy.source.modified_ns % 1'000'000'000};
    const timespec times[2] = {modified, modified};
    ::futimens(out.get(), times);
    return copy;
  }

 private:
  Result<std::string> transfer(int in, int out, std::int64_t size) {
    Sha256 hash;
    std::string buffer(kBlock, '\0');
    std::int64_t offset = 0;
    while (offset < size) {
      const std::int64_t data = std::min(next_data(in, offset, size), size);
      if (data > offset) {
        hash_zeros(hash, data - offset);
        if (on_block_ && !on_block_(data - offset)) return cancelled(from_);
        offset = data;
        continue;
      }
      const off_t hole = ::lseek(in, offset, SEEK_HOLE);
      const std::int64_t end = hole > offset ? std::min<std::int64_t>(hole, size) : size;
      while (offset < end) {
        const auto want =
            static_cast<std::size_t>(std::min<std::int64_t>(end - offset, static_cast<std::int64_t>(kBlock)));
        const ssize_t got = ::pread(in, buffer.data(), want, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error("read", from_, errno);
        if (got == 0)
          return make_error(ErrorCode::kConflict, "copy", from_,
                            std::string(tr("it keeps changing while it is copied")));
        const std::string_view block(buffer.data(), static_cast<std::size_t>(got));
        FOREBAY_CHECK(write_at(out, block, offset));
        hash.update(block);
        offset += got;
        if (on_block_ && !on_block_(got)) return cancelled(from_);
      }
    }
    if (::ftruncate(out, size) != 0) return system_error("write", to_, errno);
    return hash.finish_hex();
  }

  Result<void> write_at(int out, std::string_view block, std::int64_t offset) {
    while (!block.empty()) {
      const ssize_t done = ::pwrite(out, block.data(), block.size(), offset);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return system_error("write", to_, errno);
      block.remove_prefix(static_cast<std::size_t>(done));
      offset += done;
    }
    return {};
  }

  const std::string &from_, &to_;
  const BlockCallback& on_block_;
};

}  // namespace

Result<FileMarks> file_marks(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return system_error("look at", path, errno);
  if (!S_ISREG(info.st_mode))
    return make_error(ErrorCode::kUnsupported, "copy", path, std::string(tr("it is no regular file")));
  return marks_of(info);
}

Result<std::string> hash_file(const std::string& path, const BlockCallback& on_block) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return system_error("read", path, errno);
  Sha256 hash;
  std::string buffer(kBlock, '\0');
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path, errno);
    if (got == 0) return hash.finish_hex();
    hash.update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    if (on_block && !on_block(got)) return cancelled(path);
  }
}

Result<FileCopy> copy_file_verified(const std::string& from, const std::string& to,
                                    const BlockCallback& on_block) {
  for (int attempt = 1;; ++attempt) {
    auto copy = Copier(from, to, on_block).attempt();
    if (copy) return copy;
    ::unlink(to.c_str());
    if (copy.error().code != ErrorCode::kConflict || attempt == kAttempts) return copy;
  }
}

}  // namespace forebay
