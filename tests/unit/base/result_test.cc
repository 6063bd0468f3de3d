#include "base/result.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace forebay {
namespace {

TEST(ErrorShown, IsTheSentenceInEnglishAndTranslatedInItsPartsElsewhere) {
  const Error error = make_error(ErrorCode::kNotFound, "find the run", "abc", "no run has this id or name",
                                 "`forebay ps --all` lists them.");
  EXPECT_EQ(error.shown(), error.sentence());
  EXPECT_EQ(error.shown(),
            "cannot find the run abc: no run has this id or name. `forebay ps --all` lists them.");
  set_language("zh_CN");
  EXPECT_EQ(error.shown(), "无法找到运行 abc：没有运行有这个编号或名称。`forebay ps --all` 会列出它们。");
  EXPECT_EQ(error.sentence(),
            "cannot find the run abc: no run has this id or name. `forebay ps --all` lists them.");
  EXPECT_EQ(system_error("write", "/a/b", 13).shown(), "无法写入 /a/b：没有权限");
  // A whole sentence of its own, and a cause nobody translated.
  EXPECT_EQ((Error{ErrorCode::kInvalidInput, "", "job.yaml:1:1: wrong", "", ""}).shown(),
            "job.yaml:1:1: wrong");
  EXPECT_EQ(make_error(ErrorCode::kInternal, "read", "x", "strange").shown(), "无法读取 x：strange");
  set_language("en");
}

}  // namespace
}  // namespace forebay
