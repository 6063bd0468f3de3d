// Descriptors and what to do when they are ready: a thin epoll. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace forebay {

class EventLoop {
 public:
  using Handler = std::function<void(std::uint32_t events)>;

  static Result<EventLoop> create();
  // Adds or replaces. `events` as for epoll (EPOLLIN, EPOLLOUT). False when the descriptor cannot be polled.
  bool watch(int fd, std::uint32_t events, Handler handler);
  void change(int fd, std::uint32_t events);  // keeps the handler
  void forget(int fd);
  bool is_watched(int fd) const { return handlers_.contains(fd); }
  // Waits at most so long (nothing: for ever) and runs the handlers of what is ready. A handler may forget
  // any descriptor.
  void turn(std::optional<Duration> timeout);

 private:
  explicit EventLoop(UniqueFd epoll) : epoll_(std::move(epoll)) {}
  UniqueFd epoll_;
  std::unordered_map<int, std::shared_ptr<Handler>> handlers_;
};

}  // namespace forebay
