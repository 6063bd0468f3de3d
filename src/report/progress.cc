#include "report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "report/bar.h"
#include "report/text_width.h"

namespace forebay {
namespace {

std::string spinner(Duration elapsed, bool unicode) {
  static constexpr std::array<std::string_view, 10> kDots{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  static constexpr std::array<std::string_view, 4> kPlain{"|", "/", "-", "\\"};
  const auto tick = static_cast<std::size_t>(std::max<std::int64_t>(elapsed.nanoseconds, 0) / 100'000'000);
  return std::string(unicode ? kDots[tick % kDots.size()] : kPlain[tick % kPlain.size()]);
}

std::string amount(double value, ProgressState::Unit unit) {
  switch (unit) {
    case ProgressState::Unit::kBytes:
      return format_bytes(Bytes{std::llround(value)});
    case ProgressState::Unit::kSeconds:
      return format_duration(Duration::from_seconds(value));
    case ProgressState::Unit::kItems:
      break;
  }
  return fmt::format("{:.0f}", value);
}

// "mm:ss" or "h:mm:ss": takes the same room all the time, so that the line does not jump.
std::string clock_time(Duration duration) {
  const std::int64_t seconds = std::max<std::int64_t>(duration.nanoseconds, 0) / 1'000'000'000;
  if (seconds < 3600) return fmt::format("{}:{:02d}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02d}:{:02d}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

bool usable(const std::optional<double>& value) {
  return value && std::isfinite(*value) && *value >= 0;
}

}  // namespace

std::string render_progress(const ProgressState& state, const TerminalStyle& style) {
  const double seconds = state.elapsed.seconds();
  const bool known = usable(state.done) && usable(state.total) && *state.total > 0;
  const bool long_enough = seconds > 1;
  std::string right;
  if (usable(state.done)) {
    right = known ? fmt::format("{}/{}", amount(*state.done, state.unit), amount(*state.total, state.unit))
                  : amount(*state.done, state.unit);
    if (long_enough && *state.done > 0 && state.unit == ProgressState::Unit::kBytes)
      right += "  " + amount(*state.done / seconds, state.unit) + "/s";
  }
  if (known && long_enough && *state.done > 0 && *state.done < *state.total) {
    const double left = (*state.total - *state.done) / (*state.done / seconds);
    if (left < 1e8)
      right += "  " + fmt::format(fmt::runtime(tr("{0} left")), clock_time(Duration::from_seconds(left)));
  } else if (long_enough) {
    right += (right.empty() ? "" : "  ") + clock_time(state.elapsed);
  }
  right = cut_to_width(right, style.width / 2, style.unicode);
  std::string left = spinner(state.elapsed, style.unicode) + " ";
  const int bar_width = known && long_enough && style.width >= 64 ? 16 : 0;
  const int room =
      style.width - 1 - display_width(left) - display_width(right) - (bar_width > 0 ? bar_width + 9 : 2);
  const std::string doing = cut_to_width(printable(state.doing), std::max(room, 4), style.unicode);
  std::string line = paint(left, Tone::kAccent, style) + doing;
  if (bar_width > 0) {
    const double share = std::min(1.0, *state.done / *state.total);
    line += "  " + paint(share_bar(share, bar_width, style.unicode), Tone::kAccent, style) +
            fmt::format(" {:>3.0f}%", std::floor(share * 100));
  }
  if (!right.empty()) line += "  " + paint(right, Tone::kDim, style);
  return line;
}

std::string render_live(const LiveState& state, const TerminalStyle& style) {
  struct Field {
    std::string text;
    Tone tone;
  };
  std::vector<Field> fields;  // most important first
  const auto add = [&](std::string text, Tone tone = Tone::kPlain) {
    fields.push_back({std::move(text), tone});
  };
  add(clock_time(state.elapsed), Tone::kStrong);
  if (state.quiet_for)
    add(fmt::format(fmt::runtime(tr("quiet for {0}")), clock_time(*state.quiet_for)), Tone::kWarning);
  if (state.step && state.total_steps)
    add(fmt::format(fmt::runtime(tr("step {0}/{1}")), *state.step, *state.total_steps));
  else if (state.step)
    add(fmt::format(fmt::runtime(tr("step {0}")), *state.step));
  if (usable(state.data_wait_share)) {
    const double share = std::min(*state.data_wait_share, 1.0);
    add(fmt::format(fmt::runtime(tr("data wait {0} %")), std::lround(share * 100)),
        share >= 0.2 ? Tone::kWarning : Tone::kPlain);
  }
  if (usable(state.gpu_utilization))
    add(fmt::format("GPU {:.0f} %", std::min(*state.gpu_utilization, 1.0) * 100));
  if (usable(state.cpu_cores_busy))
    add(fmt::format(fmt::runtime(tr("CPU {0} cores")), fmt::format("{:.1f}", *state.cpu_cores_busy)));
  if (state.memory && state.memory_limit)
    add(format_bytes(*state.memory) + "/" + format_bytes(*state.memory_limit));
  else if (state.memory)
    add(format_bytes(*state.memory));
  if (state.loss && std::isfinite(*state.loss)) add(fmt::format("loss {:.4g}", *state.loss));
  if (state.spent) add(format_money(*state.spent));
  if (usable(state.steps_per_second))
    add(fmt::format(fmt::runtime(tr("{0} steps/s")), fmt::format("{:.3g}", *state.steps_per_second)));

  const std::string_view separator = style.unicode ? " · " : " | ";
  std::string line;
  int used = 0;
  for (const Field& field : fields) {
    const int needed = display_width(field.text) + (used > 0 ? display_width(separator) : 0);
    if (used > 0 && used + needed > style.width - 1) break;
    if (used > 0) line += paint(separator, Tone::kDim, style);
    line += paint(cut_to_width(field.text, style.width - 1, style.unicode), field.tone, style);
    used += needed;
  }
  return line;
}

}  // namespace forebay
