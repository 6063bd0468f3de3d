#include "supervisor/stream_pump.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace forebay {
namespace {

constexpr std::size_t kBuffer = 256u << 10;
constexpr int kReadsPerTurn = 16;
constexpr std::size_t kSmallRead = 4096;
constexpr int kFlood = 64;  // so many small reads in a row …
constexpr std::int64_t kFloodPause =
    500'000;  // … and what comes is left to gather for so long: fewer, larger writes
constexpr std::int64_t kRetryEvery = 200'000'000;

}  // namespace

StreamPump::StreamPump(EventLoop& loop, LogWriter& log, const Clock& clock, Duration patience, Events events)
    : loop_(loop),
      log_(log),
      clock_(clock),
      patience_(patience),
      events_(std::move(events)),
      buffer_(kBuffer) {}

StreamPump::~StreamPump() {
  for (const Source& source : sources_)
    if (source.fd.valid()) loop_.forget(source.fd.get());
}

void StreamPump::add(UniqueFd fd, LogStream stream) {
  sources_.push_back(Source{std::move(fd), stream});
  listen(sources_.back());
}

void StreamPump::listen(Source& source) {
  loop_.watch(source.fd.get(), EPOLLIN, [this, &source](std::uint32_t) { on_readable(source); });
}

bool StreamPump::has_ended() const {
  return std::none_of(sources_.begin(), sources_.end(),
                      [](const Source& source) { return source.fd.valid(); });
}

bool StreamPump::read_once(Source& source) {
  ssize_t got = 0;
  std::size_t filled = 0;
  // A pty hands out 4 KiB at most: gather before writing.
  while (filled < buffer_.size()) {
    got = ::read(source.fd.get(), buffer_.data() + filled, buffer_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) != 4095 && static_cast<std::size_t>(got) != 4096) break;
  }
  const bool has_ended =
      got == 0 || (got < 0 && errno != EAGAIN);  // a pty whose other side is closed says EIO
  if (filled > 0) store(source.stream, std::string_view(buffer_.data(), filled));
  if (has_ended) {
    loop_.forget(source.fd.get());
    source.fd.reset();
  }
  source.small_reads = filled > 0 && filled < kSmallRead ? source.small_reads + 1 : 0;
  return filled > 0 && !has_ended;
}

void StreamPump::on_readable(Source& source) {
  for (int i = 0; i < kReadsPerTurn && !is_stalled(); ++i) {
    if (!read_once(source)) {
      return;
    }
    if (source.small_reads > 0) break;  // the pipe is empty by now
  }
  if (source.small_reads < kFlood) return;
  source.small_reads = kFlood / 2;
  clock_.sleep(Duration{kFloodPause});
}

void StreamPump::store(LogStream stream, std::string_view bytes) {
  if (has_failed_) {
    lost_ += bytes.size();
    return;
  }
  if (auto stored = log_.append(stream, clock_.now(), bytes); !stored)
    return stall(stream, bytes, stored.error());
  written_ += bytes.size();
  events_.on_written(bytes);
}

void StreamPump::stall(LogStream stream, std::string_view bytes, const Error& error) {
  held_back_ = bytes;
  held_stream_ = stream;
  stalled_since_ns_ = clock_.monotonic_ns();
  next_try_ns_ = *stalled_since_ns_ + kRetryEvery;
  for (const Source& source : sources_)
    if (source.fd.valid()) loop_.forget(source.fd.get());
  events_.on_stalled(error);
}

std::optional<std::int64_t> StreamPump::next_tick_ns() const {
  return is_stalled() ? std::optional(next_try_ns_) : std::nullopt;
}

void StreamPump::tick(std::int64_t now_ns) {
  if (!is_stalled() || now_ns < next_try_ns_) return;
  const auto stored = log_.append(held_stream_, clock_.now(), held_back_);
  if (!stored && now_ns - *stalled_since_ns_ < patience_.nanoseconds) {
    next_try_ns_ = now_ns + kRetryEvery;
    return;
  }
  stalled_since_ns_.reset();
  const std::string bytes = std::move(held_back_);
  held_back_.clear();
  for (Source& source : sources_)
    if (source.fd.valid()) listen(source);
  if (stored) {
    written_ += bytes.size();
    events_.on_resumed();
    events_.on_written(bytes);
  } else {
    has_failed_ = true;
    lost_ += bytes.size();
    events_.on_failed(stored.error());
  }
}

void StreamPump::drain() {
  for (Source& source : sources_)
    while (source.fd.valid() && !is_stalled() && read_once(source)) {
    }
}

}  // namespace forebay
