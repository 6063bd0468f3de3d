// Loading a run with its judgements, for report, compare and the end of `run`.
#pragma once

#include <string>

#include "cli/console.h"
#include "control/open_runs.h"
#include "cost/bill.h"
#include "diagnosis/finding.h"
#include "record/run_record.h"
#include "report/style.h"

namespace forebay {

struct RunView {
  RunRecord record;
  Diagnosis diagnosis;  // computed anew from the record, so that newer rules see older runs
  Bill bill;
};

Result<RunView> load_run_view(const RunDirectory& directory);
TerminalStyle style_of(const Console& console);
// The reader of our output went away while the run goes on: says so and returns the exit code of a program
// that a closed pipe ended.
int leave_unread(const Console& console, const std::string& run);
// Writes the HTML report (default: report.html in the record) and returns its path.
Result<std::string> write_html_report(const RunView& view, const RunDirectory& directory,
                                      const std::string& target);
// Remarks about runs that were found dead.
void say_reconciled(const OpenRuns& open, const Console& console);

}  // namespace forebay
