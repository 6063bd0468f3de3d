// The one-line verdict of a run and other short sentences that the terminal and the page share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "cost/bill.h"
#include "diagnosis/finding.h"
#include "record/run_record.h"
#include "report/style.h"

namespace forebay {

struct Headline {
  enum class Kind { kRunning, kGood, kStopped, kBad } kind = Kind::kRunning;
  Text sentence;       // "Succeeded in 2 min 14 s"
  std::string detail;  // the outcome's own sentence, as recorded, where it says more; may be empty
};
Headline headline_of(const RunRecord& record);
Tone tone_of(Headline::Kind kind);

// What the run is called: the job's name, else the command; never empty.
std::string run_name(const RunRecord& record);
// The command as typed, quoted where needed; empty when unknown.
std::string command_line(const RunRecord& record);
// Wall time of the run as far as known.
std::optional<Duration> run_duration(const RunRecord& record);

// Three significant digits: "1.02 s", "318 ms"; from a minute on as format_duration.
std::string step_time(Duration duration);
// "71 %"; under 10 % with one decimal.
std::string percent(double share);
// "2.1× as fast (1.8× to 2.6×)", and "0.81 s → 0.39 s per step" where the time per step is predicted.
Text gain_sentence(const Gain& gain);
std::optional<Text> predicted_step_sentence(const Gain& gain);
std::string energy_text(Joules energy);
// "0.0123 USD", or why it is not known.
Text cost_sentence(const Bill& bill);

// The last thing that went wrong according to the run itself: exception type, error line. Empty when nothing
// is known.
std::vector<std::string> last_error_lines(const RunRecord& record);

// The command to type next, with what it is good for.
struct NextCommand {
  std::string command;
  Text purpose;
};
NextCommand next_command(const RunRecord& record, const Diagnosis& diagnosis);

}  // namespace forebay
