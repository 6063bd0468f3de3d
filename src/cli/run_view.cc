#include "cli/run_view.h"

#include <fmt/format.h>
#include <signal.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "record/log_file.h"
#include "report/html.h"

namespace forebay {

Result<RunView> load_run_view(const RunDirectory& directory) {
  FOREBAY_TRY(RunRecord record, load_run_record(directory));
  RunView view{std::move(record), {}, {}};
  view.diagnosis = diagnose(view.record);
  view.record.findings = view.diagnosis.to_json();
  view.bill = compute_bill(view.record);
  return view;
}

TerminalStyle style_of(const Console& console) {
  TerminalStyle style;
  style.width = console.width;
  style.colour = console.colour;
  // The bare C locale of containers still shows UTF-8; only an explicitly other charset does not.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const auto value = environment_variable(name); value && !value->empty()) {
      const bool plain = value->find("ISO") != std::string::npos ||
                         value->find("8859") != std::string::npos || *value == "POSIX";
      style.unicode = !plain;
      break;
    }
  return style;
}

int leave_unread(const Console& console, const std::string& run) {
  console.remark(fmt::format(
      fmt::runtime(tr(
          "nobody reads the output any more; run {0} goes on (`forebay logs -f {0}`, `forebay stop {0}`)")),
      run));
  return 128 + SIGPIPE;
}

Result<std::string> write_html_report(const RunView& view, const RunDirectory& directory,
                                      const std::string& target) {
  HtmlOptions options;
  options.language = std::string(current_language());
  options.log_tail = read_log_tail(directory, 16 << 10);
  const std::string path = target.empty() ? directory.file("report.html") : absolute_path(target);
  FOREBAY_CHECK(write_output_file(path, render_html(view.record, view.diagnosis, view.bill, options)));
  return path;
}

void say_reconciled(const OpenRuns& open, const Console& console) {
  if (console.json) return;
  for (const Reconciled& each : open.reconciled) {
    console.remark(fmt::format(fmt::runtime(tr("run {0} had lost its supervisor and was closed ({1})")),
                               each.run, outcome_cause_name(each.cause)));
    for (const std::int64_t pid : each.survivors)
      console.remark(fmt::format(
          fmt::runtime(tr("process {0} of run {1} could not be ended; look at it by hand")), pid, each.run));
  }
}

}  // namespace forebay
