#include "supervisor/protocol.h"

#include <gtest/gtest.h>

#include <random>

namespace forebay {
namespace {

TEST(Protocol, MessagesComeBackWhateverTheCutsAre) {
  const std::string stream = encode(MessageKind::kHello, hello_payload(true)) +
                             encode(MessageKind::kInput, std::string(5000, 'x')) +
                             encode(MessageKind::kStatus);
  for (const std::size_t cut : {1u, 3u, 4096u, 100000u}) {
    MessageBuffer buffer;
    std::vector<Message> got;
    for (std::size_t at = 0; at < stream.size(); at += cut) {
      buffer.feed(std::string_view(stream).substr(at, cut));
      while (auto message = buffer.next()) got.push_back(*message);
    }
    ASSERT_EQ(got.size(), 3u);
    EXPECT_EQ(got[0].kind, MessageKind::kHello);
    EXPECT_TRUE(parse_hello(got[0].payload)->feeds_input);
    EXPECT_EQ(parse_hello(got[0].payload)->version, kProtocolVersion);
    EXPECT_EQ(got[1].payload, std::string(5000, 'x'));
    EXPECT_EQ(got[2].payload, "");
  }
}

TEST(Protocol, ATooLongFrameBreaksTheBufferForGood) {
  MessageBuffer buffer;
  buffer.feed(number_payload(kMaximumMessage + 1, 4) + "x");
  EXPECT_FALSE(buffer.next());
  EXPECT_TRUE(buffer.is_broken());
  buffer.feed(encode(MessageKind::kStatus));
  EXPECT_FALSE(buffer.next());
}

TEST(Protocol, NoiseIsNoGreeting) {
  EXPECT_FALSE(parse_hello(""));
  EXPECT_FALSE(parse_hello("FBCS"));
  EXPECT_FALSE(parse_hello("GET / HTTP/1.1\r\n"));
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string noise(random() % 64, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    MessageBuffer buffer;
    buffer.feed(noise);
    while (const auto message = buffer.next()) EXPECT_FALSE(parse_hello(message->payload));
  }
}

TEST(Protocol, NumbersOutsideThePayloadAreAbsent) {
  EXPECT_FALSE(parse_number("abc", 4));
  EXPECT_FALSE(parse_number("abcd", 2, 3));
  EXPECT_EQ(parse_number(number_payload(513, 2), 2), 513u);
}

}  // namespace
}  // namespace forebay
