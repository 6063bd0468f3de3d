// Content-addressed files shared by all runs: <folder>/ab/cdef… holds the bytes whose SHA-256 is abcdef….
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace forebay {

class ObjectFolder {
 public:
  // Makes the folder and takes its lock: shared for keeping objects, exclusive for removing them; held until
  // destroyed.
  enum class Use { kKeep, kRemove };
  static Result<ObjectFolder> open(const std::string& folder, Use use);

  std::string path_of(std::string_view sha256) const;
  // Whether the object is there with that size (its content is checked when it is read back).
  bool has(std::string_view sha256, std::int64_t size) const;
  // Keeps the bytes; returns their SHA-256. An equal object is not written again. Afterwards it is whole or
  // absent.
  Result<std::string> keep(std::string_view bytes);
  // The same for an open file, read from its start to its end in blocks.
  struct KeptFile {
    std::string sha256;
    std::int64_t bytes = 0;
  };
  Result<KeptFile> keep_file(int fd, const std::string& name);
  // Removes all objects for which `is_wanted` is false, and left-over temporary files. Returns the bytes
  // freed.
  Result<std::int64_t> remove_unwanted(const std::function<bool(const std::string& sha256)>& is_wanted);

  const std::string& folder() const { return folder_; }

 private:
  ObjectFolder(std::string folder, UniqueFd lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}
  std::string temporary_path();
  Result<void> publish(const std::string& temporary, const std::string& sha256);

  std::string folder_;
  UniqueFd lock_;
  unsigned counter_ = 0;
};

}  // namespace forebay
