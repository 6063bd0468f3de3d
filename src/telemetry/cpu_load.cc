#include "telemetry/machine_collectors.h"
#include "telemetry/text_cursor.h"

namespace forebay {
namespace {
constexpr std::uint64_t kFewestTicks = 4;  // below this a share is mostly rounding
constexpr std::uint64_t kMostCores = 8192;
}  // namespace

// "cpuN user nice system idle iowait irq softirq steal guest guest_nice"; guest is inside user.
std::optional<CpuLoad::Ticks> CpuLoad::parse(std::string_view line) {
  TextCursor cursor(line);
  std::uint64_t values[8] = {};
  int count = 0;
  for (; count < 8; ++count) {
    const auto value = cursor.number();
    if (!value || *value > (1ull << 60)) break;
    values[count] = *value;
  }
  if (count < 4) return std::nullopt;
  Ticks ticks;
  for (const std::uint64_t value : values) ticks.total += value;
  ticks.idle = values[3] + values[4];
  ticks.waiting = values[4];
  ticks.known = true;
  return ticks;
}

// The part's share of the ticks since `before`, which then moves on; nothing while too few have passed. idle
// and iowait are known to go backwards a little (proc(5)): that is a share of 0.
std::optional<double> CpuLoad::share(Ticks& before, const Ticks& now, std::uint64_t Ticks::* part,
                                     bool inverted) {
  if (!before.known || now.total < before.total) {
    before = now;
    return std::nullopt;
  }
  const std::uint64_t passed = now.total - before.total;
  if (passed < kFewestTicks) return std::nullopt;
  const std::uint64_t grown = now.*part > before.*part ? now.*part - before.*part : 0;
  double found = std::min(1.0, static_cast<double>(grown) / static_cast<double>(passed));
  if (inverted) found = 1.0 - found;
  before = now;
  return found;
}

void CpuLoad::append_to(Sample& sample, ReadBuffer& buffer) {
  const auto text = file_.read(buffer);
  if (!text) return;
  TextCursor cursor(*text);
  while (!cursor.at_end()) {
    const std::string_view line = cursor.line();
    if (!line.starts_with("cpu")) break;  // the cpu lines come first
    TextCursor rest(line.substr(3));
    if (line.size() > 3 && line[3] == ' ') {
      if (const auto now = parse(rest.rest()))
        if (const auto found = share(all_, *now, &Ticks::waiting, false))
          sample.add(Metric::kIoWaitFraction, *found);
      continue;
    }
    const auto core = rest.number();
    if (!core || *core >= kMostCores) continue;
    const auto now = parse(rest.rest());
    if (!now) continue;
    if (cores_.size() <= *core) cores_.resize(*core + 1);
    if (const auto found = share(cores_[*core], *now, &Ticks::idle, true))
      sample.add(Metric::kCoreBusyFraction, *found, static_cast<std::uint16_t>(*core));
  }
}

}  // namespace forebay
