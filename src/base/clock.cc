#include "base/clock.h"

#include <cerrno>
#include <ctime>

namespace forebay {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  Instant now() const override { return Instant{read_clock(CLOCK_REALTIME)}; }
  std::int64_t monotonic_ns() const override { return read_clock(CLOCK_MONOTONIC); }
  void sleep(Duration duration) const override {
    timespec rest{duration.nanoseconds / 1'000'000'000, duration.nanoseconds % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) {
    }
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace forebay
