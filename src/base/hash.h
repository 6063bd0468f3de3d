// Checksums: CRC-32C for frames (detects damage), SHA-256 for identity (content addresses).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace forebay {

// CRC-32C (Castagnoli, RFC 3720 appendix B.4); `crc` chains calls. Uses the SSE4.2 instruction where the CPU
// has it.
std::uint32_t crc32c(std::string_view data, std::uint32_t crc = 0);

// Lower-case hexadecimal SHA-256 (FIPS 180-4), by libsodium.
std::string sha256_hex(std::string_view data);
Result<std::string> sha256_file(const std::string& path);

// SHA-256 over pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::string_view data);
  std::string finish_hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// n random bytes from the operating system.
std::string random_bytes(std::size_t count);

}  // namespace forebay
