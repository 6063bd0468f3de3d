#include "report/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace forebay {
namespace {

std::string shell_quoted(const std::string& word) {
  static constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=+,@%^~";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// "SIGKILL" for 9.
std::string signal_name(int number) {
  const char* abbreviation = sigabbrev_np(number);
  return abbreviation == nullptr ? std::to_string(number) : fmt::format("SIG{}", abbreviation);
}

Headline of_outcome(const Outcome& outcome, const std::string& after) {
  using enum OutcomeCause;
  using Kind = Headline::Kind;
  switch (outcome.cause) {
    case kSucceeded:
      return {Kind::kGood, Text{"Succeeded in {0}", {after}}, {}};
    case kSliceSeen:
      return {Kind::kGood, Text{"Probe: a slice of {0} was seen, then the job was stopped", {after}}, {}};
    case kJobFailed:
      if (outcome.signal)
        return {Kind::kBad, Text{"Ended by signal {0} after {1}", {signal_name(*outcome.signal), after}}, {}};
      if (outcome.exit_code)
        return {Kind::kBad,
                Text{"Failed with exit code {0} after {1}", {std::to_string(*outcome.exit_code), after}},
                {}};
      return {Kind::kBad, Text{"Failed after {0}", {after}}, {}};
    case kOutOfMemory:
      return {Kind::kBad, Text{"Out of memory after {0}", {after}}, {}};
    case kMaxDuration:
      return {Kind::kStopped, Text{"Stopped after {0}: its time limit was reached", {after}}, {}};
    case kIdle:
      return {Kind::kStopped, Text{"Stopped after {0}: it had become idle", {after}}, {}};
    case kHang:
      return {Kind::kBad, Text{"Stopped after {0}: it hung", {after}}, {}};
    case kBudget:
      return {Kind::kStopped, Text{"Stopped after {0}: its budget was spent", {after}}, {}};
    case kCancelled:
      return {Kind::kStopped, Text{"Cancelled after {0}", {after}}, {}};
    case kSetupFailed:
      return {Kind::kBad, Text{"Preparing failed; the command was never started", {}}, {}};
    case kCannotStart:
      return {Kind::kBad, Text{"The command could not be started", {}}, {}};
    case kNoCapacity:
      return {Kind::kBad, Text{"This machine has not what the job asks for; nothing was started", {}}, {}};
    case kOutputsFailed:
      return {Kind::kBad, Text{"Succeeded in {0}, but its outputs could not be saved", {after}}, {}};
    case kSupervisorLost:
      return {Kind::kBad, Text{"Its supervisor was lost after {0}", {after}}, {}};
    case kInfrastructure:
      return {Kind::kBad, Text{"Forebay failed after {0}", {after}}, {}};
    case kNeverStarted:
      return {Kind::kBad, Text{"Never started", {}}, {}};
  }
  return {};
}

// Three significant digits, without an exponent.
std::string factor(double value) {
  if (!std::isfinite(value) || value < 0) return "?";
  return fmt::format("{:.{}f}×", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace

Tone tone_of(Headline::Kind kind) {
  switch (kind) {
    case Headline::Kind::kRunning:
      return Tone::kAccent;
    case Headline::Kind::kGood:
      return Tone::kGood;
    case Headline::Kind::kStopped:
      return Tone::kWarning;
    case Headline::Kind::kBad:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

std::optional<Duration> run_duration(const RunRecord& record) {
  if (record.outcome && record.outcome->duration) return record.outcome->duration;
  if (record.outcome && record.outcome->started && record.outcome->ended &&
      *record.outcome->ended >= *record.outcome->started) {
    const double seconds = static_cast<double>(record.outcome->ended->nanoseconds) * 1e-9 -
                           static_cast<double>(record.outcome->started->nanoseconds) * 1e-9;
    return Duration::from_seconds(std::min(seconds, 9e9));
  }
  if (record.samples.size() < 2) return std::nullopt;
  const double seconds = (static_cast<double>(record.samples.back().monotonic_ns) -
                          static_cast<double>(record.samples.front().monotonic_ns)) *
                         1e-9;
  if (seconds < 0 || seconds > 9e9) return std::nullopt;
  return Duration::from_seconds(seconds);
}

Headline headline_of(const RunRecord& record) {
  const auto duration = run_duration(record);
  const std::string after = duration ? format_duration(*duration) : std::string(msgid("an unknown time"));
  if (!record.outcome)
    return {Headline::Kind::kRunning, Text{duration ? "Running for {0}" : "Running", {after}}, {}};
  Headline headline = of_outcome(*record.outcome, after);
  if (record.outcome->cause != OutcomeCause::kSucceeded) headline.detail = record.outcome->sentence;
  return headline;
}

std::string command_line(const RunRecord& record) {
  const Json& argv = record.launch["argv"];
  if (record.launch["shell"].as_bool().value_or(false)) return argv.at(0).string_or_empty();
  std::string line;
  for (const Json& word : argv.items())
    line += (line.empty() ? "" : " ") + shell_quoted(word.string_or_empty());
  return line;
}

std::string run_name(const RunRecord& record) {
  if (const std::string& name = record.launch["name"].string_or_empty(); !name.empty()) return name;
  if (const std::string& name = record.job["name"].string_or_empty(); !name.empty()) return name;
  const std::string command = command_line(record);
  return !command.empty() ? command : !record.id.empty() ? record.id : std::string(msgid("run"));
}

std::string percent(double share) {
  const double value = share * 100;
  if (!std::isfinite(value)) return "?";
  if (value > 0 && value < 0.05) return "<0.1 %";
  return fmt::format("{:.{}f} %", value, value > 0 && value < 9.95 ? 1 : 0);
}

std::string step_time(Duration duration) {
  const double seconds = duration.seconds();
  if (seconds >= 60 || seconds < 0) return format_duration(duration);
  const auto digits = [](double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; };
  if (seconds >= 0.9995) return fmt::format("{:.{}f} s", seconds, digits(seconds));
  if (seconds >= 0.9995e-3) return fmt::format("{:.{}f} ms", seconds * 1e3, digits(seconds * 1e3));
  return fmt::format("{:.0f} µs", seconds * 1e6);
}

Text gain_sentence(const Gain& gain) {
  if (factor(gain.low) == factor(gain.high)) return Text{"{0} as fast", {factor(gain.likely)}};
  return Text{"{0} as fast (between {1} and {2})",
              {factor(gain.likely), factor(gain.low), factor(gain.high)}};
}

std::optional<Text> predicted_step_sentence(const Gain& gain) {
  if (!gain.predicted_step) return std::nullopt;
  const Duration likely = gain.predicted_step->likely;
  // The step that the gain is about: without validation, checkpoints and beginnings of epochs.
  const double now = likely.seconds() * gain.likely;
  if (!(now > 0 && now < 1e9)) return Text{"a step would take {0}", {step_time(likely)}};
  return Text{"a step would take {0} instead of {1}",
              {step_time(likely), step_time(Duration::from_seconds(now))}};
}

std::string energy_text(Joules energy) {
  const double watt_hours = energy.value / 3600;
  if (!std::isfinite(watt_hours)) return "?";
  if (watt_hours < 0.1) return fmt::format("{:.0f} J", energy.value);
  if (watt_hours < 1000) return fmt::format("{:.{}f} Wh", watt_hours, watt_hours < 10 ? 2 : 1);
  return fmt::format("{:.2f} kWh", watt_hours / 1000);
}

Text cost_sentence(const Bill& bill) {
  if (bill.total) return Text{"cost {0}", {format_money(*bill.total)}};
  return Text{"cost unknown", {}};
}

std::vector<std::string> last_error_lines(const RunRecord& record) {
  std::vector<std::string> lines;  // the newest first
  const auto add = [&](const std::string& line) {
    if (!line.empty() && lines.size() < 2 && std::ranges::find(lines, line) == lines.end())
      lines.push_back(line.substr(0, 2000));
  };
  const auto& errors = record.progress["error_lines"].items();
  for (auto error = errors.rbegin(); error != errors.rend(); ++error) add((*error)["line"].string_or_empty());
  if (lines.empty())
    for (const Json& process : record.hook["processes"].items())
      add(process["facts"]["exception"].string_or_empty());
  std::ranges::reverse(lines);
  return lines;
}

NextCommand next_command(const RunRecord& record, const Diagnosis& diagnosis) {
  if (!record.outcome) return {"forebay logs -f " + record.id, Text{"follow its output", {}}};
  switch (record.outcome->cause) {
    case OutcomeCause::kSucceeded:
      break;
    case OutcomeCause::kSliceSeen:
      return {"forebay probe --from-run " + record.id, Text{"what was measured", {}}};
    case OutcomeCause::kNeverStarted:
    case OutcomeCause::kSupervisorLost:
      return {"forebay rerun " + record.id, Text{"run the same again", {}}};
    default:
      return {"forebay logs " + record.id, Text{"read its whole output", {}}};
  }
  const bool has_fix =
      std::ranges::any_of(diagnosis.findings, [](const Finding& finding) { return !finding.fixes.empty(); });
  if (has_fix)
    return {fmt::format("forebay compare {} RUN", record.id),
            Text{"after a run with the fix: predicted beside measured", {}}};
  return {"forebay rerun " + record.id, Text{"run the same again", {}}};
}

}  // namespace forebay
