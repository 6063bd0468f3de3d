#include "record/outcome_words.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

std::string zh(std::string_view sentence) {
  return outcome_sentence_in("zh_CN", sentence);
}

TEST(OutcomeWords, SentencesAreTranslatedWithTheirValues) {
  EXPECT_EQ(zh("stopped by Ctrl-C"), "被 Ctrl-C 停止");
  EXPECT_EQ(zh("stopped after 1 h 2 min: the limit max_duration is 1 h"),
            "1 h 2 min 后停止：max_duration 的上限是 1 h");
  EXPECT_EQ(zh("there is no command trian in the PATH"), "PATH 中没有命令 trian");
}

TEST(OutcomeWords, SentencesInsideAndBehindAreTranslatedToo) {
  const std::string setup = zh("the setup command failed: the command ended with code 4");
  EXPECT_EQ(setup.find("failed"), std::string::npos) << setup;
  EXPECT_EQ(setup.find("the command"), std::string::npos) << setup;
  EXPECT_NE(setup.find('4'), std::string::npos) << setup;
  const std::string again =
      zh("stopped after 2 s: the budget is spent (attempt 3); and its outputs were not all saved: no space");
  EXPECT_NE(again.find("预算已用完"), std::string::npos) << again;
  EXPECT_EQ(again.find("attempt"), std::string::npos) << again;
  EXPECT_EQ(again.find("outputs"), std::string::npos) << again;
  EXPECT_NE(again.find("no space"), std::string::npos) << again;
  EXPECT_EQ(zh("killed: it needed more memory than its limit of 1.00 GiB (last measured 900 MiB of 1.00 GiB "
               "allowed in 3 processes, the largest 41 (python))"),
            "被终止：所需内存超过了上限 1.00 GiB（最后一次测得 900 MiB，允许 1.00 GiB，共 3 "
            "个进程，最大的进程是 41（python））");
  EXPECT_EQ(zh("the job asks for 64 CPU cores, this machine has 2 CPU cores").find("CPU cores"),
            std::string::npos);
}

TEST(OutcomeWords, WhatIsNotKnownStaysAsItStands) {
  for (const std::string_view sentence :
       {"", "something new happened", "已经是中文", "stopped after : the budget is spent", "{0} {9999999999}",
        "stopped by Ctrl-C again", " (attempt 3)"})
    EXPECT_EQ(zh(sentence), sentence);
  EXPECT_EQ(outcome_sentence_in("en", "there is no file {0}"), "there is no file {0}");
  EXPECT_EQ(outcome_sentence_in("en", "stopped after 2 s: the budget is spent (attempt 3)"),
            "stopped after 2 s: the budget is spent (attempt 3)");
}

}  // namespace
}  // namespace forebay
