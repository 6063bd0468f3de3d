// Two runs side by side: what changed between them, what the first one's findings predicted, and what the
// second one measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "diagnosis/finding.h"

namespace forebay {

enum class Change {
  kFaster,
  kSlower,
  kSame,
  kUnknown
};  // kSame: the difference is within the spread of the runs
std::string_view change_name(Change change);  // "faster", "slower", "same", "unknown"; also msgids

struct ComparedMetric {
  std::string name;
  std::string unit;
  std::optional<double> a, b;
  std::optional<double> ratio;  // b / a; absent when a is 0 or either is unknown
};

struct ChangedSetting {
  std::string name;                 // "num_workers", "package:torch", "variable:OMP_NUM_THREADS", "command"
  std::optional<std::string> a, b;  // absent: not set there, or not known
};

enum class PredictionVerdict {
  kWithin,         // measured lies in the predicted interval
  kBetter,         // faster than predicted
  kWorse,          // slower than predicted
  kNotApplied,     // the second run does not have the settings that were advised
  kNotComparable,  // the batch size or the data changed too, or the step time is unknown
};
std::string_view prediction_verdict_name(PredictionVerdict verdict);

struct PredictionCheck {
  std::string finding;  // id
  Text title;
  Text fix;
  DurationRange predicted_step;
  std::optional<Duration> measured_step;  // of the second run; median
  PredictionVerdict verdict = PredictionVerdict::kNotComparable;
  Text sentence;
};

struct Comparison {
  std::string run_a, run_b;
  std::vector<ComparedMetric> metrics;
  std::vector<ChangedSetting> changes;
  std::vector<PredictionCheck> predictions;
  // a's time per step ÷ b's (medians; without steps: wall time ÷ wall time), with the interval that the
  // spread of steps leaves.
  std::optional<Gain> speedup;
  Change change = Change::kUnknown;
  Text verdict;               // one sentence
  std::vector<Text> remarks;  // what makes the two hard to compare

  Json to_json() const;
};

// Pure. Predictions are taken from a.findings when the record carries them, else computed.
Comparison compare(const RunRecord& a, const RunRecord& b);

}  // namespace forebay
