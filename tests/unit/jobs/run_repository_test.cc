#include "jobs/run_repository.h"

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace forebay {
namespace {

RunRow row(const std::string& id, std::int64_t created = 1) {
  RunRow made;
  made.id = id;
  made.name = "train";
  made.command = "python train.py";
  made.created = made.updated = Instant{created};
  made.owner = own_identity();
  return made;
}

TEST(RunRepository, KeepsWhatItIsGiven) {
  TemporaryFolder folder;
  auto runs = RunRepository::open(folder.path());
  ASSERT_TRUE(runs) << runs.error().sentence();
  RunRow made = row("abcd");
  made.price_per_hour = Money{2'500'000'000, "CNY"};
  ASSERT_TRUE(runs->create(made));
  const auto found = runs->find("ab");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->command, "python train.py");
  EXPECT_EQ(found->owner, own_identity());
  EXPECT_EQ(found->price_per_hour, made.price_per_hour);
  EXPECT_FALSE(found->started.has_value());
}

TEST(RunRepository, KnowsAProbeFromARun) {
  TemporaryFolder folder;
  auto runs = RunRepository::open(folder.path());
  RunRow probe = row("abcd");
  probe.kind = kProbeRun;
  ASSERT_TRUE(runs->create(probe));
  ASSERT_TRUE(runs->create(row("wxyz")));
  EXPECT_EQ(runs->get("abcd")->kind, kProbeRun);
  EXPECT_EQ(runs->get("wxyz")->kind, "run");
}

TEST(RunRepository, AReplacedOwnerCannotWriteAnyMore) {
  TemporaryFolder folder;
  auto runs = RunRepository::open(folder.path());
  ASSERT_TRUE(runs->create(row("abcd")));
  ASSERT_TRUE(runs->move("abcd", 1, RunMove::kPlan, Instant{2}));
  const auto epoch = runs->take_over("abcd", 1, own_identity(), Instant{3});
  ASSERT_TRUE(epoch);
  EXPECT_EQ(*epoch, 2);
  EXPECT_FALSE(runs->move("abcd", 1, RunMove::kProvision, Instant{4}));
  EXPECT_FALSE(runs->take_over("abcd", 1, own_identity(), Instant{4}));
  EXPECT_TRUE(runs->move("abcd", 2, RunMove::kProvision, Instant{5}));
}

TEST(RunRepository, FindsByPrefixNameAndLast) {
  TemporaryFolder folder;
  auto runs = RunRepository::open(folder.path());
  ASSERT_TRUE(runs->create(row("abcd", 1)));
  ASSERT_TRUE(runs->create(row("abce", 2)));
  EXPECT_EQ(runs->find("last")->id, "abce");
  EXPECT_EQ(runs->find("train")->id, "abce");
  EXPECT_EQ(runs->find("abcd")->id, "abcd");
  EXPECT_EQ(runs->find("abc").error().code, ErrorCode::kInvalidInput);
  EXPECT_EQ(runs->find("a%").error().code, ErrorCode::kNotFound);
}

TEST(RunRepository, TwoConnectionsSeeEachOther) {
  TemporaryFolder folder;
  auto first = RunRepository::open(folder.path());
  auto second = RunRepository::open(folder.path());
  ASSERT_TRUE(first->create(row("abcd")));
  EXPECT_TRUE(second->get("abcd"));
}

}  // namespace
}  // namespace forebay
