#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_writer.h"
#include "report/log_excerpt.h"
#include "report/page_data.h"
#include "report/report_json.h"
#include "unit/report/example_reports.h"

namespace forebay {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const example_reports::Report& report, const HtmlOptions& options = {}) {
  return render_html(report.record, report.diagnosis, report.bill, options);
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

TEST(HtmlWriter, EscapesTextAndAttributes) {
  HtmlWriter html;
  html.element("p", "a<b & \"c\" 'd'\x1b", {{"title", "\"><script>"}});
  EXPECT_EQ(html.take(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">a&lt;b &amp; &quot;c&quot; &#39;d&#39;\xEF\xBF\xBD</p>\n");
}

TEST(HtmlWriter, JsonInAScriptCannotEndIt) {
  const std::string safe = script_safe(Json("</script><!--&").dump());
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(safe, "x")->string_or_empty(), "</script><!--&");
}

TEST(HtmlReport, HoldsTheFindingInBothLanguagesAndNoAddressOfAnythingElse) {
  const std::string page = page_of(example_reports::data_stall(), {.language = "zh_CN"});
  EXPECT_THAT(page,
              testing::AllOf(HasSubstr("lang=\"zh-CN\""), HasSubstr("num_workers=0"), HasSubstr("诊断结论"),
                             HasSubstr("Findings"), HasSubstr("Content-Security-Policy")));
  EXPECT_THAT(page, HasSubstr("<main lang=\"en\" hidden>"));
  for (const char* address : {"src=", "href=", "url(", "@import", "https://"})
    EXPECT_THAT(page, Not(HasSubstr(address))) << address;
}

TEST(HtmlReport, NothingOfTheRunBecomesMarkup) {
  auto report = example_reports::simple(example_runs::hostile(), Verdict::kFindings, "{0}", 4);
  report.diagnosis.summary.args = {"<script>"};
  const std::string page = page_of(report, {.log_tail = "<script>alert(1)</script>\x1b[31m"});
  EXPECT_EQ(count_of(page, "<script"), 2u);
  EXPECT_EQ(count_of(page, "</script"), 2u);
  EXPECT_EQ(count_of(page, "<img"), 0u);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST(HtmlReport, ALongRunMakesASmallPage) {
  EXPECT_LT(
      page_of(example_reports::simple(example_runs::long_run(200'000), Verdict::kNothingWrong, "", 10'000))
          .size(),
      2'000'000u);
}

TEST(HtmlReport, AHugeRecordMakesASmallPage) {
  auto report = example_reports::simple(example_runs::healthy(), Verdict::kNothingWrong, "", 240);
  Json packages = Json::object();
  for (int i = 0; i < 50'000; ++i) packages.set("package-" + std::to_string(i), std::string(100, 'x'));
  report.record.environment = Json::object({{"packages", packages}});
  EXPECT_LT(page_of(report, {.log_tail = std::string(50'000'000, 'y')}).size(), 2'000'000u);
}

TEST(HtmlReport, EmptyRecordsStillMakeAPage) {
  EXPECT_THAT(render_html(RunRecord{}, Diagnosis{}, Bill{}, {}), HasSubstr("</html>"));
  EXPECT_THAT(render_comparison_html({RunRecord{}, Diagnosis{}, Bill{}}, {RunRecord{}, Diagnosis{}, Bill{}},
                                     Comparison{}, {}),
              HasSubstr("</html>"));
}

TEST(PagePlots, AbsentIsNullAndNotZeroAndSeriesAreThinned) {
  const Json plots = page_plots(example_runs::gpu());
  const auto& points = plots["gpu"]["series"].at(0)["points"].items();
  EXPECT_TRUE(std::ranges::any_of(points, [](const Json& point) { return point.at(1).is_null(); }));
  EXPECT_EQ(plots["gpu"]["series"].size(), 1u);  // the second GPU's utilization was never read
  EXPECT_EQ(plots["gpu_memory"]["series"].size(), 2u);
  const Json many = page_plots(example_runs::long_run());
  EXPECT_LE(many["cpu"]["series"].at(0)["points"].size(), 2000u);
  EXPECT_LE(many["steps"]["buckets"].size(), 400u);
  EXPECT_EQ(page_plots(RunRecord{}).size(), 0u);
}

TEST(LogExcerpt, ShowsWhatATerminalWouldShow) {
  EXPECT_EQ(log_excerpt("one\n\x1b[31mtwo\x1b[0m\n\x1b]0;title\x07three\r\n", 10),
            (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(log_excerpt("10 %\r50 %\r100 %\n", 10), (std::vector<std::string>{"100 %"}));
  EXPECT_EQ(log_excerpt("a\nb\nc\n", 2), (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(log_excerpt("", 2).empty());
  EXPECT_LE(log_excerpt(std::string(1'000'000, 'x'), 2).front().size(), 510u);
  for (const char* torn : {"\x1b", "\x1b[", "\x1b]0;abc", "\x1b[31", "a\x1b"}) log_excerpt(torn, 3);
}

TEST(ReportJson, UnknownIsNull) {
  const auto report =
      example_reports::simple(example_runs::nothing_measured(), Verdict::kNotEnoughEvidence, "", 0);
  const Json json = report_json(report.record, report.diagnosis, report.bill);
  EXPECT_TRUE(json["step"].is_null());
  EXPECT_TRUE(json["machine"]["cpu_cores"]["mean"].is_null());
  EXPECT_TRUE(json["outcome"].is_null());
  EXPECT_NEAR(
      *report_json(example_runs::data_stall(), {}, {})["step"]["parts"]["data_wait"]["share"].as_double(),
      0.71, 0.01);
}

}  // namespace
}  // namespace forebay
