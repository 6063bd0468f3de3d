// report_gallery FOLDER [rules]: writes the terminal report (English and Chinese, with and without colour)
// and the HTML page of every example run into FOLDER. With "rules" the findings come from the real rules,
// otherwise from the examples. For looking, and for check_pages.py.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/text.h"
#include "report/html.h"
#include "report/report_json.h"
#include "report/terminal.h"
#include "unit/report/example_reports.h"

namespace forebay {
namespace {

void write(const std::string& path, const std::string& content) {
  if (const auto written = write_file_atomic(path, content, 0644); !written)
    fmt::print(stderr, "{}\n", written.error().sentence());
}

void write_report(const std::string& folder, const example_reports::Report& report) {
  const std::string base = folder + "/" + report.record.id;
  for (const char* language : {"en", "zh_CN"}) {
    set_language(language);
    for (const bool colour : {false, true}) {
      const TerminalStyle style{80, colour, true};
      write(fmt::format("{}.{}{}.txt", base, language, colour ? ".colour" : ""),
            render_terminal(report.record, report.diagnosis, report.bill, style,
                            "/home/ada/.local/state/forebay/runs/" + report.record.id + "/report.html"));
    }
    HtmlOptions options;
    options.language = language;
    options.log_tail = "epoch 1/3\nstep=120 loss=0.4123\n\x1b[31mwarning\x1b[0m: <script>alert(1)</script>\n";
    write(fmt::format("{}.{}.html", base, language),
          render_html(report.record, report.diagnosis, report.bill, options));
  }
  set_language("en");
  write(base + ".json", report_json(report.record, report.diagnosis, report.bill).dump(2) + "\n");
}

void write_comparison(const std::string& folder) {
  const auto a = example_reports::data_stall(), b = example_reports::fixed();
  const ComparedRun before{a.record, a.diagnosis, a.bill}, after{b.record, b.diagnosis, b.bill};
  const Comparison comparison = example_reports::comparison();
  for (const char* language : {"en", "zh_CN"}) {
    set_language(language);
    write(fmt::format("{}/compare.{}.txt", folder, language),
          render_comparison(before, after, comparison, TerminalStyle{80, false, true}));
    HtmlOptions options;
    options.language = language;
    write(fmt::format("{}/compare.{}.html", folder, language),
          render_comparison_html(before, after, comparison, options));
  }
}

int run(int count, char** arguments) {
  if (count < 2) return 2;
  const std::string folder = arguments[1];
  const bool rules = count > 2 && std::strcmp(arguments[2], "rules") == 0;
  if (!make_directories(folder)) return 1;
  auto reports = example_reports::all();
  reports.push_back(
      example_reports::simple(example_runs::long_run(), Verdict::kNothingWrong, "Nothing stands out.", 5000));
  for (auto& report : reports) {
    if (rules) {
      report.diagnosis = diagnose(report.record);
      report.bill = compute_bill(report.record);
    }
    write_report(folder, report);
  }
  write_comparison(folder);
  return 0;
}

}  // namespace
}  // namespace forebay

int main(int count, char** arguments) {
  return forebay::run(count, arguments);
}
