#include <sys/resource.h>
#include <unistd.h>

#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {

void SamplerCost::append_to(Sample& sample, ReadBuffer& buffer, double others_cpu_seconds) {
  rusage used{};
  if (::getrusage(RUSAGE_THREAD, &used) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    sample.add(Metric::kSamplerCpuSeconds,
               seconds(used.ru_utime) + seconds(used.ru_stime) + others_cpu_seconds);
  }
  const auto text = file_.read(buffer);
  if (!text) return;
  TextCursor cursor(*text);
  if (!cursor.number()) return;
  if (const auto pages = cursor.number())
    sample.add(Metric::kSamplerResidentBytes,
               static_cast<double>(*pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace forebay
