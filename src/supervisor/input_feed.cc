#include "supervisor/input_feed.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/pseudo_terminal.h"

namespace forebay {

void InputFeed::push(std::string_view bytes) {
  if (has_ended_) return;
  pending_ += bytes;
  write_on();
}

void InputFeed::end() {
  has_ended_ = true;
  write_on();
}

void InputFeed::connect(UniqueFd fd, bool is_terminal) {
  disconnect();
  fd_ = std::move(fd);
  is_terminal_ = is_terminal;
  write_on();
}

void InputFeed::disconnect() {
  if (!fd_.valid()) return;
  loop_.forget(fd_.get());
  fd_.reset();
}

void InputFeed::write_on() {
  if (!fd_.valid()) return;
  std::size_t done_now = 0;
  while (done_now < pending_.size()) {
    const ssize_t done = ::write(fd_.get(), pending_.data() + done_now, pending_.size() - done_now);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) break;
    // The child closed its input: what was meant for it goes nowhere, as with any pipe.
    done_now = done < 0 ? pending_.size() : done_now + static_cast<std::size_t>(done);
  }
  pending_.erase(0, done_now);
  if (done_now > 0) consumed_(done_now);
  if (pending_.empty()) {
    loop_.forget(fd_.get());
    if (has_ended_) say_end();
  } else if (!loop_.is_watched(fd_.get())) {
    loop_.watch(fd_.get(), EPOLLOUT, [this](std::uint32_t) { write_on(); });
  }
}

void InputFeed::say_end() {
  // A terminal has no end of file of its own; the end-of-input key is one for a program that reads lines.
  if (is_terminal_)
    if (const auto keys = line_keys(fd_.get())) [[maybe_unused]]
      const ssize_t ignored = ::write(fd_.get(), &keys->end_of_input, 1);
  disconnect();
}

}  // namespace forebay
