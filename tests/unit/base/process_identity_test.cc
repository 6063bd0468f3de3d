#include "base/process_identity.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay {
namespace {

constexpr const char* kTail = " 10 11 0 -1 4194304 1 2 3 4 150 60 7 8 20 0 3 0 987654 12345 678 0";

TEST(ProcessStat, ReadsANameWithParenthesesAndSpaces) {
  const auto stat =
      parse_process_stat(std::string("42 (a) b (c)) S 1 42 42") +
                         " 0 -1 4194304 1 2 3 4 150 60 7 8 20 0 3 0 987654 12345 678 18446744073709551615");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) b (c)");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 1);
  EXPECT_EQ(stat->user_ticks, 150u);
  EXPECT_EQ(stat->system_ticks, 60u);
  EXPECT_EQ(stat->threads, 3);
  EXPECT_EQ(stat->start_ticks, 987654u);
  EXPECT_EQ(stat->resident_pages, 678);
}

TEST(ProcessStat, RefusesWhatIsCutShort) {
  const std::string whole = std::string("42 (name) S 1") + kTail;
  EXPECT_TRUE(parse_process_stat(whole));
  for (const char* text : {"", "42", "42 (name", "42 (name)", "42 (name) ", "42 (name) S",
                           "42 (name) S 1 2 3", ")(", "42 (x) S a b c"})
    EXPECT_FALSE(parse_process_stat(text)) << text;
}

TEST(ProcessIdentity, IsAliveOnlyWhileThatVeryProcessRuns) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto identity = identify(child);
  ASSERT_TRUE(identity);
  EXPECT_TRUE(is_alive(*identity));
  ProcessIdentity other = *identity;
  other.start_ticks += 1;  // the same number, another process
  EXPECT_FALSE(is_alive(other));
  ::kill(child, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_FALSE(is_alive(*identity)) << "a zombie does not count";
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_alive(*identity));
}

}  // namespace
}  // namespace forebay
