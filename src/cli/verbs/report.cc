// forebay report and compare.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/output_file.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "diagnosis/comparison.h"
#include "report/html.h"
#include "report/report_json.h"
#include "report/terminal.h"

namespace forebay {
namespace {

class ReportVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`", false);
    line.flag("--html", html_, "also write the report as one self-contained HTML page and print its path");
    line.option("-o,--output", output_, "FILE", "where the HTML page goes (implies --html)");
  }

  Result<int> run(const Console& console) override {
    if (output_) FOREBAY_CHECK(check_output_file(*output_));
    FOREBAY_TRY(OpenRuns open, open_runs());
    say_reconciled(open, console);
    FOREBAY_TRY(const RunRow row, open.runs.find(run_.empty() ? "last" : run_));
    const RunDirectory directory = open.directory_of(row);
    FOREBAY_TRY(const RunView view, load_run_view(directory));
    std::string path;
    if (html_ || output_) {
      FOREBAY_TRY(path, write_html_report(view, directory, output_.value_or("")));
    }
    if (console.json) {
      Json json = report_json(view.record, view.diagnosis, view.bill);
      if (!path.empty()) json.set("html", path);
      console.print_json(json);
      return 0;
    }
    console.print(render_terminal(view.record, view.diagnosis, view.bill, style_of(console), path));
    return 0;
  }

 private:
  std::string run_;
  std::optional<std::string> output_;
  bool html_ = false;
};

class CompareVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("BEFORE", before_, "the run before the change");
    line.positional("AFTER", after_, "the run after it");
    line.option("-o,--output", output_, "FILE", "also write the comparison as one self-contained HTML page");
  }

  Result<int> run(const Console& console) override {
    if (output_) FOREBAY_CHECK(check_output_file(*output_));
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const RunRow before_row, open.runs.find(before_));
    FOREBAY_TRY(const RunRow after_row, open.runs.find(after_));
    FOREBAY_TRY(const RunView before, load_run_view(open.directory_of(before_row)));
    FOREBAY_TRY(const RunView after, load_run_view(open.directory_of(after_row)));
    const Comparison comparison = compare(before.record, after.record);
    const ComparedRun a{before.record, before.diagnosis, before.bill},
        b{after.record, after.diagnosis, after.bill};
    if (output_) {
      HtmlOptions options;
      options.language = std::string(current_language());
      FOREBAY_CHECK(write_output_file(*output_, render_comparison_html(a, b, comparison, options)));
    }
    if (console.json)
      console.print_json(comparison_json(a, b, comparison));
    else
      console.print(render_comparison(a, b, comparison, style_of(console)));
    return 0;
  }

 private:
  std::string before_, after_;
  std::optional<std::string> output_;
};

}  // namespace

VerbInfo report_verb_info() {
  return {"report",
          "Understand",
          "what happened, why it was slow, what it cost, what to change",
          "Reads the run record and says how the run ended, what limited it (cause, evidence, fix, expected "
          "gain), where the time went, and the bill. What was not measured is said to be unknown. "
          "Works while the run goes on, too.",
          "$ forebay report last\n$ forebay report train --html\n$ forebay --lang zh_CN report last -o "
          "report.html",
          make_verb<ReportVerb>};
}

VerbInfo compare_verb_info() {
  return {"compare",
          "Understand",
          "two runs side by side: predicted beside measured",
          "Shows what changed between two runs (settings, environment, code), how the time per step and its "
          "parts moved, and whether the gain that the first run's report promised was reached.",
          "$ forebay compare photos photos-fixed",
          make_verb<CompareVerb>};
}

}  // namespace forebay
