// What the log says about how far the run is: progress.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/units.h"
#include "telemetry/error_lines.h"
#include "telemetry/line_splitter.h"
#include "telemetry/log_feed.h"
#include "telemetry/progress_parser.h"

namespace forebay {

// Not thread-safe. Memory is bounded.
class ProgressLog {
 public:
  void add(const LogFeed::Batch& batch, Instant time, std::int64_t now_ns);
  // A bar that waits for its next carriage return counts once nothing has come for a second.
  void settle(Instant time, std::int64_t now_ns);
  void finish(Instant time, std::int64_t now_ns);

  std::optional<std::int64_t> last_progress_ns() const { return last_progress_ns_; }
  std::optional<std::int64_t> last_byte_ns() const { return last_byte_ns_; }
  bool take_changed() { return std::exchange(changed_, false); }
  Json to_json() const;

 private:
  struct Point {
    std::int64_t time_ns = 0;
    std::optional<std::int64_t> step;
    std::optional<double> loss;
  };
  void take_line(std::string_view line, Instant time, std::int64_t now_ns);
  void take_progress(const ProgressLine& found, std::string_view line, Instant time, std::int64_t now_ns);
  void add_point(const Point& point);

  LineSplitter splitter_;
  ErrorLines errors_;
  ProgressLine latest_;
  Instant latest_time_, last_byte_time_;
  std::string latest_text_;
  std::vector<Point> series_;
  std::uint64_t stride_ = 1, points_ = 0;  // every stride-th point is kept
  std::uint64_t lines_ = 0, dropped_ = 0;
  std::optional<std::int64_t> last_progress_ns_, last_byte_ns_;
  bool changed_ = false;
};

}  // namespace forebay
