#include "supervisor/supervisor.h"

namespace forebay {

std::string_view stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kNone: return "none";
    case StopReason::kCancelled: return "cancelled";
    case StopReason::kTerminated: return "terminated";
    case StopReason::kMaxDuration: return "max-duration";
    case StopReason::kBudget: return "budget";
    case StopReason::kIdle: return "idle";
    case StopReason::kHang: return "hang";
    case StopReason::kMemoryLimit: return "memory-limit";
    case StopReason::kKernelOutOfMemory: return "kernel-out-of-memory";
    case StopReason::kLogFailed: return "log-failed";
    case StopReason::kWardenLost: return "warden-lost";
  }
  return "none";
}

}  // namespace forebay
