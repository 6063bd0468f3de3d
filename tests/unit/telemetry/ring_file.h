// Writes ring files as the hook does, and as it never should.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "telemetry/hook_ring.h"

namespace forebay {

class RingFile {
 public:
  explicit RingFile(std::string path, std::uint64_t capacity = 16, std::uint64_t pid = 4242)
      : path_(std::move(path)), capacity_(capacity), bytes_(kRingRecords + capacity * kRingRecordSize, '\0') {
    std::memcpy(bytes_.data(), "FBHOOK1\n", 8);
    put<std::uint32_t>(8, 1);
    put<std::uint32_t>(12, kRingRecords);
    put<std::uint64_t>(16, pid);
    put<std::uint64_t>(24, 777);
    put<std::uint64_t>(32, capacity);
    put<std::int64_t>(48, 1000);
    put<std::int64_t>(56, 2000);
    for (const std::size_t at : {64, 68, 72}) put<std::int32_t>(at, -1);
  }
  template <typename T>
  RingFile& put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  RingFile& add(SpanKind kind, std::int64_t start, std::int64_t duration, std::int64_t a = -1,
                double b = std::numeric_limits<double>::quiet_NaN(), std::int64_t step = 0) {
    const std::size_t at = kRingRecords + head_ % capacity_ * kRingRecordSize;
    put<std::uint16_t>(at + 8, static_cast<std::uint16_t>(kind));
    put<std::uint32_t>(at + 12, 1);
    put<std::int64_t>(at + 16, start);
    put<std::int64_t>(at + 24, duration);
    put<std::int64_t>(at + 32, a);
    put<double>(at + 40, b);
    put<std::int64_t>(at + 48, step);
    put<std::uint64_t>(at, ++head_);
    return put<std::uint64_t>(40, head_);
  }
  RingFile& facts(const std::string& text) {
    std::memcpy(bytes_.data() + kRingHeaderSize, text.data(), text.size());
    put<std::uint32_t>(88, static_cast<std::uint32_t>(text.size()));
    return put<std::uint64_t>(80, sequence_ += 2);
  }
  // Writes in place, as a mapping would show it.
  void save() const {
    std::ofstream(path_, std::ios::in | std::ios::out | std::ios::binary).close();
    std::ofstream file(path_, std::filesystem::exists(path_) ? std::ios::in | std::ios::out | std::ios::binary
                                                             : std::ios::out | std::ios::binary);
    file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string path_;
  std::uint64_t capacity_, head_ = 0, sequence_ = 0;
  std::string bytes_;
};

}  // namespace forebay
