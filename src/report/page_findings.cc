// The page's sentences: header with the verdict, findings, what was not covered.
#include <fmt/format.h>

#include "record/outcome_words.h"
#include "report/headline.h"
#include "report/page_sections.h"
#include "report/say.h"
#include "report/series.h"
#include "report/step_parts.h"

namespace forebay {
namespace {

std::string_view outcome_class(Headline::Kind kind) {
  switch (kind) {
    case Headline::Kind::kRunning:
      return "verdict running";
    case Headline::Kind::kGood:
      return "verdict good";
    case Headline::Kind::kStopped:
      return "verdict warning";
    case Headline::Kind::kBad:
      return "verdict bad";
  }
  return "verdict";
}

void tile(HtmlWriter& html, std::string_view label, std::string_view value, std::string_view note = {},
          bool unknown = false) {
  html.open("div", {{"class", unknown ? "tile unknown" : "tile"}});
  html.element("dt", label).element("dd", value);
  if (!note.empty()) html.element("dd", note, {{"class", "note"}});
  html.close();
}

void tiles(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  const std::string unknown = say(language, "unknown");
  html.open("dl", {{"class", "tiles"}});
  const auto duration = run_duration(page.record);
  tile(html, say(language, "Duration"), duration ? format_duration(*duration) : unknown, {}, !duration);
  tile(html, say(language, "Cost"), page.bill.total ? format_money(*page.bill.total) : unknown,
       page.bill.price_per_hour ? say(language, "{0} an hour", {format_money(*page.bill.price_per_hour)})
                                : say(language, "no price known"),
       !page.bill.total);
  if (const auto parts = summarise_parts(page.record.steps)) {
    tile(html, say(language, "Waiting for data"), percent(parts->share(0)),
         say(language, "of the step time"));
    if (parts->median_step)
      tile(html, say(language, "Time per step"), step_time(*parts->median_step),
           say(language, "median of {0}", {std::to_string(parts->steps)}));
    if (parts->samples_per_second)
      tile(html, say(language, "Throughput"),
           fmt::format("{:.{}f} /s", *parts->samples_per_second, *parts->samples_per_second < 100 ? 1 : 0),
           say(language, "samples"));
  }
  const auto devices = gpu_devices(page.record);
  if (!devices.empty()) {
    double sum = 0;
    int known = 0;
    for (const int device : devices)
      if (const auto mean =
              gauge_series(page.record, Metric::kGpuUtilizationFraction, device, "", "", "1").mean()) {
        sum += *mean;
        ++known;
      }
    tile(html, say(language, "GPU busy"), known > 0 ? percent(sum / known) : unknown,
         say(language, "{0} of {1} GPUs read", {std::to_string(known), std::to_string(devices.size())}),
         known == 0);
  }
  tile(html, say(language, "Energy"), page.bill.energy ? energy_text(*page.bill.energy) : unknown,
       page.bill.energy ? page.bill.energy_source : say(language, "no counter could be read"),
       !page.bill.energy);
  html.close();
}

void gain_line(HtmlWriter& html, const PageContext& page, const Gain& gain) {
  std::string text = render_in(page.language, gain_sentence(gain));
  if (const auto predicted = predicted_step_sentence(gain))
    text += say(page.language, "; {0}", {render_in(page.language, *predicted)});
  html.open("p", {{"class", "gain"}});
  html.element("b", say(page.language, "Expected gain")).text(" ").text(text).close();
}

void finding_card(HtmlWriter& html, const PageContext& page, const Finding& finding, std::size_t number) {
  const std::string& language = page.language;
  const std::string_view kind = finding.kind == FindingKind::kFailure ? "finding bad"
                                : finding.kind == FindingKind::kTime  ? "finding warning"
                                                                      : "finding risk";
  html.open("article", {{"class", kind}});
  html.open("h3")
      .element("span", std::to_string(number), {{"class", "number"}})
      .text(render_in(language, finding.title))
      .close();
  if (finding.share) {
    const double share = std::min(std::max(finding.share->value, 0.0), 1.0);
    html.open("div", {{"class", "loss"}});
    html.open("svg", {{"class", "meter"},
                      {"viewBox", "0 0 100 4"},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
    html.open("rect", {{"class", "track"}, {"width", "100"}, {"height", "4"}}).close();
    html.open("rect", {{"class", "fill"}, {"width", fmt::format("{:.1f}", share * 100)}, {"height", "4"}})
        .close();
    html.close();
    std::string text = say(language, "{0} of the time", {percent(finding.share->value)});
    if (finding.seconds_lost)
      text += " · " + say(language, "{0} lost", {format_duration(*finding.seconds_lost)});
    html.element("span", text).close();
  }
  if (!finding.evidence.empty()) {
    html.element("h4", say(language, "Evidence")).open("ul");
    for (const Text& line : finding.evidence) html.element("li", render_in(language, line));
    html.close();
  }
  if (!finding.fixes.empty()) {
    html.element("h4", say(language, "Fix"));
    html.open("ol", {{"class", "fixes"}});
    for (const Fix& fix : finding.fixes) {
      html.open("li").element("p", render_in(language, fix.text), {{"class", "fix"}});
      if (fix.gain) gain_line(html, page, *fix.gain);
      html.close();
    }
    html.close();
  }
  std::string confidence =
      say(language, "Confidence: {0}", {std::string(confidence_name(finding.confidence))});
  if (!finding.confidence_reason.empty())
    confidence += say(language, "; {0}", {render_in(language, finding.confidence_reason)});
  html.element("p", confidence, {{"class", "confidence"}});
  html.open("details")
      .element("summary", say(language, "Numbers behind it"))
      .open("div", {{"class", "scroll"}})
      .open("table");
  for (const auto& [name, value] : finding.metrics) {
    html.open("tr")
        .element("th", say(language, metric_meaning(name)), {{"scope", "row"}})
        .element("td", name, {{"class", "code"}})
        .element("td", fmt::format("{:.6g}", value), {{"class", "number"}})
        .close();
  }
  html.open("tr")
      .element("th", say(language, "rule"), {{"scope", "row"}})
      .element("td", finding.id, {{"class", "code"}})
      .element("td", "")
      .close();
  html.close().close().close();
  html.close();
}

}  // namespace

void page_header(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  const Headline headline = headline_of(page.record);
  html.open("header", {{"class", "run"}});
  html.element("h1", run_name(page.record));
  html.open("p", {{"class", "meta"}}).element("code", page.record.id);
  if (page.record.outcome && page.record.outcome->started) {
    const std::string at = format_instant(*page.record.outcome->started);
    html.text(" · ").element("time", at, {{"datetime", at}});
  }
  if (const std::string& host = page.record.launch["host"].string_or_empty(); !host.empty())
    html.text(" · ").text(host);
  html.close();
  if (const std::string command = command_line(page.record); !command.empty())
    html.open("pre", {{"class", "command"}}).element("code", command).close();
  html.open("div", {{"class", outcome_class(headline.kind)}});
  html.element("p", render_in(language, headline.sentence), {{"class", "outcome"}});
  if (!page.diagnosis.summary.empty())
    html.element("p", render_in(language, page.diagnosis.summary), {{"class", "summary"}});
  if (!headline.detail.empty()) html.element("p", outcome_sentence_in(language, headline.detail));
  if (headline.kind == Headline::Kind::kBad)
    if (const auto lines = last_error_lines(page.record); !lines.empty()) {
      html.open("pre", {{"class", "error"}});
      for (const std::string& line : lines) html.text(line).text("\n");
      html.close();
    }
  html.close();
  tiles(html, page);
  html.close();
}

void page_findings(HtmlWriter& html, const PageContext& page) {
  html.open("section", {{"class", "findings"}}).element("h2", say(page.language, "Findings"));
  if (page.diagnosis.findings.empty()) {
    html.element("p",
                 page.diagnosis.summary.empty() ? say(page.language, "none")
                                                : render_in(page.language, page.diagnosis.summary),
                 {{"class", "quiet"}});
  }
  std::size_t number = 0;
  for (const Finding& finding : page.diagnosis.findings) finding_card(html, page, finding, ++number);
  html.close();
}

void page_coverage(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  if (page.diagnosis.remarks.empty() && page.record.damage.empty() && page.diagnosis.not_judged.empty())
    return;
  html.open("section").element("h2", say(language, "Not covered"));
  if (!page.diagnosis.remarks.empty() || !page.record.damage.empty()) {
    html.open("ul");
    for (const Text& remark : page.diagnosis.remarks) html.element("li", render_in(language, remark));
    for (const std::string& damage : page.record.damage) html.element("li", damage);
    html.close();
  }
  if (!page.diagnosis.not_judged.empty()) {
    html.open("details").element("summary", say(language, "Not judged, because too little was measured ({0})",
                                                {std::to_string(page.diagnosis.not_judged.size())}));
    html.open("div", {{"class", "scroll"}})
        .open("table")
        .open("tr")
        .element("th", say(language, "Finding"), {{"scope", "col"}})
        .element("th", say(language, "Why not"), {{"scope", "col"}})
        .close();
    for (const NotJudged& rule : page.diagnosis.not_judged)
      html.open("tr")
          .element("td", render_in(language, rule.title))
          .element("td", render_in(language, rule.reason))
          .close();
    html.close().close().close();
  }
  html.close();
}

std::string_view css_class(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kWarning:
      return "warning";
    case Tone::kBad:
      return "bad";
    default:
      return "quiet";
  }
}

}  // namespace forebay
