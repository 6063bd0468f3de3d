// The client's end of the protocol: whole messages out, messages in.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "supervisor/protocol.h"

namespace forebay {

class Connection {
 public:
  // Connects and greets; does not wait for the answer (a supervisor between two children answers late).
  static Result<Connection> open(const std::string& socket_path, bool feeds_input);
  explicit Connection(UniqueFd fd) : fd_(std::move(fd)) {}

  Result<void> send(MessageKind kind, std::string_view payload = {});
  // Takes in what is there; false when the other side has gone.
  bool receive();
  std::optional<Message> next() { return incoming_.next(); }
  // Waits for a message of that kind, dropping others. Nothing after `timeout` or when the other side has
  // gone.
  std::optional<Message> wait_for(MessageKind kind, Duration timeout, const Clock& clock);
  int descriptor() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  MessageBuffer incoming_;
};

}  // namespace forebay
