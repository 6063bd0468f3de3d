// The page's fine print: settings and environment, every measured value with its origin, the end of the log.
#include <fmt/format.h>

#include <algorithm>

#include "report/headline.h"
#include "report/log_excerpt.h"
#include "report/page_sections.h"
#include "report/say.h"

namespace forebay {
namespace {

std::string value_text(const Json& value) {
  if (value.is_string()) return value.string_or_empty().substr(0, 2000);
  if (value.is_null()) return "";
  if (value.is_array() && std::ranges::all_of(value.items(), [](const Json& each) {
        return !each.is_array() && !each.is_object();
      })) {
    std::string text;
    for (const Json& each : value.items()) text += (text.empty() ? "" : ", ") + value_text(each);
    return text.substr(0, 2000);
  }
  if (value.is_bool() || value.is_number()) return value.dump();
  return value.dump().substr(0, 2000);
}

void row(HtmlWriter& html, const std::string& name, const Json& value, std::size_t& budget) {
  const std::string text = value_text(value);
  if (text.empty() || budget == 0) return;
  --budget;
  html.open("tr").element("th", name, {{"scope", "row"}}).element("td", text, {{"class", "code"}}).close();
}

// Scalars of an object, nested ones with dotted names; at most `budget` rows, so that a huge record cannot
// make a huge page.
void rows(HtmlWriter& html, const std::string& prefix, const Json& object, std::size_t& budget,
          int depth = 0) {
  for (const auto& [key, value] : object.members()) {
    const std::string name = prefix.empty() ? key.substr(0, 200) : prefix + "." + key.substr(0, 200);
    if (value.is_object() && depth < 3)
      rows(html, name, value, budget, depth + 1);
    else
      row(html, name, value, budget);
  }
}

void table(HtmlWriter& html, const std::string& title, const std::string& prefix, const Json& object,
           bool open) {
  if (object.size() == 0) return;
  std::size_t budget = 600;
  if (open)
    html.open("details", {{"open", ""}});
  else
    html.open("details");
  html.element("summary", title)
      .open("div", {{"class", "scroll"}})
      .open("table", {{"class", "settings"}})
      .open("tbody");
  rows(html, prefix, object, budget);
  html.close().close().close().close();
}

}  // namespace

void page_settings(HtmlWriter& html, const PageContext& page) {
  const std::string& language = page.language;
  html.open("section").element("h2", say(language, "Settings and environment"));
  Json run = Json::object({{"command", command_line(page.record)}});
  for (const char* key :
       {"cwd", "user", "host", "version", "parent", "isolate", "sample_hz", "price_per_hour"})
    if (const Json& value = page.record.launch[key]; !value.is_null()) run.set(key, value);
  table(html, say(language, "Run"), "", run, true);
  std::size_t shown = 0;
  for (const Json& process : page.record.hook["processes"].items()) {
    if (process["facts"].size() == 0 || ++shown > 8) continue;
    std::string title = say(language, "Training process {0}", {value_text(process["pid"])});
    if (process["rank"].as_integer().value_or(-1) >= 0)
      title += say(language, ", rank {0}", {value_text(process["rank"])});
    table(html, title, "", process["facts"], shown == 1);
  }
  table(html, say(language, "Job"), "", page.record.job, false);
  table(html, say(language, "Machine"), "", page.record.machine, false);
  table(html, say(language, "Environment"), "", page.record.environment, false);
  html.close();
}

void page_measured(HtmlWriter& html, const PageContext& page) {
  const MetricSet metrics = summarise(page.record);
  if (metrics.values().empty()) return;
  const std::string& language = page.language;
  html.open("section").element("h2", say(language, "Everything that was measured")).open("details");
  html.element("summary",
               say(language, "{0} values, each with its origin", {std::to_string(metrics.values().size())}));
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  for (const auto& title : {say(language, "what"), say(language, "value"), say(language, "observations"),
                            say(language, "name"), say(language, "origin")})
    html.element("th", title, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const MeasuredValue& value : metrics.values()) {
    html.open("tr")
        .element("th", say(language, metric_meaning(value.name)), {{"scope", "row"}})
        .element("td", format_measure(value.value, value.unit), {{"class", "number"}});
    html.element("td", std::to_string(value.n), {{"class", "number"}})
        .element("td", value.name, {{"class", "code"}})
        .element("td", value.origin, {{"class", "note"}})
        .close();
  }
  html.close().close().close().close().close();
}

void page_log(HtmlWriter& html, const PageContext& page) {
  const auto lines = log_excerpt(page.log_tail, 200);
  if (lines.empty()) return;
  const bool failed = headline_of(page.record).kind == Headline::Kind::kBad;
  html.open("section").element("h2", say(page.language, "End of the log"));
  if (failed)
    html.open("details", {{"open", ""}});
  else
    html.open("details");
  html.element("summary", say(page.language, "last {0} lines", {std::to_string(lines.size())}))
      .open("pre", {{"class", "log"}, {"tabindex", "0"}});
  for (const std::string& line : lines) html.text(line).text("\n");
  html.close().close().close();
}

}  // namespace forebay
