// The numbers behind the plots of the page, as compact JSON: at most 2,000 points a series, at most 400
// buckets of steps.
#pragma once

#include "base/json.h"
#include "record/run_record.h"

namespace forebay {

// {"plots": {id: {kind: "line", unit, top?, limit?, series: [{label: {en, zh_CN}, index?, points: [[seconds,
// value | null] …]}]}
//               | {kind: "stack", unit: "s", parts: [{id, label: {…}}], buckets: [[begin, end, steps,
//               [seconds per step …]] …]} | {kind: "line", x: "step", …}},
//  "states": [[seconds, name] …], "end": seconds}
// Plots without any value are left out.
Json page_plots(const RunRecord& record);

struct StateSpan {
  std::string name;
  double begin = 0, end = 0;  // seconds since the time origin
};
std::vector<StateSpan> state_spans(const RunRecord& record);

}  // namespace forebay
