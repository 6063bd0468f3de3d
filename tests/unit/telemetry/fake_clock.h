// A clock that stands still until it is told.
#pragma once

#include "base/clock.h"

namespace forebay {

class FakeClock : public Clock {
 public:
  Instant now() const override { return Instant{1'700'000'000'000'000'000 + monotonic}; }
  std::int64_t monotonic_ns() const override { return monotonic; }
  void sleep(Duration duration) const override { monotonic += duration.nanoseconds; }
  mutable std::int64_t monotonic = 1'000'000'000;
};

}  // namespace forebay
