// The report of a run, and of two runs side by side, for a terminal. Pure; texts in the current language
// (base/text.h). Everything that comes from the run (names, log lines, labels) is made printable: it cannot
// steer the terminal.
#pragma once

#include <string>

#include "record/run_record.h"
#include "report/style.h"

namespace forebay {

struct Diagnosis;   // diagnosis/finding.h
struct Comparison;  // diagnosis/finding.h
struct Bill;        // cost/bill.h

// Several lines, each ended by '\n', none wider than the style's width. `html_path`: where the HTML report
// lies, if written.
std::string render_terminal(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill,
                            const TerminalStyle& style, const std::string& html_path = {});

// Of a run too short to judge: how it ended and where more is to be seen.
std::string render_terminal_brief(const RunRecord& record, const Bill& bill, const TerminalStyle& style);

struct ComparedRun {
  const RunRecord& record;
  const Diagnosis& diagnosis;
  const Bill& bill;
};
// Predicted beside measured, and what was changed between the runs.
std::string render_comparison(const ComparedRun& before, const ComparedRun& after,
                              const Comparison& comparison, const TerminalStyle& style);

}  // namespace forebay
