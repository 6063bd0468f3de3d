#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {

struct Stalled {
  std::optional<double> some, full;  // seconds
};

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" (microseconds), and a line "full …" except for the
// processor.
Stalled parse_pressure(std::string_view text) {
  Stalled stalled;
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    const std::string_view line = cursor.line();
    const std::size_t at = line.find("total=");
    if (at == std::string_view::npos) continue;
    TextCursor value(line.substr(at + 6));
    const auto microseconds = value.number();
    if (!microseconds) continue;
    if (line.starts_with("some ")) stalled.some = static_cast<double>(*microseconds) * 1e-6;
    if (line.starts_with("full ")) stalled.full = static_cast<double>(*microseconds) * 1e-6;
  }
  return stalled;
}

}  // namespace

void Pressure::append_to(Sample& sample, ReadBuffer& buffer) {
  const auto add = [&](KeptFile& file, Metric some, std::optional<Metric> full) {
    const auto text = file.read(buffer);
    if (!text) return;
    const Stalled stalled = parse_pressure(*text);
    if (stalled.some) sample.add(some, *stalled.some);
    if (full && stalled.full) sample.add(*full, *stalled.full);
  };
  add(cpu_, Metric::kPressureCpuSome, std::nullopt);
  add(memory_, Metric::kPressureMemorySome, Metric::kPressureMemoryFull);
  add(io_, Metric::kPressureIoSome, Metric::kPressureIoFull);
}

}  // namespace forebay
