// Append-only, checksummed files ("segments"): the log, the samples, the steps and the events of a run.
// A file is a 16-byte header and frames: u32 payload length, u32 CRC-32C of type and payload, u8 type,
// payload; little-endian. A writer killed at any byte leaves whole frames and at most one torn one at the
// end, which readers skip and writers cut off.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace forebay {

constexpr std::size_t kMaximumFramePayload = 1u << 20;  // a longer length field is damage, not data

struct Frame {
  std::uint8_t type = 0;
  std::string_view payload;      // valid until the next call on the reader
  std::uint64_t end_offset = 0;  // file offset just past this frame: resume here
};

// One writer per file (the caller holds the run's epoch). Not thread-safe.
class SegmentWriter {
 public:
  // Opens or creates; an existing file is scanned and a torn tail is cut off. `kind` is stored in the header
  // and must match.
  static Result<SegmentWriter> open(const std::string& path, std::uint32_t kind);
  // One write(2) per call: when it returns, the frame survives the death of this process.
  Result<void> append(std::uint8_t type, std::string_view payload) { return append(type, payload, {}); }
  // The same with a payload in two pieces, so that a caller's head need not be copied in front of the
  // caller's bytes.
  Result<void> append(std::uint8_t type, std::string_view head, std::string_view body);
  // fdatasync: when it returns, frames survive power loss.
  Result<void> flush_to_disk();
  std::uint64_t size() const { return size_; }

 private:
  SegmentWriter(UniqueFd fd, std::string path, std::uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}
  UniqueFd fd_;
  std::string path_;
  std::uint64_t size_ = 0;
};

// Reads frames in order; usable while a writer appends. next() at the end returns nothing and may be called
// again later.
class SegmentReader {
 public:
  static Result<SegmentReader> open(const std::string& path, std::uint32_t kind, std::uint64_t offset = 0);
  // The next whole frame; nothing at the end (or before a frame that is not complete yet); kCorrupt when a
  // complete frame fails its checksum.
  Result<std::optional<Frame>> next();
  std::uint64_t offset() const { return offset_ - (filled_ - used_); }

 private:
  SegmentReader(UniqueFd fd, std::string path, std::uint64_t offset)
      : fd_(std::move(fd)), path_(std::move(path)), offset_(offset) {}
  Result<bool> fill(std::size_t needed);
  UniqueFd fd_;
  std::string path_;
  std::uint64_t offset_ = 0;  // file offset of the end of what is buffered
  std::string buffer_;
  std::size_t used_ = 0, filled_ = 0;
};

}  // namespace forebay
