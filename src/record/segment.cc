#include "record/segment.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/hash.h"

namespace forebay {
namespace {

constexpr std::string_view kMagic{"FBSEG1\n\0", 8};
constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kFrameHeader = 9;

std::uint32_t load_u32(const char* at) {
  std::uint32_t value;
  std::memcpy(&value, at, 4);
  return value;
}

std::string make_header(std::uint32_t kind) {
  std::string header(kMagic);
  header.append(reinterpret_cast<const char*>(&kind), 4);
  header.append(4, '\0');
  return header;
}

Result<void> check_header(int fd, const std::string& path, std::uint32_t kind) {
  std::array<char, kHeaderSize> header{};
  const ssize_t got = ::pread(fd, header.data(), header.size(), 0);
  if (got < 0) return system_error("read", path, errno);
  if (got != static_cast<ssize_t>(kHeaderSize) || std::string_view(header.data(), 8) != kMagic)
    return make_error(ErrorCode::kCorrupt, "read the segment", path, "it does not begin like one");
  if (load_u32(header.data() + 8) != kind)
    return make_error(ErrorCode::kCorrupt, "read the segment", path,
                      fmt::format("it is of kind {}, not {}", load_u32(header.data() + 8), kind));
  return {};
}

}  // namespace

Result<SegmentWriter> SegmentWriter::open(const std::string& path, std::uint32_t kind) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return system_error("open", path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return system_error("read", path, errno);
  std::uint64_t end = kHeaderSize;
  if (static_cast<std::size_t>(info.st_size) < kHeaderSize) {
    if (::ftruncate(fd.get(), 0) != 0) return system_error("write", path, errno);
    FOREBAY_CHECK(write_all(fd.get(), make_header(kind), path));
  } else {
    FOREBAY_TRY(SegmentReader reader, SegmentReader::open(path, kind));
    while (true) {
      auto frame = reader.next();
      if (!frame || !*frame) break;
      end = (*frame)->end_offset;
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(end)) != 0)
      return system_error("cut the torn end of", path, errno);
  }
  if (::lseek(fd.get(), static_cast<off_t>(end), SEEK_SET) < 0) return system_error("write", path, errno);
  return SegmentWriter(std::move(fd), path, end);
}

Result<void> SegmentWriter::append(std::uint8_t type, std::string_view head, std::string_view body) {
  if (head.size() + body.size() > kMaximumFramePayload)
    return make_error(ErrorCode::kInternal, "append to", path_, "the frame is too long");
  std::array<char, kFrameHeader> header{};
  const auto length = static_cast<std::uint32_t>(head.size() + body.size());
  header[8] = static_cast<char>(type);
  const std::uint32_t checksum = crc32c(body, crc32c(head, crc32c(std::string_view(&header[8], 1))));
  std::memcpy(header.data(), &length, 4);
  std::memcpy(header.data() + 4, &checksum, 4);
  iovec parts[3] = {{header.data(), header.size()},
                    {const_cast<char*>(head.data()), head.size()},
                    {const_cast<char*>(body.data()), body.size()}};
  const ssize_t total = static_cast<ssize_t>(header.size() + length);
  ssize_t done = 0;
  do done = ::writev(fd_.get(), parts, body.empty() ? 2 : 3);
  while (done < 0 && errno == EINTR);
  if (done != total) {
    // Full disk: take the half frame back, so that the file ends with a whole one.
    const int error_number = done < 0 ? errno : ENOSPC;
    if (done > 0 && ::ftruncate(fd_.get(), static_cast<off_t>(size_)) == 0)
      ::lseek(fd_.get(), static_cast<off_t>(size_), SEEK_SET);
    return system_error("write", path_, error_number);
  }
  size_ += static_cast<std::uint64_t>(total);
  return {};
}

Result<void> SegmentWriter::flush_to_disk() {
  if (::fdatasync(fd_.get()) != 0) return system_error("flush", path_, errno);
  return {};
}

Result<SegmentReader> SegmentReader::open(const std::string& path, std::uint32_t kind, std::uint64_t offset) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return system_error("open", path, errno);
  FOREBAY_CHECK(check_header(fd.get(), path, kind));
  return SegmentReader(std::move(fd), path, std::max<std::uint64_t>(offset, kHeaderSize));
}

// Makes at least `needed` unread bytes available; false when the file has not that many yet.
Result<bool> SegmentReader::fill(std::size_t needed) {
  if (filled_ - used_ >= needed) return true;
  std::memmove(buffer_.data(), buffer_.data() + used_, filled_ - used_);
  filled_ -= used_;
  used_ = 0;
  const std::size_t wanted = std::max<std::size_t>(needed, 256 << 10);
  if (buffer_.size() < wanted) buffer_.resize(wanted);
  while (filled_ < needed) {
    const ssize_t got =
        ::pread(fd_.get(), buffer_.data() + filled_, buffer_.size() - filled_, static_cast<off_t>(offset_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path_, errno);
    if (got == 0) return false;
    filled_ += static_cast<std::size_t>(got);
    offset_ += static_cast<std::uint64_t>(got);
  }
  return true;
}

Result<std::optional<Frame>> SegmentReader::next() {
  FOREBAY_TRY(const bool has_header, fill(kFrameHeader));
  if (!has_header) return std::optional<Frame>();
  const std::uint32_t length = load_u32(buffer_.data() + used_);
  if (length > kMaximumFramePayload)
    return make_error(ErrorCode::kCorrupt, "read the segment", path_,
                      fmt::format("a frame at byte {} claims {} bytes", offset(), length));
  FOREBAY_TRY(const bool has_payload, fill(kFrameHeader + length));
  if (!has_payload) return std::optional<Frame>();
  const char* at = buffer_.data() + used_;
  const std::string_view checked(at + 8, 1 + length);
  if (crc32c(checked) != load_u32(at + 4))
    return make_error(ErrorCode::kCorrupt, "read the segment", path_,
                      fmt::format("the frame at byte {} fails its checksum", offset()));
  used_ += kFrameHeader + length;
  return std::optional<Frame>(
      Frame{static_cast<std::uint8_t>(at[8]), std::string_view(at + kFrameHeader, length), offset()});
}

}  // namespace forebay
