// Words of a comparison that the terminal and the page share.
#pragma once

#include <string>
#include <string_view>

#include "diagnosis/comparison.h"
#include "report/style.h"

namespace forebay {

struct ComparedWords {
  std::string name, a, b, ratio;  // unknown values are said to be unknown
};
ComparedWords compared_words(std::string_view language, const ComparedMetric& metric);
std::string prediction_words(std::string_view language, const PredictionCheck& check);
Tone prediction_tone(PredictionVerdict verdict);

}  // namespace forebay
