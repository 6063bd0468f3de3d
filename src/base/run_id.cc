#include "base/run_id.h"

#include <string_view>

#include "base/hash.h"

namespace forebay {

std::string new_run_id() {
  constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstvwxyz0123456789";
  constexpr std::size_t kLetters = 22;
  const std::string random = random_bytes(8);
  std::string id;
  for (char byte : random) {
    const auto number = static_cast<unsigned char>(byte);
    id += kAlphabet[id.empty() ? number % kLetters : number % kAlphabet.size()];
  }
  return id;
}

}  // namespace forebay
