#include "base/hash.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Crc32c, MatchesThePublishedVectors) {
  // RFC 3720, B.4: 32 bytes of zeros; and the usual check value of "123456789".
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c("456789", crc32c("123")), 0xE3069283u);
}

TEST(Sha256, MatchesThePublishedVector) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace forebay
