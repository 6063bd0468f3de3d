#include "environment/redact.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Redact, NamesThatHoldSecretsByCustom) {
  for (const char* name : {"HF_TOKEN", "WANDB_API_KEY", "MY_PASSWORD", "db_password", "AWS_SECRET_ACCESS_KEY",
                           "AWS_SESSION_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "SENTRY_DSN",
                           "GITHUB_TOKEN", "AWS_ACCESS_KEY_ID", "SLACK_TOKEN"})
    EXPECT_TRUE(looks_like_secret(name)) << name;
  for (const char* name :
       {"PATH", "TOKENIZERS_PARALLELISM", "AWS_REGION", "KEYBOARD", "MONKEY", "NCCL_DEBUG", "SSH_AUTH_SOCK"})
    EXPECT_FALSE(looks_like_secret(name)) << name;
}

TEST(Redact, PasswordsInUrls) {
  EXPECT_EQ(redact_urls("see https://u:p@ss@host/x and http://token@h:80/y?a=b"),
            "see https://***@host/x and http://***@h:80/y?a=b");
  EXPECT_EQ(redact_urls("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(redact_urls("ssh://git@host/x"), "ssh://git@host/x");
  EXPECT_EQ(redact_urls("s3://b/k?X-Amz-Signature=abc&x=1&token=t#f"),
            "s3://b/k?X-Amz-Signature=***&x=1&token=***#f");
  EXPECT_EQ(redact_urls("://"), "://");
  EXPECT_EQ(redact_urls("a://@"), "a://***@");
  EXPECT_EQ(redact_urls(R"({"url": "https://u:p@h", "b": "x@y"})"),
            R"({"url": "https://***@h", "b": "x@y"})");
}

TEST(Redact, ValuesLongestFirst) {
  EXPECT_EQ(redact("abcdef abcd true abc", {"abcd", "abcdef", "true", "abc"}), "*** *** true abc");
  EXPECT_EQ(redact("a\nsecret\nvalue b", {"secret\nvalue"}), "a\n*** b");
}

TEST(Redact, FindsTheValuesOfOptionsThatLookSecret) {
  EXPECT_EQ(secret_arguments(
                {"train.py", "--api-key=abcd", "--lr", "0.1", "--hf-token", "efgh", "--epochs=3", "key"}),
            (std::vector<std::string>{"abcd", "efgh"}));
  EXPECT_EQ(secret_arguments({"--token"}), std::vector<std::string>{});
}

}  // namespace
}  // namespace forebay
