// The page of two runs side by side.
#include <fmt/format.h>

#include "report/comparison_words.h"
#include "report/headline.h"
#include "report/page_sections.h"
#include "report/say.h"

namespace forebay {
namespace {

void predictions(HtmlWriter& html, std::string_view language, const Comparison& comparison) {
  if (comparison.predictions.empty()) return;
  html.open("section").element("h2", say(language, "Predicted and measured"));
  for (const PredictionCheck& check : comparison.predictions) {
    const std::string_view tone = css_class(prediction_tone(check.verdict));
    html.open("article", {{"class", fmt::format("finding {}", tone)}})
        .element("h3", render_in(language, check.title));
    if (!check.fix.empty()) html.element("p", render_in(language, check.fix), {{"class", "fix"}});
    html.element(
        "p", check.sentence.empty() ? prediction_words(language, check) : render_in(language, check.sentence),
        {{"class", "gain"}});
    html.close();
  }
  html.close();
}

void metrics(HtmlWriter& html, std::string_view language, const Comparison& comparison) {
  html.open("section")
      .element("h2", say(language, "Measured"))
      .open("div", {{"class", "scroll"}})
      .open("table")
      .open("thead")
      .open("tr");
  html.element("th", "", {{"scope", "col"}});
  for (const std::string& title : {comparison.run_a, comparison.run_b, say(language, "ratio")})
    html.element("th", title, {{"scope", "col"}, {"class", "number"}});
  html.close().close().open("tbody");
  for (const ComparedMetric& metric : comparison.metrics) {
    if (!metric.a && !metric.b) continue;
    const ComparedWords words = compared_words(language, metric);
    html.open("tr").element("th", words.name, {{"scope", "row"}});
    for (const std::string& each : {words.a, words.b, words.ratio})
      html.element("td", each, {{"class", "number"}});
    html.close();
  }
  html.close().close().close().close();
}

void changes(HtmlWriter& html, std::string_view language, const Comparison& comparison) {
  html.open("section").element("h2", say(language, "Changed settings"));
  if (comparison.changes.empty())
    html.element("p", say(language, "none that is recorded"), {{"class", "quiet"}});
  html.open("div", {{"class", "scroll"}}).open("table").open("tbody");
  constexpr std::size_t kMaximum = 500;
  for (std::size_t i = 0; i < std::min(comparison.changes.size(), kMaximum); ++i) {
    const ChangedSetting& change = comparison.changes[i];
    html.open("tr").element("th", change.name.substr(0, 500), {{"scope", "row"}});
    for (const auto* value : {&change.a, &change.b})
      html.element("td", *value ? (*value)->substr(0, 1000) : say(language, "not set"), {{"class", "code"}});
    html.close();
  }
  html.close().close().close().close();
}

}  // namespace

void page_comparison(HtmlWriter& html, std::string_view language, const ComparedRun& before,
                     const ComparedRun& after, const Comparison& comparison) {
  html.open("header", {{"class", "run"}});
  const std::string name = run_name(before.record), other = run_name(after.record);
  html.element("h1", name == other ? name : name + " / " + other);
  html.open("p", {{"class", "meta"}})
      .element("code", comparison.run_a)
      .text(" → ")
      .element("code", comparison.run_b)
      .close();
  const std::string_view tone = comparison.change == Change::kFaster   ? "verdict good"
                                : comparison.change == Change::kSlower ? "verdict bad"
                                                                       : "verdict";
  html.open("div", {{"class", tone}})
      .element("p", render_in(language, comparison.verdict), {{"class", "outcome"}});
  if (comparison.speedup)
    html.element("p", render_in(language, gain_sentence(*comparison.speedup)), {{"class", "summary"}});
  html.close().close();
  predictions(html, language, comparison);
  metrics(html, language, comparison);
  changes(html, language, comparison);
  if (comparison.remarks.empty()) return;
  html.open("section").element("h2", say(language, "Hard to compare")).open("ul");
  for (const Text& remark : comparison.remarks) html.element("li", render_in(language, remark));
  html.close().close();
}

}  // namespace forebay
