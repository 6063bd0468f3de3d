// From a child's pipes or pty into the log. A log that cannot be written (full disk) first holds the child
// up, as a full pipe would; when that has lasted too long, it gives up: from then on output is read and
// counted, so that the child can be ended.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "record/log_file.h"
#include "supervisor/event_loop.h"

namespace forebay {

class StreamPump {
 public:
  struct Events {
    std::function<void(std::string_view)> on_written;
    std::function<void(const Error&)> on_stalled;  // the log cannot be written for now
    std::function<void()> on_resumed;
    std::function<void(const Error&)> on_failed;  // it is given up
  };
  StreamPump(EventLoop& loop, LogWriter& log, const Clock& clock, Duration patience, Events events);
  StreamPump(const StreamPump&) = delete;
  ~StreamPump();

  // `fd` non-blocking, the reading end of a pipe or the master of a pty.
  void add(UniqueFd fd, LogStream stream);
  bool has_ended() const;  // every stream reached its end
  // When no writer is left: takes what is there, and waits for no end of file.
  void drain();
  void tick(std::int64_t now_ns);
  std::optional<std::int64_t> next_tick_ns() const;

  std::uint64_t written() const { return written_; }
  std::uint64_t lost() const { return lost_; }
  bool is_stalled() const { return stalled_since_ns_.has_value(); }

 private:
  struct Source {
    UniqueFd fd;
    LogStream stream;
    int small_reads = 0;
  };
  void listen(Source& source);
  bool read_once(Source& source);  // false: nothing there now, or at its end
  void on_readable(Source& source);
  void store(LogStream stream, std::string_view bytes);
  void stall(LogStream stream, std::string_view bytes, const Error& error);

  EventLoop& loop_;
  LogWriter& log_;
  const Clock& clock_;
  Duration patience_;
  Events events_;
  std::list<Source> sources_;
  std::vector<char> buffer_;
  std::string held_back_;  // what could not be written yet
  LogStream held_stream_ = LogStream::kOutput;
  std::optional<std::int64_t> stalled_since_ns_;
  std::int64_t next_try_ns_ = 0;
  bool has_failed_ = false;
  std::uint64_t written_ = 0, lost_ = 0;
};

}  // namespace forebay
