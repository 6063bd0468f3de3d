// Standard input on its way from a client to the child. Holds what nobody reads yet; the amount is bounded by
// the client's credit.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "supervisor/event_loop.h"

namespace forebay {

class InputFeed {
 public:
  // `consumed` is told how many bytes were passed on (or thrown away because the child does not want them).
  InputFeed(EventLoop& loop, std::function<void(std::size_t)> consumed)
      : loop_(loop), consumed_(std::move(consumed)) {}
  InputFeed(const InputFeed&) = delete;
  ~InputFeed() { disconnect(); }

  void push(std::string_view bytes);
  void end();
  bool has_pending() const { return !pending_.empty(); }
  // The child's input: the writing end of a pipe, or a duplicate of a pty's master. Non-blocking.
  void connect(UniqueFd fd, bool is_terminal);
  void disconnect();

 private:
  void write_on();
  void say_end();
  EventLoop& loop_;
  std::function<void(std::size_t)> consumed_;
  UniqueFd fd_;
  bool is_terminal_ = false;
  bool has_ended_ = false;
  std::string pending_;
};

}  // namespace forebay
