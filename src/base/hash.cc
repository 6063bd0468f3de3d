#include "base/hash.h"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace forebay {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected 0x1EDC6F41

std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? kPolynomial : 0);
    table[i] = value;
  }
  return table;
}

std::uint32_t crc_by_table(std::string_view data, std::uint32_t crc) {
  static const auto table = make_table();
  for (unsigned char byte : data) crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc_by_instruction(std::string_view data, std::uint32_t crc) {
  std::uint64_t wide = crc;
  const char* at = data.data();
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
  return narrow;
}
#endif

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::uint32_t crc32c(std::string_view data, std::uint32_t crc) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~crc_by_instruction(data, ~crc);
#endif
  return ~crc_by_table(data, ~crc);
}

struct Sha256::State {
  crypto_hash_sha256_state state;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->state);
}
Sha256::~Sha256() = default;

void Sha256::update(std::string_view data) {
  crypto_hash_sha256_update(&state_->state, reinterpret_cast<const unsigned char*>(data.data()), data.size());
}

std::string Sha256::finish_hex() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state_->state, digest.data());
  return to_hex(digest.data(), digest.size());
}

std::string sha256_hex(std::string_view data) {
  Sha256 hash;
  hash.update(data);
  return hash.finish_hex();
}

Result<std::string> sha256_file(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return system_error("read", path, errno);
  Sha256 hash;
  std::string buffer(256 << 10, '\0');
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path, errno);
    if (got == 0) return hash.finish_hex();
    hash.update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace forebay
