// The language of a supervisor's socket, version 1: frames of u32 payload length, u8 kind, payload;
// little-endian. Both sides treat what comes as hostile: a longer frame or an unknown greeting ends the
// connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace forebay {

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::size_t kMaximumMessage = 64u << 10;
// So many bytes of standard input a client may send before the supervisor has said that they were consumed;
// signals are therefore never stuck behind input nobody reads.
inline constexpr std::size_t kInputCredit = 64u << 10;

enum class MessageKind : std::uint8_t {
  // from the client
  kHello = 1,     // magic "FBCS", u16 version, u8 1 = feeds standard input
  kStop = 2,      // u8 StopRequest
  kInput = 3,     // bytes
  kInputEnd = 4,  //
  kWindow = 5,    // u16 rows, u16 columns
  kArmWake = 6,   // send one kWake as soon as the log has grown
  kStatus = 7,    // answered by kStatusIs
  // from the supervisor
  kWelcome = 64,   // u16 version
  kWake = 65,      // the log has grown, or the state changed
  kCredit = 66,    // u32 bytes of input consumed
  kStatusIs = 67,  // JSON
  kSuspend = 68,   // the person pressed the suspend key in the pty: only the display stops
  kStopping = 69,  // u8 StopRequest that is being carried out
};

struct Message {
  MessageKind kind = MessageKind::kHello;
  std::string payload;
};

std::string encode(MessageKind kind, std::string_view payload = {});
std::string hello_payload(bool feeds_input);
// Nothing when it is not a greeting at all.
struct Hello {
  std::uint16_t version = 0;
  bool feeds_input = false;
};
std::optional<Hello> parse_hello(std::string_view payload);
std::string number_payload(std::uint32_t value, int bytes);
std::optional<std::uint32_t> parse_number(std::string_view payload, int bytes, std::size_t offset = 0);

// Puts frames together from what a socket delivers.
class MessageBuffer {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  std::optional<Message> next();
  bool is_broken() const { return is_broken_; }  // a frame that is too long; nothing more comes out

 private:
  std::string bytes_;
  std::size_t used_ = 0;
  bool is_broken_ = false;
};

}  // namespace forebay
