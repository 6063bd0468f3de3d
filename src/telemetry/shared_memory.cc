#include <sys/statvfs.h>

#include "telemetry/machine_collectors.h"

namespace forebay {

void SharedMemory::append_to(Sample& sample) {
  struct statvfs found{};
  if (::statvfs(folder_.c_str(), &found) != 0 || found.f_blocks == 0) return;
  sample.add(Metric::kShmFreeBytes,
             static_cast<double>(found.f_bavail) * static_cast<double>(found.f_frsize));
}

}  // namespace forebay
