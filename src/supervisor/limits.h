// Whether a limit has been reached: a pure judgement over what is known of the child's activity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "supervisor/child.h"
#include "telemetry/activity.h"

namespace forebay {

struct LimitReached {
  StopReason reason = StopReason::kNone;
  std::string sentence;
};

// Idle is not judged while CPU use is unknown, hang not while I/O is unknown: stopping a living job is the
// worse mistake.
std::optional<LimitReached> reached_limit(const Limits& limits, const std::optional<Activity>& activity,
                                          std::int64_t started_ns, std::int64_t now_ns);

}  // namespace forebay
