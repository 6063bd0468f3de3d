// Any bytes as a safetensors file, as they are and behind a header length that fits.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sizing/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace forebay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)read_safetensors_header(text, size, "model.safetensors");
  std::string framed;
  for (int i = 0; i < 8; ++i) framed += static_cast<char>((size >> (8 * i)) & 0xff);
  framed += text;
  const Result<SafetensorsSummary> summary =
      read_safetensors_header(framed, std::uint64_t{1} << 50, "model.safetensors");
  if (!summary) return summary.error().sentence().empty() ? std::abort(), 0 : 0;
  if (!(summary->bytes >= 0) || !std::isfinite(summary->parameters)) std::abort();
  (void)shape_from_safetensors(*summary, "model.safetensors");
  return 0;
}
