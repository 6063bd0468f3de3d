// The sections of the terminal report, one function each, in their order. Internal to the room.
#pragma once

#include "cost/bill.h"
#include "diagnosis/finding.h"
#include "record/run_record.h"
#include "report/terminal_text.h"

namespace forebay {

void write_verdict(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill);
void write_findings(TerminalText& text, const Diagnosis& diagnosis);
void write_step(TerminalText& text, const RunRecord& record);
void write_machine(TerminalText& text, const RunRecord& record);
void write_cost(TerminalText& text, const Bill& bill);
void write_not_covered(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis);
void write_outputs(TerminalText& text, const RunRecord& record);
void write_next(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis,
                const std::string& html_path);

}  // namespace forebay
