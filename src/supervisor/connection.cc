#include "supervisor/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "supervisor/socket_address.h"

namespace forebay {
namespace {
constexpr int kSendPatience = 5000;  // ms; what is sent is small, and the supervisor never stops reading
}

Result<Connection> Connection::open(const std::string& socket_path, bool feeds_input) {
  FOREBAY_TRY(UniqueFd fd, connect_to_socket(socket_path));
  Connection connection(std::move(fd));
  FOREBAY_CHECK(connection.send(MessageKind::kHello, hello_payload(feeds_input)));
  return connection;
}

Result<void> Connection::send(MessageKind kind, std::string_view payload) {
  const std::string frame = encode(kind, payload);
  std::string_view rest = frame;
  while (!rest.empty()) {
    const ssize_t done = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(done));
      continue;
    }
    if (errno == EINTR) continue;
    pollfd wait{fd_.get(), POLLOUT, 0};
    if (errno != EAGAIN || ::poll(&wait, 1, kSendPatience) == 0)
      return make_error(ErrorCode::kUnavailable, "talk to", "the supervisor", "it does not answer");
  }
  return {};
}

bool Connection::receive() {
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return !incoming_.is_broken();
    if (got <= 0) return false;
    incoming_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

std::optional<Message> Connection::wait_for(MessageKind kind, Duration timeout, const Clock& clock) {
  const std::int64_t deadline = clock.monotonic_ns() + timeout.nanoseconds;
  bool is_there = true;
  while (true) {
    while (auto message = incoming_.next())
      if (message->kind == kind) return message;
    const std::int64_t left = deadline - clock.monotonic_ns();
    if (!is_there || left <= 0) return std::nullopt;
    pollfd wait{fd_.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left / 1'000'000 + 1, 60'000)));
    is_there = receive();
  }
}

}  // namespace forebay
