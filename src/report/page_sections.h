// The sections of the HTML page, each in one stated language. Internal to the room.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "cost/bill.h"
#include "diagnosis/comparison.h"
#include "diagnosis/finding.h"
#include "record/run_record.h"
#include "report/html_writer.h"
#include "report/terminal.h"

namespace forebay {

// What a section needs; `language` is "en" or "zh_CN".
struct PageContext {
  std::string language;
  const RunRecord& record;
  const Diagnosis& diagnosis;
  const Bill& bill;
  const Json& plots;  // page_plots(record)
  std::string_view log_tail;
};

void page_header(HtmlWriter& html, const PageContext& page);
void page_findings(HtmlWriter& html, const PageContext& page);
void page_step(HtmlWriter& html, const PageContext& page);
void page_machine(HtmlWriter& html, const PageContext& page);
void page_timeline(HtmlWriter& html, const PageContext& page);
void page_cost(HtmlWriter& html, const PageContext& page);
void page_coverage(HtmlWriter& html, const PageContext& page);
void page_outputs(HtmlWriter& html, const PageContext& page);
void page_settings(HtmlWriter& html, const PageContext& page);
void page_measured(HtmlWriter& html, const PageContext& page);
void page_log(HtmlWriter& html, const PageContext& page);
void page_comparison(HtmlWriter& html, std::string_view language, const ComparedRun& before,
                     const ComparedRun& after, const Comparison& comparison);

// A figure that plot.js fills; `id` names an entry of the plots. Nothing when there is no such entry.
void page_figure(HtmlWriter& html, const PageContext& page, std::string_view id, std::string_view title,
                 std::string_view note);
// "badge good", "badge bad" …: the CSS class of a tone.
std::string_view css_class(Tone tone);

}  // namespace forebay
