#include "cost/phases.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace forebay {
namespace {

struct Phase {
  std::string_view state;  // as in the events
  std::string_view id;     // of the line
  std::string_view what;   // msgid
};
constexpr std::array<Phase, 8> kPhases{{{"provisioning", "provisioning", "getting the machine"},
                                        {"preparing", "preparing", "preparing the environment"},
                                        {"staging", "staging", "bringing the data"},
                                        {"running", "running", "running the command"},
                                        {"concluding", "concluding", "closing the record"},
                                        {"saving", "saving", "saving the outputs"},
                                        {"releasing", "releasing", "releasing the machine"},
                                        {"recovering", "recovering", "recovering"}}};

const Phase* phase_of(std::string_view state) {
  // A machine that does not answer goes on costing, and may well be running.
  if (state == "unreachable") state = "running";
  for (const Phase& phase : kPhases)
    if (phase.state == state) return &phase;
  return nullptr;  // queued, planning, finished, failed, cancelled: no machine is held
}

// Between the end of the command and the next state its record is completed; a retry starts the command
// again.
std::string phase_begun_by(const RunEvent& event) {
  if (event.name == "command-started") return "running";
  if (event.name == "command-ended") return "concluding";
  return event.name == "state" ? event.details["to"].string_or_empty() : std::string();
}

constexpr std::int64_t kLongest = 400LL * 86400 * 1'000'000'000;  // beyond: a damaged clock

void add(std::vector<BillLine>& lines, const Phase& phase, std::int64_t nanoseconds) {
  if (nanoseconds <= 0 || nanoseconds >= kLongest) return;
  for (BillLine& line : lines)
    if (line.id == phase.id) {
      line.duration.nanoseconds = std::min(line.duration.nanoseconds + nanoseconds, 10 * kLongest);
      return;
    }
  lines.push_back({std::string(phase.id), Text{std::string(phase.what), {}}, Duration{nanoseconds}, {}});
}

// The last moment that the record knows of.
std::optional<Instant> last_moment(const RunRecord& record) {
  std::optional<Instant> last;
  const auto later = [&](Instant instant) {
    if (!last || instant > *last) last = instant;
  };
  if (!record.samples.empty()) later(record.samples.back().wall);
  for (const RunEvent& event : record.events) later(event.time);
  if (record.outcome && record.outcome->ended) later(*record.outcome->ended);
  return last;
}

// Time from one moment to another; nothing when the clock was set back or is damaged.
std::int64_t between(Instant from, Instant to) {
  const __int128 nanoseconds = static_cast<__int128>(to.nanoseconds) - from.nanoseconds;
  return nanoseconds > 0 && nanoseconds < kLongest ? static_cast<std::int64_t>(nanoseconds) : 0;
}

std::vector<BillLine> from_events(const RunRecord& record) {
  std::vector<BillLine> lines;
  const Phase* current = nullptr;
  Instant since;
  for (const RunEvent& event : record.events) {
    const std::string to = phase_begun_by(event);
    if (to.empty()) continue;
    if (current) add(lines, *current, between(since, event.time));
    current = phase_of(to);
    since = event.time;
  }
  const auto last = last_moment(record);
  if (current && last) add(lines, *current, between(since, *last));
  return lines;
}

}  // namespace

std::vector<BillLine> phases_of(const RunRecord& record) {
  std::vector<BillLine> lines = from_events(record);
  // The command's time is known best from its outcome: measured on the monotonic clock, it is not shifted
  // when the wall clock is set.
  const auto exact = record.outcome ? record.outcome->duration : std::nullopt;
  const auto running =
      std::find_if(lines.begin(), lines.end(), [](const BillLine& line) { return line.id == "running"; });
  // A run that ended before its command started has no command's time: what its outcome measured is the setup
  // that failed, and that is in the lines already.
  const bool never_ran = !lines.empty() && record.outcome && !record.outcome->started;
  if (running == lines.end() && exact && !never_ran) {
    add(lines, *phase_of("running"), exact->nanoseconds);
  } else if (running == lines.end() && lines.empty() && record.samples.size() > 1) {
    add(lines, *phase_of("running"),
        between(Instant{record.samples.front().monotonic_ns}, Instant{record.samples.back().monotonic_ns}));
  }
  return lines;
}

}  // namespace forebay
