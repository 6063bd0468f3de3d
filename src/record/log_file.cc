#include "record/log_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/file.h"

namespace forebay {
namespace {
constexpr std::size_t kChunkHead = 9;  // u8 stream, i64 time
constexpr auto kKind = static_cast<std::uint32_t>(SegmentKind::kLog);
}  // namespace

Result<LogWriter> LogWriter::open(const RunDirectory& directory, std::uint64_t segment_size) {
  int number = 1;
  while (path_exists(directory.log_segment(number + 1))) ++number;
  FOREBAY_TRY(SegmentWriter writer, SegmentWriter::open(directory.log_segment(number), kKind));
  return LogWriter(directory, number, std::move(writer), segment_size);
}

Result<void> LogWriter::append(LogStream stream, Instant time, std::string_view bytes) {
  std::array<char, kChunkHead> head{static_cast<char>(stream)};
  std::memcpy(head.data() + 1, &time.nanoseconds, 8);
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMaximumFramePayload - kChunkHead);
    bytes.remove_prefix(part.size());
    if (writer_.size() >= segment_size_) {
      FOREBAY_TRY(SegmentWriter next, SegmentWriter::open(directory_.log_segment(number_ + 1), kKind));
      writer_ = std::move(next);
      ++number_;
    }
    FOREBAY_CHECK(writer_.append(kFrameEntry, std::string_view(head.data(), head.size()), part));
    bytes_written_ += part.size();
  }
  return {};
}

Result<void> LogWriter::flush_to_disk() {
  return writer_.flush_to_disk();
}

Result<std::optional<LogChunk>> LogReader::next() {
  while (true) {
    if (!reader_) {
      if (!path_exists(directory_.log_segment(position_.segment))) return std::optional<LogChunk>();
      auto opened = SegmentReader::open(directory_.log_segment(position_.segment), kKind, position_.offset);
      if (!opened) return std::optional<LogChunk>();  // created this instant, header not written yet
      reader_.emplace(std::move(*opened));
    }
    // Whether a later segment exists must be known before reading the end of this one, or its last frames
    // could be missed.
    const bool has_successor = path_exists(directory_.log_segment(position_.segment + 1));
    FOREBAY_TRY(std::optional<Frame> frame, reader_->next());
    if (!frame && has_successor) {
      reader_.reset();
      position_ = LogPosition{position_.segment + 1, 0};
      continue;
    }
    if (!frame) return std::optional<LogChunk>();
    position_.offset = frame->end_offset;
    if (frame->type != kFrameEntry || frame->payload.size() < kChunkHead) continue;
    LogChunk chunk;
    chunk.stream = static_cast<LogStream>(frame->payload[0]);
    std::memcpy(&chunk.time.nanoseconds, frame->payload.data() + 1, 8);
    chunk.bytes = frame->payload.substr(kChunkHead);
    return std::optional<LogChunk>(chunk);
  }
}

namespace {

int last_segment(const RunDirectory& directory) {
  int number = 1;
  while (path_exists(directory.log_segment(number + 1))) ++number;
  return number;
}

Result<std::int64_t> line_ends_in(const RunDirectory& directory, int segment) {
  LogReader reader(directory, LogPosition{segment, 0});
  std::int64_t count = 0;
  while (true) {
    FOREBAY_TRY(const std::optional<LogChunk> chunk, reader.next());
    if (!chunk || reader.position().segment != segment) return count;
    count += std::count(chunk->bytes.begin(), chunk->bytes.end(), '\n');
  }
}

std::string tail_from(const RunDirectory& directory, int segment, std::size_t bytes) {
  LogReader reader(directory, LogPosition{segment, 0});
  std::string tail;
  while (true) {
    const auto chunk = reader.next();
    if (!chunk || !*chunk) break;
    tail += (*chunk)->bytes;
    if (tail.size() > 2 * bytes) tail.erase(0, tail.size() - bytes);
  }
  if (tail.size() > bytes) tail.erase(0, tail.size() - bytes);
  return tail;
}

}  // namespace

std::string read_log_tail(const RunDirectory& directory, std::size_t bytes) {
  for (int segment = last_segment(directory);; --segment) {
    std::string tail = tail_from(directory, segment, bytes);
    if (tail.size() >= bytes || segment <= 1) return tail;
  }
}

Result<LogPosition> position_of_last_lines(const RunDirectory& directory, std::int64_t lines) {
  std::int64_t found = 0;
  for (int segment = last_segment(directory);; --segment) {
    FOREBAY_TRY(const std::int64_t here, line_ends_in(directory, segment));
    found += here;
    if (found > lines || segment <= 1) return LogPosition{segment, 0};
  }
}

}  // namespace forebay
