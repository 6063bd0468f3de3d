#include "report/html.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include "base/embedded.h"
#include "base/text.h"
#include "report/headline.h"
#include "report/page_data.h"
#include "report/page_sections.h"
#include "report/say.h"
#include "version.h"

namespace forebay {
namespace {

std::string page_file(std::string_view name) {
  return std::string(embedded_file("src/report/page/" + std::string(name)).value_or(""));
}

// 'sha256-…' of an inline script or style, for the Content-Security-Policy: nothing else on the page can run.
std::string content_hash(const std::string& content) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(content.data()), content.size());
  std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)> text;
  sodium_bin2base64(text.data(), text.size(), digest.data(), digest.size(), sodium_base64_VARIANT_ORIGINAL);
  return "'sha256-" + std::string(text.data()) + "'";
}

// Replaces each {{name}} of the template once, left to right; values are never looked at again, so nothing in
// them is obeyed.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string result;
  while (true) {
    const std::size_t at = page.find("{{");
    const std::size_t end = at == std::string_view::npos ? at : page.find("}}", at);
    if (end == std::string_view::npos) return result.append(page);
    result.append(page.substr(0, at));
    const std::string_view name = page.substr(at + 2, end - at - 2);
    for (const auto& [known, value] : values)
      if (known == name) result.append(value);
    page.remove_prefix(end + 2);
  }
}

// Words that the script shows, in both languages.
Json script_words() {
  Json words = Json::object();
  for (const std::string language : {"en", "zh_CN"}) {
    Json each = Json::object();
    const auto add = [&](std::string_view key, const std::string& text) { each.set(key, text); };
    add("table", say(language, "Show as a table"));
    add("hide", say(language, "Hide the table"));
    add("time", say(language, "time"));
    add("step", say(language, "step"));
    add("steps", say(language, "steps"));
    add("limit", say(language, "limit"));
    add("gap", say(language, "not read"));
    add("total", say(language, "together"));
    add("cores", say(language, "cores"));
    add("auto", say(language, "Theme: automatic"));
    add("light", say(language, "Theme: light"));
    add("dark", say(language, "Theme: dark"));
    add("keys", say(language, "Arrow keys move through the values."));
    words.set(language, each);
  }
  return words;
}

std::string assemble(const std::string& title, const HtmlOptions& options, const Json& data,
                     const std::string& english, const std::string& chinese) {
  const std::string style = page_file("report.css"), script = page_file("plot.js") + page_file("page.js");
  const std::string_view language = supported_language(options.language);
  const std::string policy = "default-src 'none'; script-src " + content_hash(script) + "; style-src " +
                             content_hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'";
  return filled(page_file("report.html"), {{"lang", language == "zh_CN" ? "zh-CN" : "en"},
                                           {"title", html_escaped(title)},
                                           {"policy", policy},
                                           {"style", style},
                                           {"script", script},
                                           {"data", script_safe(data.dump())},
                                           {"english", english},
                                           {"chinese", chinese},
                                           {"hide_english", language == "zh_CN" ? "hidden" : ""},
                                           {"hide_chinese", language == "zh_CN" ? "" : "hidden"},
                                           {"version", html_escaped(FOREBAY_VERSION)}});
}

std::string body(const PageContext& page) {
  HtmlWriter html;
  page_header(html, page);
  page_findings(html, page);
  page_step(html, page);
  page_machine(html, page);
  page_timeline(html, page);
  page_cost(html, page);
  page_outputs(html, page);
  page_coverage(html, page);
  page_log(html, page);
  page_settings(html, page);
  page_measured(html, page);
  return html.take();
}

}  // namespace

std::string render_html(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill,
                        const HtmlOptions& options) {
  const Json plots = page_plots(record);
  const std::string english = body({"en", record, diagnosis, bill, plots, options.log_tail});
  const std::string chinese = body({"zh_CN", record, diagnosis, bill, plots, options.log_tail});
  const Json data = Json::object({{"plots", plots}, {"words", script_words()}});
  return assemble(run_name(record) + " · " + record.id, options, data, english, chinese);
}

std::string render_comparison_html(const ComparedRun& before, const ComparedRun& after,
                                   const Comparison& comparison, const HtmlOptions& options) {
  HtmlWriter english, chinese;
  page_comparison(english, "en", before, after, comparison);
  page_comparison(chinese, "zh_CN", before, after, comparison);
  const Json data = Json::object({{"plots", Json::object()}, {"words", script_words()}});
  return assemble(comparison.run_a + " → " + comparison.run_b, options, data, english.take(), chinese.take());
}

}  // namespace forebay
