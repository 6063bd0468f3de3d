// The page's numbers: the step's parts, plots, the timeline of states, the bill, the outputs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/headline.h"
#include "report/page_data.h"
#include "report/page_sections.h"
#include "report/say.h"
#include "report/series.h"
#include "report/step_parts.h"

namespace forebay {
namespace {

std::string bytes_text(double bytes) {
  return format_bytes(Bytes{static_cast<std::int64_t>(std::clamp(bytes, 0.0, 9e18))});
}

// The names of jobs/run_state.h, which this room may not see.
constexpr std::array kStateNames{
    msgid("queued"),    msgid("planning"),   msgid("provisioning"), msgid("preparing"), msgid("staging"),
    msgid("running"),   msgid("saving"),     msgid("releasing"),    msgid("finished"),  msgid("failed"),
    msgid("cancelled"), msgid("recovering"), msgid("unreachable")};
std::string state_text(std::string_view language, const std::string& name) {
  const auto known = std::ranges::find(kStateNames, name);
  return known == kStateNames.end() ? name : say(language, *known);
}

// One bar with all parts side by side.
void parts_bar(HtmlWriter& html, const PageContext& page, const StepSummary& parts) {
  html.open("svg", {{"class", "partsbar"},
                    {"viewBox", "0 0 1000 40"},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", say(page.language, "Where a step's time goes")}});
  double at = 0;
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    const double width = parts.share(i) * 1000;
    if (width <= 0) continue;
    html.open("rect", {{"class", fmt::format("part-{}", step_part_table()[i].id)},
                       {"x", fmt::format("{:.2f}", at)},
                       {"width", fmt::format("{:.2f}", std::max(width - 1.5, 0.5))},
                       {"height", "40"}});
    html.element("title", say(page.language, step_part_table()[i].label) + " " + percent(parts.share(i)))
        .close();
    at += width;
  }
  html.close();
}

void parts_table(HtmlWriter& html, const PageContext& page, const StepSummary& parts) {
  html.open("div", {{"class", "scroll"}}).open("table", {{"class", "parts"}}).open("thead").open("tr");
  html.element("th", say(page.language, "part"), {{"scope", "col"}})
      .element("th", say(page.language, "share"), {{"scope", "col"}, {"class", "number"}});
  html.element("th", say(page.language, "per step"), {{"scope", "col"}, {"class", "number"}})
      .element("th", say(page.language, "together"), {{"scope", "col"}, {"class", "number"}});
  html.close().close().open("tbody");
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    if (parts.seconds[i] <= 0) continue;
    html.open("tr").open("th", {{"scope", "row"}});
    html.open("span", {{"class", fmt::format("key part-{}", step_part_table()[i].id)}})
        .close()
        .text(say(page.language, step_part_table()[i].label))
        .close();
    html.element("td", percent(parts.share(i)), {{"class", "number"}});
    html.element("td", step_time(Duration::from_seconds(parts.seconds[i] / static_cast<double>(parts.steps))),
                 {{"class", "number"}});
    html.element("td", step_time(Duration::from_seconds(parts.seconds[i])), {{"class", "number"}}).close();
  }
  html.close().close().close();
}

std::string mean_and_peak(const PageContext& page, const Series& series, std::string (*text)(double)) {
  const auto mean = series.mean(), peak = series.maximum();
  if (!mean || !peak) return say(page.language, "not read");
  return say(page.language, "mean {0}, peak {1}", {text(*mean), text(*peak)});
}

std::string cores_text(double value) {
  return fmt::format("{:.1f}", value);
}
std::string rate_text(double value) {
  return bytes_text(value) + "/s";
}

std::string gpu_note(const PageContext& page) {
  std::string note;
  for (const int device : gpu_devices(page.record)) {
    const Series busy = gauge_series(page.record, Metric::kGpuUtilizationFraction, device, "", "", "1");
    note +=
        fmt::format("{}GPU {}: {}", note.empty() ? "" : " · ", device, mean_and_peak(page, busy, percent));
    if (gauge_series(page.record, Metric::kGpuLost, device, "", "", "1").maximum().value_or(0) > 0)
      note += " (" + say(page.language, "lost for a while") + ")";
  }
  return note;
}

std::string seconds_text(double seconds) {
  return step_time(Duration::from_seconds(std::clamp(seconds, 0.0, 9e9)));
}

}  // namespace

void page_figure(HtmlWriter& html, const PageContext& page, std::string_view id, std::string_view title,
                 std::string_view note) {
  if (page.plots[id].is_null()) return;
  html.open("figure", {{"class", "plot"}, {"data-plot", id}});
  html.open("figcaption").element("b", title);
  if (!note.empty()) html.text(" ").element("span", note, {{"class", "note"}});
  html.close();
  html.open("div", {{"class", "canvas"}})
      .open("noscript")
      .text(say(page.language, "The plot needs JavaScript; the numbers are in the tables."))
      .close()
      .close();
  html.close();
}

void page_step(HtmlWriter& html, const PageContext& page) {
  const auto parts = summarise_parts(page.record.steps);
  if (!parts) return;
  const std::string& language = page.language;
  html.open("section").element("h2", say(language, "Where a step's time goes"));
  std::string note = say(language, "{0} steps", {std::to_string(parts->steps)});
  if (parts->processes > 1)
    note += " · " + say(language, "{0} processes", {std::to_string(parts->processes)});
  note += " · " + say(language, "{0} each on average", {step_time(parts->mean_step())});
  if (const auto before = time_before_first_step(page.record))
    note += " · " + before_first_step_text(language, page.record, *before);
  html.element("p", note, {{"class", "note"}});
  parts_bar(html, page, *parts);
  parts_table(html, page, *parts);
  html.open("div", {{"class", "plots"}});
  page_figure(html, page, "steps", say(language, "Parts of a step over time"),
              say(language, "seconds per step"));
  page_figure(html, page, "data_wait", say(language, "Share of the step spent waiting for data"), "");
  page_figure(html, page, "loss", say(language, "Loss"), say(language, "from the output, over steps"));
  html.close().close();
}

void page_machine(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  bool any = false;
  for (const char* id : {"gpu", "gpu_memory", "gpu_power", "cpu", "memory", "disk", "network"})
    any = any || !page.plots[id].is_null();
  if (!any) return;
  const auto cores = core_count(page.record);
  const auto limit = memory_limit(page.record);
  const Series cpu = rate_series(page.record, Metric::kTreeCpuSeconds, "", "", "cores");
  html.open("section")
      .element("h2", say(language, "The machine over time"))
      .open("div", {{"class", "plots"}});
  page_figure(html, page, "gpu", say(language, "GPU utilization"), gpu_note(page));
  page_figure(html, page, "cpu", say(language, "CPU cores in use"),
              mean_and_peak(page, cpu, cores_text) +
                  (cores ? " " + say(language, "of {0}", {fmt::format("{:g}", *cores)}) : ""));
  page_figure(html, page, "memory", say(language, "Memory of the run"),
              mean_and_peak(page, memory_series(page.record), bytes_text) +
                  (limit ? " " + say(language, "of {0}", {bytes_text(*limit)}) : ""));
  page_figure(html, page, "gpu_memory", say(language, "GPU memory in use"), "");
  page_figure(html, page, "gpu_power", say(language, "GPU power"), "");
  page_figure(
      html, page, "disk", say(language, "Disk"),
      mean_and_peak(page, rate_series(page.record, Metric::kTreeReadBytes, "", "", "B/s"), rate_text));
  page_figure(html, page, "network", say(language, "Network of the machine"), "");
  html.close().close();
}

void page_timeline(HtmlWriter& html, const PageContext& page) {
  const auto spans = state_spans(page.record);
  if (spans.empty()) return;
  const std::string& language = page.language;
  const double end = std::max(spans.back().end, 1e-9);
  html.open("section").element("h2", say(language, "Timeline"));
  html.open("svg", {{"class", "timeline"},
                    {"viewBox", "0 0 1000 24"},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", say(language, "Timeline")}});
  for (const StateSpan& span : spans) {
    if (span.end <= span.begin) continue;
    html.open("rect",
              {{"class", span.name == "running" ? "state running" : "state"},
               {"x", fmt::format("{:.2f}", span.begin / end * 1000)},
               {"width", fmt::format("{:.2f}", std::max((span.end - span.begin) / end * 1000 - 1, 0.8))},
               {"height", "24"}});
    html.element("title", state_text(language, span.name) + " " + seconds_text(span.end - span.begin))
        .close();
  }
  html.close();
  html.open("div", {{"class", "scroll"}})
      .open("table")
      .open("thead")
      .open("tr")
      .element("th", say(language, "state"), {{"scope", "col"}});
  html.element("th", say(language, "began"), {{"scope", "col"}, {"class", "number"}})
      .element("th", say(language, "lasted"), {{"scope", "col"}, {"class", "number"}})
      .close()
      .close()
      .open("tbody");
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const bool last = i + 1 == spans.size();
    html.open("tr")
        .element("th", state_text(language, spans[i].name), {{"scope", "row"}})
        .element("td", "+" + seconds_text(spans[i].begin), {{"class", "number"}});
    html.element("td", last ? "" : seconds_text(spans[i].end - spans[i].begin), {{"class", "number"}})
        .close();
  }
  html.close().close().close().close();
}

void page_cost(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  const Bill& bill = page.bill;
  const auto money = [&](const std::optional<Money>& value) {
    return value ? format_money(*value) : say(language, "unknown");
  };
  html.open("section").element("h2", say(language, "Cost")).open("div", {{"class", "scroll"}}).open("table");
  html.open("thead")
      .open("tr")
      .element("th", "", {{"scope", "col"}})
      .element("th", say(language, "time"), {{"scope", "col"}, {"class", "number"}});
  html.element("th", say(language, "money"), {{"scope", "col"}, {"class", "number"}})
      .close()
      .close()
      .open("tbody");
  for (const BillLine& line : bill.lines)
    html.open("tr")
        .element("th", render_in(language, line.what), {{"scope", "row"}})
        .element("td", format_duration(line.duration), {{"class", "number"}})
        .element("td", money(line.money), {{"class", "number"}})
        .close();
  html.close()
      .open("tfoot")
      .open("tr")
      .element("th", say(language, "together"), {{"scope", "row"}})
      .element("td", format_duration(bill.duration), {{"class", "number"}});
  html.element("td", money(bill.total), {{"class", "number"}}).close().close().close().close();
  html.open("ul", {{"class", "notes"}});
  if (bill.price_per_hour)
    html.element("li", say(language, "{0} an hour", {format_money(*bill.price_per_hour)}) +
                           (bill.price_source.empty() ? "" : say(language, " ({0})", {bill.price_source})));
  for (const WastedMoney& wasted : bill.wasted)
    html.element("li", say(language, "{0} of it went to: {1}",
                           {wasted.money ? format_money(*wasted.money) : format_duration(wasted.duration),
                            render_in(language, wasted.title)}));
  for (const UnitCost& unit : bill.unit_costs) {
    if (unit.money) html.element("li", say(language, "{0} per {1}", {format_money(*unit.money), unit.unit}));
    if (unit.energy) html.element("li", say(language, "{0} per {1}", {energy_text(*unit.energy), unit.unit}));
  }
  if (bill.energy)
    html.element("li", say(language, "Energy: {0}", {energy_text(*bill.energy)}) +
                           (bill.energy_source.empty() ? "" : say(language, " ({0})", {bill.energy_source})));
  else
    html.element("li", say(language, "Energy: unknown; no counter could be read"));
  for (const Text& remark : bill.remarks) html.element("li", render_in(language, remark));
  if (!bill.rounding.empty() && bill.total) html.element("li", say(language, bill.rounding));
  html.close().close();
}

void page_outputs(HtmlWriter& html, const PageContext& page) {
  const auto& results = page.record.outputs["outputs"].items();
  if (results.empty()) return;
  const std::string& language = page.language;
  html.open("section")
      .element("h2", say(language, "Outputs"))
      .open("div", {{"class", "scroll"}})
      .open("table")
      .open("thead")
      .open("tr");
  for (const auto& title : {say(language, "from"), say(language, "to"), say(language, "files"),
                            say(language, "size"), say(language, "result")})
    html.element("th", title, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const Json& result : results) {
    double bytes = 0;
    for (const Json& file : result["files"].items()) bytes += file["bytes"].as_double().value_or(0);
    const bool failed = !result["error"].is_null();
    html.open("tr")
        .element("td", result["from"].string_or_empty(), {{"class", "code"}})
        .element("td", result["destination"].string_or_empty(), {{"class", "code"}});
    html.element("td", std::to_string(result["files"].size()), {{"class", "number"}})
        .element("td", bytes_text(bytes), {{"class", "number"}});
    const std::string& sentence = result["error"]["sentence"].is_string()
                                      ? result["error"]["sentence"].string_or_empty()
                                      : result["error"]["cause"].string_or_empty();
    const auto replaced = result["replaced"].as_integer().value_or(0);
    html.element(
            "td",
            (failed ? say(language, "failed: {0}", {sentence}) : say(language, "copied and verified")) +
                (!failed && replaced > 0 ? say(language, "; {0} of them replaced files that lay there before",
                                               {std::to_string(replaced)})
                                         : ""),
            {{"class", failed ? "bad" : "good"}})
        .close();
  }
  html.close().close().close().close();
}

}  // namespace forebay
