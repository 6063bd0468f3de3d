// The supervisor's side of its clients: accepts, checks who they are, reads requests, wakes. Never waits for
// a client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "supervisor/child.h"
#include "supervisor/client.h"
#include "supervisor/event_loop.h"
#include "supervisor/protocol.h"
#include "supervisor/socket_address.h"

namespace forebay {

struct ControlHandlers {
  std::function<void(StopRequest)> on_stop;
  std::function<void(std::string_view)>
      on_input;                        // at most kInputCredit bytes beyond what was given back by consumed()
  std::function<void()> on_input_end;  // said by the client, or it went away
  std::function<void(WindowSize)> on_window;
  std::function<Json()> status;
};

class ControlSocket {
 public:
  ControlSocket(EventLoop& loop, ListeningSocket socket, ControlHandlers handlers);
  ControlSocket(const ControlSocket&) = delete;
  ~ControlSocket();

  const std::string& path() const { return socket_.path; }
  void wake();                       // those that asked for it
  void consumed(std::size_t bytes);  // of standard input: the feeding client may send more
  void suspend_display();            // to the feeding client
  void announce_stop(StopRequest request);

 private:
  struct Peer;
  void accept_all();
  void read_from(int fd);
  bool handle(Peer& peer, const Message& message);
  bool handle_hello(Peer& peer, const Message& message);
  void send_to(Peer& peer, MessageKind kind, std::string_view payload = {});
  void flush(Peer& peer);
  void drop(int fd);
  void drop_oldest_stranger();

  EventLoop& loop_;
  ListeningSocket socket_;
  ControlHandlers handlers_;
  std::map<int, std::unique_ptr<Peer>> peers_;
  std::uint64_t accepted_ = 0;
  int feeder_ = -1;  // descriptor of the client that feeds standard input
};

}  // namespace forebay
