// What is said in sentences: the verdict, the findings, what was not covered, what to do next.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "record/outcome_words.h"
#include "report/headline.h"
#include "report/say.h"
#include "report/step_parts.h"
#include "report/terminal_sections.h"
#include "report/text_width.h"

namespace forebay {
namespace {

std::string_view mark_of(Headline::Kind kind, bool unicode) {
  switch (kind) {
    case Headline::Kind::kRunning:
      return unicode ? "●" : "*";
    case Headline::Kind::kGood:
      return unicode ? "✓" : "+";
    case Headline::Kind::kStopped:
      return unicode ? "■" : "!";
    case Headline::Kind::kBad:
      return unicode ? "✗" : "x";
  }
  return "";
}

Tone tone_of_finding(const Finding& finding) {
  if (finding.kind == FindingKind::kFailure) return Tone::kBad;
  return finding.kind == FindingKind::kTime ? Tone::kWarning : Tone::kAccent;
}

// "71 % · 1 min 35 s lost" beside the cause.
std::string loss_of(const Finding& finding, std::string_view separator) {
  std::string text;
  if (finding.share) text = say(current_language(), "{0} of the time", {percent(finding.share->value)});
  if (finding.seconds_lost)
    text += (text.empty() ? "" : std::string(separator)) +
            say(current_language(), "{0} lost", {format_duration(*finding.seconds_lost)});
  return text;
}

void write_fix(TerminalText& text, const Fix& fix) {
  text.paragraph(4, text.arrow(), Tone::kGood, render(fix.text), Tone::kStrong);
  if (!fix.gain) return;
  std::string gain = say(current_language(), "expected: {0}", {render(gain_sentence(*fix.gain))});
  if (const auto predicted = predicted_step_sentence(*fix.gain))
    gain += say(current_language(), "; {0}", {render(*predicted)});
  text.paragraph(6, "", Tone::kPlain, gain, Tone::kGood);
}

void write_finding(TerminalText& text, const Finding& finding, int number, bool briefly) {
  const std::string mark = fmt::format("{:>2}", number);
  const Tone tone = tone_of_finding(finding);
  text.paragraph(0, mark, tone, render(finding.title), Tone::kStrong);
  const std::string separator = fmt::format(" {} ", text.bullet());
  if (const std::string loss = loss_of(finding, separator); !loss.empty())
    text.paragraph(3, "", tone, loss, tone);
  if (!briefly)
    for (const Text& line : finding.evidence) text.paragraph(4, text.bullet(), Tone::kDim, render(line));
  const std::size_t fixes = briefly ? 1 : 3;
  for (std::size_t i = 0; i < std::min(finding.fixes.size(), fixes); ++i) write_fix(text, finding.fixes[i]);
  if (briefly) return;
  std::string confidence =
      say(current_language(), "confidence: {0}", {std::string(confidence_name(finding.confidence))});
  if (!finding.confidence_reason.empty())
    confidence += say(current_language(), "; {0}", {render(finding.confidence_reason)});
  text.paragraph(4, "", Tone::kPlain, confidence, Tone::kDim);
}

}  // namespace

void write_verdict(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis,
                   const Bill& bill) {
  const Headline headline = headline_of(record);
  const Tone tone = tone_of(headline.kind);
  const std::string mark(mark_of(headline.kind, text.style().unicode));
  const std::string_view separator = text.style().unicode ? " · " : " - ";
  std::string verdict = render(headline.sentence);
  verdict += std::string(separator) + render(cost_sentence(bill));
  const std::string name = cut_to_width(printable(run_name(record)), 40, text.style().unicode);
  const std::string id = name == record.id ? std::string() : record.id;
  text.line({{name, Tone::kStrong}, {id.empty() ? "" : "  " + id, Tone::kDim}});
  text.paragraph(0, mark, tone, verdict, tone);
  if (!headline.detail.empty()) text.paragraph(2, "", tone, outcome_sentence(headline.detail));
  if (!diagnosis.summary.empty()) text.paragraph(2, "", tone, render(diagnosis.summary));
  if (headline.kind == Headline::Kind::kBad)
    for (const std::string& line : last_error_lines(record))
      text.line({{"  "}, {text.style().unicode ? "│ " : "| ", Tone::kBad}, {line, Tone::kDim}});
}

void write_findings(TerminalText& text, const Diagnosis& diagnosis) {
  if (diagnosis.findings.empty()) return;
  text.heading(say(current_language(), "Findings"));
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(diagnosis.findings.size(), kShown); ++i) {
    if (i > 0) text.blank();
    const Finding& finding = diagnosis.findings[i];
    write_finding(text, finding, static_cast<int>(i) + 1,
                  i >= 2 || (i > 0 && finding.kind == FindingKind::kRisk));
  }
  if (diagnosis.findings.size() > kShown)
    text.paragraph(3, "", Tone::kPlain,
                   say(current_language(), "{0} more in the HTML report",
                       {std::to_string(diagnosis.findings.size() - kShown)}),
                   Tone::kDim);
}

void write_not_covered(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis) {
  std::vector<std::string> lines;
  for (const Text& remark : diagnosis.remarks) lines.push_back(render(remark));
  for (const std::string& damage : record.damage) lines.push_back(damage);
  if (const std::size_t count = diagnosis.not_judged.size(); count > 0)
    lines.push_back(
        say(current_language(),
            "{0} of the rules could not be judged: too little was measured (the HTML report lists them)",
            {std::to_string(count)}));
  if (lines.empty()) return;
  text.heading(say(current_language(), "Not covered"));
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    text.paragraph(2, text.bullet(), Tone::kDim, lines[i], Tone::kDim);
  if (lines.size() > kShown)
    text.paragraph(
        4, "", Tone::kPlain,
        say(current_language(), "{0} more in the HTML report", {std::to_string(lines.size() - kShown)}),
        Tone::kDim);
}

void write_next(TerminalText& text, const RunRecord& record, const Diagnosis& diagnosis,
                const std::string& html_path) {
  const NextCommand next = next_command(record, diagnosis);
  const std::string report = say(current_language(), "Report"), then = say(current_language(), "Next");
  const int label_width = std::max(display_width(report), display_width(then));
  text.blank();
  if (!html_path.empty())
    text.line({{pad_right(report, label_width), Tone::kStrong}, {"  "}, {html_path, Tone::kAccent}});
  else
    text.line({{pad_right(report, label_width), Tone::kStrong},
               {"  "},
               {"forebay report " + record.id + " --html", Tone::kAccent}});
  const std::string purpose = render(next.purpose);
  const bool fits = label_width + 4 + display_width(next.command) + display_width(purpose) <= text.width();
  text.line({{pad_right(then, label_width), Tone::kStrong},
             {"  "},
             {next.command, Tone::kAccent},
             {fits ? "  " + purpose : "", Tone::kDim}});
  if (!fits)
    text.line({{std::string(static_cast<std::size_t>(label_width) + 2, ' ')}, {purpose, Tone::kDim}});
}

}  // namespace forebay
