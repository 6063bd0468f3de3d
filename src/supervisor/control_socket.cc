#include "supervisor/control_socket.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace forebay {
namespace {

constexpr std::size_t kMostPeers = 32;
constexpr std::size_t kMostUnsent = 256u << 10;

}  // namespace

struct ControlSocket::Peer {
  UniqueFd fd;
  std::uint64_t number = 0;  // counted from the first
  MessageBuffer incoming;
  std::string unsent;
  bool is_welcome = false;
  bool wants_wake = false;
  bool is_broken = false;
  std::size_t input_outstanding = 0;
};

ControlSocket::ControlSocket(EventLoop& loop, ListeningSocket socket, ControlHandlers handlers)
    : loop_(loop), socket_(std::move(socket)), handlers_(std::move(handlers)) {
  loop_.watch(socket_.fd.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

ControlSocket::~ControlSocket() {
  loop_.forget(socket_.fd.get());
  for (const auto& [fd, peer] : peers_) loop_.forget(fd);
  ::unlink(socket_.path.c_str());
}

void ControlSocket::accept_all() {
  while (true) {
    UniqueFd fd(::accept4(socket_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    ucred who{};
    socklen_t size = sizeof who;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
        (who.uid != ::getuid() && who.uid != 0))
      continue;
    // A full house makes room by sending away somebody who never said hello.
    if (peers_.size() >= kMostPeers) drop_oldest_stranger();
    if (peers_.size() >= kMostPeers) continue;
    const int number = fd.get();
    auto peer = std::make_unique<Peer>();
    peer->fd = std::move(fd);
    peer->number = ++accepted_;
    if (!loop_.watch(number, EPOLLIN, [this, number](std::uint32_t events) {
          if ((events & EPOLLOUT) != 0) flush(*peers_.at(number));
          if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_from(number);
        }))
      continue;
    peers_[number] = std::move(peer);
  }
}

void ControlSocket::drop_oldest_stranger() {
  const Peer* oldest = nullptr;
  for (const auto& [fd, peer] : peers_)
    if (!peer->is_welcome && (oldest == nullptr || peer->number < oldest->number)) oldest = peer.get();
  if (oldest != nullptr) drop(oldest->fd.get());
}

void ControlSocket::read_from(int fd) {
  std::array<char, 16384> buffer;
  Peer& peer = *peers_.at(fd);
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(fd);
  peer.incoming.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  while (const auto message = peer.incoming.next())
    if (!handle(peer, *message) || peer.is_broken) return drop(fd);
  if (peer.incoming.is_broken() || peer.is_broken) drop(fd);
}

bool ControlSocket::handle_hello(Peer& peer, const Message& message) {
  const auto hello = message.kind == MessageKind::kHello ? parse_hello(message.payload) : std::nullopt;
  if (!hello) return false;
  // Another version is told ours, so that it can say a sentence, and is sent away.
  send_to(peer, MessageKind::kWelcome, number_payload(kProtocolVersion, 2));
  if (hello->version != kProtocolVersion) return false;
  peer.is_welcome = true;
  if (hello->feeds_input && feeder_ < 0) feeder_ = peer.fd.get();
  return true;
}

// False ends the connection.
bool ControlSocket::handle(Peer& peer, const Message& message) {
  if (!peer.is_welcome) return handle_hello(peer, message);
  switch (message.kind) {
    case MessageKind::kStop: {
      const auto request = parse_number(message.payload, 1);
      if (!request || *request > static_cast<std::uint32_t>(StopRequest::kNow)) return false;
      handlers_.on_stop(static_cast<StopRequest>(*request));
      return true;
    }
    case MessageKind::kInput:
      if (peer.fd.get() != feeder_) return true;  // somebody else types already
      peer.input_outstanding += message.payload.size();
      if (peer.input_outstanding > kInputCredit) return false;
      handlers_.on_input(message.payload);
      return true;
    case MessageKind::kInputEnd:
      if (peer.fd.get() == feeder_) handlers_.on_input_end();
      return true;
    case MessageKind::kWindow: {
      const auto rows = parse_number(message.payload, 2), columns = parse_number(message.payload, 2, 2);
      if (!rows || !columns) return false;
      handlers_.on_window(
          WindowSize{static_cast<std::uint16_t>(*rows), static_cast<std::uint16_t>(*columns)});
      return true;
    }
    case MessageKind::kArmWake:
      peer.wants_wake = true;
      return true;
    case MessageKind::kStatus:
      send_to(peer, MessageKind::kStatusIs, handlers_.status().dump());
      return true;
    default:
      return false;
  }
}

void ControlSocket::send_to(Peer& peer, MessageKind kind, std::string_view payload) {
  if (peer.is_broken) return;
  peer.unsent += encode(kind, payload);
  // A client that reads nothing is sent away: its descriptor becomes readable and drop() follows.
  peer.is_broken = peer.unsent.size() > kMostUnsent;
  if (peer.is_broken) ::shutdown(peer.fd.get(), SHUT_RDWR);
  flush(peer);
}

void ControlSocket::flush(Peer& peer) {
  while (!peer.unsent.empty()) {
    const ssize_t done =
        ::send(peer.fd.get(), peer.unsent.data(), peer.unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) break;
    peer.unsent.erase(0, static_cast<std::size_t>(done));
  }
  const int number = peer.fd.get();
  const std::uint32_t events = peer.unsent.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT;
  loop_.change(number, events);
}

void ControlSocket::drop(int fd) {
  loop_.forget(fd);
  peers_.erase(fd);
  if (fd != feeder_) return;
  feeder_ = -1;
  handlers_.on_input_end();
}

void ControlSocket::wake() {
  for (const auto& [fd, peer] : peers_) {
    if (!peer->wants_wake) continue;
    peer->wants_wake = false;
    send_to(*peer, MessageKind::kWake);
  }
}

void ControlSocket::consumed(std::size_t bytes) {
  const auto found = peers_.find(feeder_);
  if (found == peers_.end() || bytes == 0) return;
  Peer& peer = *found->second;
  peer.input_outstanding -= std::min(peer.input_outstanding, bytes);
  send_to(peer, MessageKind::kCredit, number_payload(static_cast<std::uint32_t>(bytes), 4));
}

void ControlSocket::suspend_display() {
  if (const auto found = peers_.find(feeder_); found != peers_.end())
    send_to(*found->second, MessageKind::kSuspend);
}

void ControlSocket::announce_stop(StopRequest request) {
  for (const auto& [fd, peer] : peers_)
    if (peer->is_welcome)
      send_to(*peer, MessageKind::kStopping, number_payload(static_cast<std::uint32_t>(request), 1));
}

}  // namespace forebay
