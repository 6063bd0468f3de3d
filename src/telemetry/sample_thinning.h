// Keeps samples.seg bounded: all samples at first, then every tenth, every hundredth …
// (docs/record-format.md).
#pragma once

#include <cstdint>

namespace forebay {

class SampleThinning {
 public:
  // Whether the next sample is kept.
  bool keep() {
    if (skipped_ + 1 < stride_) {
      ++skipped_;
      return false;
    }
    skipped_ = 0;
    if (++kept_ % kKeptPerStride == 0) stride_ *= 10;
    return true;
  }

  static constexpr std::int64_t kKeptPerStride = 200'000;

 private:
  std::int64_t kept_ = 0, skipped_ = 0, stride_ = 1;
};

}  // namespace forebay
