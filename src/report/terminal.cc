#include "report/terminal.h"

#include "base/text.h"
#include "report/say.h"
#include "report/terminal_sections.h"

namespace forebay {

std::string render_terminal(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill,
                            const TerminalStyle& style, const std::string& html_path) {
  TerminalText text(style);
  write_verdict(text, record, diagnosis, bill);
  write_findings(text, diagnosis);
  write_step(text, record);
  write_machine(text, record);
  write_cost(text, bill);
  write_not_covered(text, record, diagnosis);
  write_outputs(text, record);
  write_next(text, record, diagnosis, html_path);
  return text.take();
}

std::string render_terminal_brief(const RunRecord& record, const Bill& bill, const TerminalStyle& style) {
  TerminalText text(style);
  write_verdict(text, record, Diagnosis{}, bill);
  write_outputs(text, record);
  text.line(
      {{say(current_language(), "More"), Tone::kStrong}, {"  forebay report " + record.id, Tone::kAccent}});
  return text.take();
}

}  // namespace forebay
