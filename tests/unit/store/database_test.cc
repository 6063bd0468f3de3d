#include "store/database.h"

#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

constexpr Migration kFirst[] = {{1, "CREATE TABLE a (x BIGINT);"}};
constexpr Migration kBoth[] = {{1, "CREATE TABLE a (x BIGINT);"}, {2, "ALTER TABLE a ADD COLUMN y TEXT;"}};

TEST(Database, MigratesForwardAndRefusesANewerSchema) {
  TemporaryFolder folder;
  const std::string path = folder.file("db");
  {
    auto database = Database::open(path, kFirst);
    ASSERT_TRUE(database);
  }
  {
    auto database = Database::open(path, kBoth);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute("INSERT INTO a VALUES (1, 'z')"));
  }
  const auto refused = Database::open(path, kFirst);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

TEST(Database, AFailedTransactionLeavesNothing) {
  TemporaryFolder folder;
  auto database = Database::open(folder.file("db"), kFirst);
  const auto failed = database->transaction([&]() -> Result<void> {
    EXPECT_TRUE(database->execute("INSERT INTO a VALUES (?)", {std::int64_t{1}}));
    return make_error(ErrorCode::kCancelled, "do", "it", "no");
  });
  EXPECT_FALSE(failed);
  int rows = 0;
  ASSERT_TRUE(database->query("SELECT x FROM a", {}, [&](const DatabaseRow&) { ++rows; }));
  EXPECT_EQ(rows, 0);
}

TEST(Database, SaysCorruptForAFileThatIsNoDatabase) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomic(folder.file("db"), std::string(8192, 'x')));
  const auto opened = Database::open(folder.file("db"), kFirst);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
}

TEST(Database, ManyMayOpenANewOneAtTheSameMoment) {
  for (int round = 0; round < 20; ++round) {
    TemporaryFolder folder;
    std::vector<std::jthread> people;
    std::array<std::string, 8> problems;
    std::latch all(8);
    for (std::string& problem : problems)
      people.emplace_back([&folder, &problem, &all] {
        all.arrive_and_wait();
        if (const auto opened = Database::open(folder.file("db"), kFirst); !opened)
          problem = opened.error().sentence();
      });
    people.clear();
    for (const std::string& problem : problems) EXPECT_EQ(problem, "");
  }
}

}  // namespace
}  // namespace forebay
