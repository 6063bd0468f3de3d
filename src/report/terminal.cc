#include "report/terminal.h"

namespace forebay {

std::string render_terminal(const RunRecord& record, const Diagnosis&, const Bill&, const TerminalStyle&,
                            const std::string&) {
  return record.id + "\n";
}
std::string render_comparison(const ComparedRun&, const ComparedRun&, const Comparison&,
                              const TerminalStyle&) {
  return "\n";
}

}  // namespace forebay
