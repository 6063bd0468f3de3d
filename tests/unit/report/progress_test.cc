#include "report/progress.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/text.h"
#include "report/bar.h"
#include "report/text_width.h"

namespace forebay {
namespace {

TEST(ShareBar, FillsInEighthsAndNeverShowsSomethingAsNothing) {
  EXPECT_EQ(share_bar(0.5, 4, true), "██░░");
  EXPECT_EQ(share_bar(0.0, 4, true), "░░░░");
  EXPECT_EQ(share_bar(0.001, 4, true), "▏░░░");
  EXPECT_EQ(share_bar(7.0, 4, true), "████");
  EXPECT_EQ(share_bar(std::numeric_limits<double>::quiet_NaN(), 4, true), "░░░░");
  EXPECT_EQ(share_bar(0.5, 4, false), "##..");
}

TEST(Sparkline, AbsentIsAGapAndNotZero) {
  EXPECT_EQ(sparkline({0.0, std::nullopt, 1.0}, 10, 1, true), "▁ █");
  EXPECT_EQ(display_width(sparkline(std::vector<std::optional<double>>(1000, 0.5), 20, 1, true)), 20);
  EXPECT_EQ(sparkline({}, 20, 1, true), "");
}

TEST(Progress, ShowsBarRateAndTimeLeftAfterASecond) {
  const ProgressState state{"copying outputs", 512.0 * 1024 * 1024, 1024.0 * 1024 * 1024,
                            ProgressState::Unit::kBytes, Duration::from_seconds(8)};
  const std::string line = render_progress(state, {});
  EXPECT_NE(line.find("████████░░░░░░░░  50%"), std::string::npos) << line;
  EXPECT_NE(line.find("64.0 MiB/s"), std::string::npos) << line;
  EXPECT_NE(line.find("0:08 left"), std::string::npos) << line;
}

TEST(Progress, NoBarForWhatIsShortOrUnknown) {
  EXPECT_EQ(
      render_progress({"reading", 1.0, 2.0, ProgressState::Unit::kItems, Duration::from_seconds(0.2)}, {})
          .find("█"),
      std::string::npos);
  const std::string unknown = render_progress(
      {"resolving", std::nullopt, std::nullopt, ProgressState::Unit::kItems, Duration::from_seconds(5)}, {});
  EXPECT_NE(unknown.find("resolving  0:05"), std::string::npos) << unknown;
}

TEST(Progress, FitsEveryWidthAndLanguage) {
  for (const char* language : {"en", "zh_CN"}) {
    set_language(language);
    for (int width = 40; width < 130; ++width) {
      const ProgressState state{
          "正在安装 12 个软件包 and a very long sentence that goes on and on for longer than any line", 3e9,
          9e9, ProgressState::Unit::kBytes, Duration::from_seconds(4000)};
      EXPECT_LT(display_width(render_progress(state, {.width = width})), width);
      LiveState live{Duration::from_seconds(4000),
                     120,
                     4000,
                     0.4123,
                     3.2,
                     0.71,
                     1.3,
                     0.5,
                     Bytes{1 << 30},
                     Bytes{1ll << 34},
                     Duration::from_seconds(70),
                     Money{5, "USD"}};
      EXPECT_LT(display_width(render_live(live, {.width = width})), width);
    }
  }
  set_language("en");
}

TEST(Live, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(render_live({.elapsed = Duration::from_seconds(75)}, {}), "1:15");
  EXPECT_EQ(render_live({.elapsed = Duration::from_seconds(75), .step = 12, .data_wait_share = 0.71}, {}),
            "1:15 · step 12 · data wait 71 %");
  EXPECT_EQ(render_live({.elapsed = Duration::from_seconds(75),
                         .step = 12,
                         .loss = std::numeric_limits<double>::quiet_NaN()},
                        {.unicode = false}),
            "1:15 | step 12");
}

}  // namespace
}  // namespace forebay
