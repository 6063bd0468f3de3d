#include "supervisor/protocol.h"

#include <cstring>

namespace forebay {
namespace {
constexpr std::string_view kMagic = "FBCS";
constexpr std::size_t kHead = 5;
}  // namespace

std::string number_payload(std::uint32_t value, int bytes) {
  return std::string(reinterpret_cast<const char*>(&value),
                     static_cast<std::size_t>(bytes));  // little-endian machines only
}

std::optional<std::uint32_t> parse_number(std::string_view payload, int bytes, std::size_t offset) {
  if (payload.size() < offset + static_cast<std::size_t>(bytes)) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, payload.data() + offset, static_cast<std::size_t>(bytes));
  return value;
}

std::string encode(MessageKind kind, std::string_view payload) {
  std::string frame = number_payload(static_cast<std::uint32_t>(payload.size()), 4);
  frame += static_cast<char>(kind);
  frame += payload;
  return frame;
}

std::string hello_payload(bool feeds_input) {
  std::string payload(kMagic);
  payload += number_payload(kProtocolVersion, 2);
  payload += feeds_input ? '\1' : '\0';
  return payload;
}

std::optional<Hello> parse_hello(std::string_view payload) {
  if (payload.size() < kMagic.size() + 3 || payload.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  Hello hello;
  hello.version = static_cast<std::uint16_t>(*parse_number(payload, 2, kMagic.size()));
  hello.feeds_input = payload[kMagic.size() + 2] != '\0';
  return hello;
}

std::optional<Message> MessageBuffer::next() {
  if (is_broken_ || bytes_.size() - used_ < kHead) return std::nullopt;
  const std::string_view rest = std::string_view(bytes_).substr(used_);
  const std::uint32_t length = *parse_number(rest, 4);
  if (length > kMaximumMessage) {
    is_broken_ = true;
    bytes_.clear();
    used_ = 0;
    return std::nullopt;
  }
  if (rest.size() < kHead + length) {
    bytes_.erase(0, used_);
    used_ = 0;
    return std::nullopt;
  }
  Message message{static_cast<MessageKind>(static_cast<std::uint8_t>(rest[4])),
                  std::string(rest.substr(kHead, length))};
  used_ += kHead + length;
  return message;
}

}  // namespace forebay
