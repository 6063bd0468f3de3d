#include "report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "report/html.h"
#include "report/report_json.h"
#include "report/text_width.h"
#include "unit/report/example_reports.h"

namespace forebay {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string rendered(const example_reports::Report& report, const TerminalStyle& style = {}) {
  return render_terminal(report.record, report.diagnosis, report.bill, style, "/tmp/report.html");
}

TEST(TerminalReport, NoLineIsWiderThanTheTerminalInAnyLanguage) {
  for (const char* language : {"en", "zh_CN"}) {
    set_language(language);
    for (const auto& report : example_reports::all())
      for (const int width : {40, 60, 80, 132})
        for (const bool unicode : {true, false}) {
          std::istringstream stream(rendered(report, {.width = width, .unicode = unicode}));
          for (std::string line; std::getline(stream, line);)
            EXPECT_LE(display_width(line), width) << report.record.id << ": " << line;
        }
  }
  set_language("en");
}

TEST(TerminalReport, VerdictFirstThenTheCauseWithEvidenceFixAndGain) {
  auto report = example_reports::data_stall();
  report.record.outcome = Outcome{};
  report.record.outcome->cause = OutcomeCause::kSucceeded;
  report.record.outcome->duration = Duration::from_seconds(135.6);
  const std::string text = rendered(report);
  const std::vector<std::string> expected{"photos",
                                          "✓ Succeeded in 2 min 16 s",
                                          "71 % of the time was spent waiting",
                                          "Findings",
                                          "num_workers=0",
                                          "each step waited 724 ms",
                                          "→ Give the DataLoader",
                                          "3.20× as fast",
                                          "confidence:",
                                          "data wait",
                                          "Machine",
                                          "Cost",
                                          "Not covered",
                                          "report.html",
                                          "forebay compare"};
  std::size_t at = 0;
  for (const std::string& each : expected) {
    at = text.find(each, at);
    ASSERT_NE(at, std::string::npos) << each << " in\n" << text;
  }
}

TEST(TerminalReport, TheTimeBeforeTheFirstStepIsSaidWhereItIsKnown) {
  RunRecordBuilder builder;
  builder.samples(0, 100, [&](double at, Sample& sample) { builder.usual(at, sample, 2, 1e9, 1e6); })
      .steps(23, 70, 1.0, {.data_wait = 0.1, .forward = 0.4, .backward = 0.5}, 32)
      .outcome(OutcomeCause::kSucceeded, 100);
  RunRecord record = builder.build();
  const auto text = [&] { return render_terminal(record, {}, {}, {}, ""); };
  EXPECT_THAT(text(), HasSubstr("23.0 s before the first step (23 % of the run)"));
  EXPECT_NEAR(*report_json(record, {}, {})["step"]["before_first_step_seconds"].as_double(), 23, 0.01);
  HtmlOptions options;
  options.language = "en";
  EXPECT_THAT(render_html(record, {}, {}, options), HasSubstr("23.0 s before the first step"));
  record.samples.clear();  // nothing says when it began
  EXPECT_THAT(text(), Not(HasSubstr("before the first step")));
  EXPECT_TRUE(report_json(record, {}, {})["step"]["before_first_step_seconds"].is_null());
  record.steps.clear();
  EXPECT_THAT(text(), Not(HasSubstr("before the first step")));
}

TEST(TerminalReport, UnknownMoneyIsUnknownAndNeverZero) {
  const std::string text = rendered(example_reports::data_stall());
  EXPECT_THAT(text, HasSubstr("cost unknown"));
  EXPECT_THAT(text, Not(HasSubstr("0.00 ")));
  EXPECT_THAT(rendered(example_reports::gpu()), HasSubstr("cost 0.683789 USD"));
}

TEST(TerminalReport, NoEscapeSequenceWithoutColourHoweverHostileTheRun) {
  auto report = example_reports::data_stall();
  report.record.launch.set("name", "x\x1b]0;owned\x07\x1b[2J\nforged line");
  report.record.machine.set("cpu", Json::object({{"model", "\x1b[31mred"}}));
  report.diagnosis.findings[0].evidence.push_back(Text{"{0}", {"\x1b[8m hidden"}});
  report.record.damage.push_back("\x1b[1A");
  const std::string text = rendered(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("\nforged line")));
  EXPECT_NE(rendered(report, {.colour = true}).find('\x1b'), std::string::npos);
}

TEST(TerminalReport, PlainAsciiWhereUnicodeIsOff) {
  for (const char c : rendered(example_reports::data_stall(), {.unicode = false}))
    EXPECT_TRUE(c == '\n' || (c >= 32 && c < 127)) << static_cast<int>(c);
}

TEST(TerminalReport, FailureShowsTheLastErrorLine) {
  EXPECT_THAT(rendered(example_reports::simple(example_runs::failed(), Verdict::kNotEnoughEvidence,
                                               "Too little.", 4)),
              testing::AllOf(HasSubstr("✗ Failed with exit code 1 after 4.1 s"),
                             HasSubstr("FileNotFoundError: [Errno 2]"), HasSubstr("forebay logs f4a1l0")));
}

TEST(TerminalReport, EveryCauseOfAnEndHasItsSentence) {
  for (int cause = 0; cause <= static_cast<int>(OutcomeCause::kNeverStarted); ++cause) {
    RunRecord record = example_runs::failed();
    record.outcome->cause = static_cast<OutcomeCause>(cause);
    const std::string text = render_terminal(record, {}, {}, {});
    EXPECT_GT(text.find('\n', text.find('\n') + 1) - text.find('\n'), 10u) << text;
  }
}

TEST(TerminalReport, ARecordWithNothingInItStillReads) {
  const std::string text = render_terminal(RunRecord{}, Diagnosis{}, Bill{}, {});
  EXPECT_THAT(text, HasSubstr("Running"));
  EXPECT_THAT(
      rendered(example_reports::simple(example_runs::nothing_measured(), Verdict::kNotEnoughEvidence, "", 0)),
      HasSubstr("its header is damaged"));
}

TEST(TerminalReport, SpeaksChinese) {
  set_language("zh_CN");
  const std::string text = rendered(example_reports::data_stall());
  set_language("en");
  EXPECT_THAT(text, testing::AllOf(HasSubstr("诊断结论"), HasSubstr("费用")));
}

TEST(TerminalComparison, PredictedBesideMeasuredAndWhatChanged) {
  const auto a = example_reports::data_stall(), b = example_reports::fixed();
  const std::string text = render_comparison({a.record, a.diagnosis, a.bill}, {b.record, b.diagnosis, b.bill},
                                             example_reports::comparison(), {});
  EXPECT_THAT(text, testing::AllOf(HasSubstr("3.3× as fast"), HasSubstr("measured 310 ms"),
                                   HasSubstr("num_workers"), HasSubstr("0 → 6"), HasSubstr("not set → 8")));
}

}  // namespace
}  // namespace forebay
