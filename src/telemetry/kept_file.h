// A file of /proc or /sys that is read again and again: opened once, read with pread into a buffer that is
// used again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace forebay {

// The buffer that all collectors of one thread share. What a read returned is valid until the next read.
class ReadBuffer {
 public:
  // At most `limit` bytes are taken from a file; the rest is not looked at.
  explicit ReadBuffer(std::size_t limit = 1u << 20) : limit_(limit) { bytes_.resize(kFirst); }
  // Everything from the start of the file; nothing on an error.
  std::optional<std::string_view> read_whole(int fd);
  // One pread: enough for files the kernel makes in one piece (stat, io, statm, smaps_rollup, sysfs values).
  std::optional<std::string_view> read_once(int fd);

 private:
  static constexpr std::size_t kFirst = 32u << 10;
  std::size_t limit_;
  std::string bytes_;
};

class KeptFile {
 public:
  KeptFile() = default;
  explicit KeptFile(std::string path) : path_(std::move(path)) {}
  // The content now; nothing when it cannot be read (it is tried again next time).
  std::optional<std::string_view> read(ReadBuffer& buffer);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd fd_;
};

// Opens without waiting (a FIFO in the place of a file must not stop the sampler); an invalid descriptor when
// it cannot.
UniqueFd open_for_sampling(const std::string& path);
UniqueFd open_for_sampling_at(int folder, const char* name);

}  // namespace forebay
