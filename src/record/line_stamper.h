// Puts the time at which it was written before every line of a log.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/units.h"
#include "record/log_file.h"

namespace forebay {

// "2026-03-01T08:15:02.417Z": UTC, to the millisecond.
std::string line_time(Instant instant);

// Chunks in their order; a line that came in pieces carries the time of its first byte. Output and error are
// lines of their own.
class LineStamper {
 public:
  std::string stamp(const LogChunk& chunk) { return stamp(chunk.stream, chunk.time, chunk.bytes); }
  std::string stamp(LogStream stream, Instant time, std::string_view bytes);

 private:
  std::array<bool, 2> is_inside_{};  // a line, by whether it is shown on standard error
};

// Where a stream is shown: true for standard error.
bool shown_as_error(LogStream stream);

}  // namespace forebay
