#include "report/comparison_words.h"

#include <fmt/format.h>

#include <cmath>

#include "report/headline.h"
#include "report/say.h"

namespace forebay {

ComparedWords compared_words(std::string_view language, const ComparedMetric& metric) {
  const auto value = [&](const std::optional<double>& measured) {
    return measured ? format_measure(*measured, metric.unit) : say(language, "unknown");
  };
  ComparedWords words{say(language, metric_meaning(metric.name)), value(metric.a), value(metric.b), ""};
  if (metric.ratio && std::isfinite(*metric.ratio)) words.ratio = fmt::format("{:.2f}×", *metric.ratio);
  return words;
}

std::string prediction_words(std::string_view language, const PredictionCheck& check) {
  const std::string likely = step_time(check.predicted_step.likely),
                    low = step_time(check.predicted_step.low), high = step_time(check.predicted_step.high);
  const std::string measured =
      check.measured_step ? step_time(*check.measured_step) : say(language, "unknown");
  return say(language, "predicted {0} per step ({1} to {2}), measured {3}", {likely, low, high, measured});
}

Tone prediction_tone(PredictionVerdict verdict) {
  switch (verdict) {
    case PredictionVerdict::kWithin:
    case PredictionVerdict::kBetter:
      return Tone::kGood;
    case PredictionVerdict::kWorse:
      return Tone::kWarning;
    case PredictionVerdict::kNotApplied:
    case PredictionVerdict::kNotComparable:
      break;
  }
  return Tone::kDim;
}

}  // namespace forebay
