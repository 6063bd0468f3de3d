// The HTML report: one self-contained file (no network, no external font or script; a Content-Security-Policy
// says so) with English and 简体中文 in it, light and dark, from 360 px to wide screens, printable. At most
// about 2 MB however long the run. Pure. Everything that comes from the run is escaped; it may be hostile.
#pragma once

#include <string>
#include <string_view>

#include "record/run_record.h"
#include "report/terminal.h"

namespace forebay {

struct HtmlOptions {
  std::string language = "en";  // shown first: "en" or "zh_CN"; the page has a switch
  std::string log_tail;         // the last bytes of the job's log, as written; may be empty
};

std::string render_html(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill,
                        const HtmlOptions& options);
std::string render_comparison_html(const ComparedRun& before, const ComparedRun& after,
                                   const Comparison& comparison, const HtmlOptions& options);

}  // namespace forebay
