// The only place that reads a clock or sleeps. Pass a Clock to whatever needs time; tests pass their own.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace forebay {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;                // wall clock
  virtual std::int64_t monotonic_ns() const = 0;  // CLOCK_MONOTONIC: the time line of samples and steps
  virtual void sleep(Duration duration) const = 0;
};

// The operating system's clocks. Thread-safe, never destroyed.
const Clock& system_clock();

}  // namespace forebay
