#include "supervisor/event_loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace forebay {

Result<EventLoop> EventLoop::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return system_error("open", "an epoll descriptor", errno);
  return EventLoop(std::move(epoll));
}

bool EventLoop::watch(int fd, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  const int operation = handlers_.contains(fd) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0) return false;
  handlers_[fd] = std::make_shared<Handler>(std::move(handler));
  return true;
}

void EventLoop::change(int fd, std::uint32_t events) {
  if (!handlers_.contains(fd)) return;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) {
  if (handlers_.erase(fd) > 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void EventLoop::turn(std::optional<Duration> timeout) {
  std::array<epoll_event, 16> events;
  // Rounded up: waking a little late is right, waking early in a circle is not.
  const int milliseconds = timeout ? static_cast<int>(std::clamp<std::int64_t>(
                                         (timeout->nanoseconds + 999'999) / 1'000'000, 0, 3'600'000))
                                   : -1;
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), milliseconds);
  for (int i = 0; i < count; ++i) {
    const auto found = handlers_.find(events[static_cast<std::size_t>(i)].data.fd);
    if (found == handlers_.end()) continue;
    const std::shared_ptr<Handler> handler = found->second;  // stays alive when it forgets itself
    (*handler)(events[static_cast<std::size_t>(i)].events);
  }
}

}  // namespace forebay
