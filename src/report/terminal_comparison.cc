// Two runs side by side, for a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnosis/comparison.h"
#include "report/comparison_words.h"
#include "report/headline.h"
#include "report/say.h"
#include "report/table.h"
#include "report/terminal.h"
#include "report/terminal_text.h"
#include "report/text_width.h"

namespace forebay {
namespace {

void write_verdict(TerminalText& text, const ComparedRun& before, const ComparedRun& after,
                   const Comparison& comparison) {
  const std::string name = cut_to_width(printable(run_name(before.record)), 40, text.style().unicode);
  const std::string other = cut_to_width(printable(run_name(after.record)), 40, text.style().unicode);
  text.line({{name == other ? name : name + " / " + other, Tone::kStrong},
             {fmt::format("  {} {} {}", comparison.run_a, text.arrow(), comparison.run_b), Tone::kDim}});
  const Tone tone = comparison.change == Change::kFaster   ? Tone::kGood
                    : comparison.change == Change::kSlower ? Tone::kBad
                                                           : Tone::kPlain;
  if (!comparison.verdict.empty())
    text.paragraph(0, text.style().unicode ? "●" : "*", tone, render(comparison.verdict), tone);
  else if (comparison.speedup)
    text.paragraph(2, "", Tone::kPlain, render(gain_sentence(*comparison.speedup)), Tone::kDim);
}

void write_predictions(TerminalText& text, const Comparison& comparison) {
  if (comparison.predictions.empty()) return;
  text.heading(say(current_language(), "Predicted and measured"));
  for (const PredictionCheck& check : comparison.predictions) {
    const Tone tone = prediction_tone(check.verdict);
    text.paragraph(2, text.bullet(), tone, render(check.title), Tone::kStrong);
    if (!check.fix.empty()) text.paragraph(4, text.arrow(), Tone::kGood, render(check.fix));
    text.paragraph(
        4, "", Tone::kPlain,
        check.sentence.empty() ? prediction_words(current_language(), check) : render(check.sentence), tone);
  }
}

void write_metrics(TerminalText& text, const Comparison& comparison) {
  std::vector<std::vector<TableCell>> rows;
  for (const ComparedMetric& metric : comparison.metrics) {
    if (!metric.a && !metric.b) continue;
    const ComparedWords words = compared_words(current_language(), metric);
    rows.push_back({TableCell("  " + words.name), TableCell(words.a, metric.a ? Tone::kPlain : Tone::kDim),
                    TableCell(words.b, metric.b ? Tone::kPlain : Tone::kDim),
                    TableCell(words.ratio, Tone::kStrong)});
  }
  if (rows.empty()) return;
  text.heading(say(current_language(), "Measured"));
  std::vector<TableColumn> columns(4);
  columns[0].may_shrink = true;
  columns[0].minimum_width = 16;
  columns[1].title = comparison.run_a;
  columns[2].title = comparison.run_b;
  columns[3].title = say(current_language(), "ratio");
  for (std::size_t i = 1; i < columns.size(); ++i) columns[i].align_right = true;
  text.raw(format_table(columns, rows, text.style()));
}

void write_changes(TerminalText& text, const Comparison& comparison) {
  text.heading(say(current_language(), "Changed settings"));
  if (comparison.changes.empty())
    return text.paragraph(2, "", Tone::kPlain, say(current_language(), "none that is recorded"), Tone::kDim);
  int width = 0;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(comparison.changes.size(), kShown); ++i)
    width = std::max(width, std::min(30, display_width(printable(comparison.changes[i].name))));
  for (std::size_t i = 0; i < std::min(comparison.changes.size(), kShown); ++i) {
    const ChangedSetting& change = comparison.changes[i];
    const auto value = [](const std::optional<std::string>& setting) {
      return setting ? *setting : say(current_language(), "not set");
    };
    text.labelled(cut_to_width(printable(change.name), width, text.style().unicode), width,
                  fmt::format("{} {} {}", value(change.a), text.arrow(), value(change.b)));
  }
  if (comparison.changes.size() > kShown)
    text.paragraph(2, "", Tone::kPlain,
                   say(current_language(), "{0} more in the HTML report",
                       {std::to_string(comparison.changes.size() - kShown)}),
                   Tone::kDim);
}

}  // namespace

std::string render_comparison(const ComparedRun& before, const ComparedRun& after,
                              const Comparison& comparison, const TerminalStyle& style) {
  TerminalText text(style);
  write_verdict(text, before, after, comparison);
  write_predictions(text, comparison);
  write_metrics(text, comparison);
  write_changes(text, comparison);
  if (!comparison.remarks.empty()) text.heading(say(current_language(), "Hard to compare"));
  for (const Text& remark : comparison.remarks)
    text.paragraph(2, text.bullet(), Tone::kDim, render(remark), Tone::kDim);
  return text.take();
}

}  // namespace forebay
