// The report as machine-readable values (`--json`): stable English keys, never translated; what is unknown is
// null.
#pragma once

#include "base/json.h"
#include "report/terminal.h"

namespace forebay {

Json report_json(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill);
Json comparison_json(const ComparedRun& before, const ComparedRun& after, const Comparison& comparison);

}  // namespace forebay
