// The job's own output, kept to the last byte: chunks of streams with their time, in segment files of about
// 64 MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "record/run_directory.h"
#include "record/segment.h"

namespace forebay {

enum class LogStream : std::uint8_t {
  kOutput = 1,   // standard output, or the pty of a run on a terminal
  kError = 2,    // standard error, when it is a pipe of its own
  kSetup = 3,    // preparing the environment, the job's setup command
  kForebay = 4,  // Forebay's own remarks to the person
};

struct LogChunk {
  LogStream stream = LogStream::kOutput;
  Instant time;
  std::string_view bytes;  // valid until the next call on the reader
};

// Where a reader stands: resume without loss or repetition.
struct LogPosition {
  int segment = 1;
  std::uint64_t offset = 0;
  bool operator==(const LogPosition&) const = default;
};

// Single writer. append() returns when the bytes survive the death of this process.
class LogWriter {
 public:
  static Result<LogWriter> open(const RunDirectory& directory, std::uint64_t segment_size = 64u << 20);
  Result<void> append(LogStream stream, Instant time, std::string_view bytes);
  Result<void> flush_to_disk();
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  LogWriter(RunDirectory directory, int number, SegmentWriter writer, std::uint64_t segment_size)
      : directory_(std::move(directory)),
        number_(number),
        writer_(std::move(writer)),
        segment_size_(segment_size) {}
  RunDirectory directory_;
  int number_;
  SegmentWriter writer_;
  std::uint64_t segment_size_;
  std::uint64_t bytes_written_ = 0;
};

// Reads from a position; next() returns nothing at the present end and may be called again while the run
// writes on.
class LogReader {
 public:
  explicit LogReader(RunDirectory directory, LogPosition from = {})
      : directory_(std::move(directory)), position_(from) {}
  Result<std::optional<LogChunk>> next();
  LogPosition position() const { return position_; }

 private:
  RunDirectory directory_;
  LogPosition position_;
  std::optional<SegmentReader> reader_;
};

// The end of the log, all streams in their order, at most `bytes` of it. Reads the last segments only.
std::string read_log_tail(const RunDirectory& directory, std::size_t bytes);

// A position after which more than `lines` line ends follow; the beginning when there are not so many. Reads
// the last segments only.
Result<LogPosition> position_of_last_lines(const RunDirectory& directory, std::int64_t lines);

}  // namespace forebay
