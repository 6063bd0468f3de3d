// The answer to "why is it slow, and what should I change": findings with cause, evidence, fix, expected gain
// and confidence; what could not be judged, and why. Pure functions over a run record; the rules are data
// (data/rules/*.yaml).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/message.h"
#include "base/units.h"
#include "diagnosis/metrics.h"
#include "record/run_record.h"

namespace forebay {

enum class Confidence { kLow, kMedium, kHigh };
std::string_view confidence_name(Confidence confidence);  // "low", "medium", "high"; also msgids

// What a finding is about, in the order in which findings are ranked.
enum class FindingKind {
  kFailure,  // why the run ended or hangs
  kTime,     // wall time lost
  kRisk,     // costs nothing yet
};
std::string_view finding_kind_name(FindingKind kind);  // "failure", "time", "risk"

// A span of durations, for predictions.
struct DurationRange {
  Duration low, likely, high;
};

// How many times as fast the run (or its steps) would be: 1 = no change. low ≤ likely ≤ high.
struct Gain {
  double low = 1, likely = 1, high = 1;
  std::optional<DurationRange> predicted_step;  // time per step after the fix; low is the fastest
};

struct Fix {
  Text text;                 // what to do, in the imperative
  std::optional<Gain> gain;  // absent: not computable from what was measured
  // What the fix changes, as compare() looks for it in the next run: {"num_workers", "2"}. May be empty.
  std::vector<std::pair<std::string, std::string>> settings;
};

struct Finding {
  std::string id;  // the rule's id, stable: "data-stall-main-process"
  FindingKind kind = FindingKind::kTime;
  Text title;                            // the cause, in one sentence
  std::optional<Probability> share;      // of the wall time that was looked at; absent for risks
  std::optional<Duration> seconds_lost;  // share × wall time
  std::vector<Text> evidence;
  std::vector<Fix> fixes;  // best first
  Confidence confidence = Confidence::kLow;
  Text confidence_reason;
  std::vector<std::pair<std::string, double>> metrics;  // the values the rule looked at

  // The gain of the first fix that has one.
  std::optional<Gain> gain() const;
  Json to_json() const;
  static Finding from_json(const Json& json);  // tolerant
};

struct NotJudged {
  std::string rule;
  Text title;                        // what would have been found
  std::vector<std::string> missing;  // metric names
  Text reason;                       // "not enough evidence: … was not measured"
};

enum class Verdict {
  kFindings,
  kNothingWrong,       // everything that matters was measured, and no rule fired
  kNotEnoughEvidence,  // too little was measured to say either
  kRunning,            // the run has not ended and there is nothing to say yet
};
std::string_view verdict_name(
    Verdict verdict);  // "findings", "nothing-wrong", "not-enough-evidence", "running"

struct Diagnosis {
  Verdict verdict = Verdict::kNotEnoughEvidence;
  Text summary;                   // one sentence
  std::vector<Finding> findings;  // failures first, then by share of wall time
  std::vector<NotJudged> not_judged;
  std::vector<Text> remarks;  // coverage: python -I, another language, lost hook records, damaged parts

  Json to_json() const;  // findings.json
  static Diagnosis from_json(const Json& json);
};

// Never fails: a damaged or empty record gives kNotEnoughEvidence. Thread-safe; the rules are parsed once, at
// the first call.
Diagnosis diagnose(const RunRecord& record, const MetricSet& metrics);
inline Diagnosis diagnose(const RunRecord& record) {
  return diagnose(record, summarise(record));
}

}  // namespace forebay
