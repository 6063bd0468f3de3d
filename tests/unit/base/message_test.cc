#include "base/message.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Text, FillsFieldsInAnyOrder) {
  EXPECT_EQ(render_in("en", Text{"{1} of {0}", {"a", "b"}}), "b of a");
}

TEST(Text, KeepsBracesAndFieldsWithoutArgument) {
  EXPECT_EQ(render_in("en", Text{"{{x}} {0} {7} { } {", {"a"}}), "{x} a {7} { } {");
}

TEST(Text, DoesNotObeyFormatSpecifications) {
  EXPECT_EQ(render_in("en", Text{"{0:>999999999}", {"a"}}), "{0:>999999999}");
  EXPECT_EQ(render_in("en", Text{"{99999999999999999999}", {"a"}}), "{99999999999999999999}");
}

TEST(Text, TranslatesTheSentenceAndItsArguments) {
  EXPECT_EQ(render_in("zh_CN", Text{"unknown", {}}), "未知");
  EXPECT_EQ(render_in("zh_CN", Text{"<{0}>", {"unknown"}}), "<未知>");
}

TEST(Text, SurvivesJson) {
  const Text text{"{0} lost", {"38 %"}};
  EXPECT_EQ(Text::from_json(text.to_json()), text);
  EXPECT_EQ(text.to_json()["text"].string_or_empty(), "38 % lost");
  EXPECT_TRUE(Text::from_json(Json(3)).empty());
}

}  // namespace
}  // namespace forebay
