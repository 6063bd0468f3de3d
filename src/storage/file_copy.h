// One file copied so that it is known to be the same: hashed while it is read, flushed, read back and hashed
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace forebay {

struct FileMarks {
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  std::uint64_t inode = 0;
  std::uint32_t mode = 0;
  bool operator==(const FileMarks&) const = default;
};
// kNotFound, kUnsupported when it is no regular file.
Result<FileMarks> file_marks(const std::string& path);

// Called with the number of bytes since the last call; returning false stops the copy (kCancelled).
using BlockCallback = std::function<bool(std::int64_t bytes)>;

struct FileCopy {
  std::string sha256;
  FileMarks source;
};
// Copies `from` to `to` (created or replaced in place: give a name nobody looks at). Holes stay holes; mode
// and modification time are kept. Errors: kConflict it changed while it was read, three times; kCorrupt what
// was read back differs; kResourceExhausted the disk is full (`to` is removed); kCancelled.
Result<FileCopy> copy_file_verified(const std::string& from, const std::string& to,
                                    const BlockCallback& on_block);

// SHA-256 of a file, telling on_block as it goes.
Result<std::string> hash_file(const std::string& path, const BlockCallback& on_block);

}  // namespace forebay
