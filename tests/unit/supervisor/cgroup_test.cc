#include "supervisor/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace forebay {
namespace {

using Kind = CgroupFolder::Kind;
using testing::ElementsAre;

TEST(CgroupFolders, OfAHybridMachine) {
  const auto folders = own_cgroup_folders(
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "37 31 0:34 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
      "6:freezer:/\n4:memory:/service/a1\n0::/\n");
  EXPECT_THAT(folders, ElementsAre(CgroupFolder{Kind::kUnified, "/sys/fs/cgroup/unified"},
                                   CgroupFolder{Kind::kMemory, "/sys/fs/cgroup/memory/service/a1"},
                                   CgroupFolder{Kind::kFreezer, "/sys/fs/cgroup/freezer"}));
}

TEST(CgroupFolders, InsideAContainerThatSeesAPartOfTheHierarchy) {
  const auto folders =
      own_cgroup_folders("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
                         "4:memory:/docker/abc/inner\n");
  EXPECT_THAT(folders, ElementsAre(CgroupFolder{Kind::kMemory, "/sys/fs/cgroup/memory/inner"}));
}

TEST(CgroupFolders, ControllersMountedTogether) {
  const auto folders =
      own_cgroup_folders("35 31 0:32 / /cg/both rw - cgroup cgroup rw,cpu,memory\n", "4:cpu,memory:/x\n");
  EXPECT_THAT(folders, ElementsAre(CgroupFolder{Kind::kMemory, "/cg/both/x"}));
}

TEST(CgroupFolders, NonsenseGivesNothing) {
  EXPECT_TRUE(own_cgroup_folders("", "").empty());
  EXPECT_TRUE(own_cgroup_folders("a b c - cgroup\n\n - - -\n", "::::\nx\n0::../../etc\n").empty());
  EXPECT_TRUE(own_cgroup_folders("41 31 0:38 / /u rw - cgroup2 cgroup2 rw\n", "0::/../../etc\n").empty());
}

TEST(Cgroup, AnOrdinaryFolderIsNoGroup) {
  TemporaryFolder folder;
  EXPECT_FALSE(Cgroup::create_in({{Kind::kUnified, folder.path()}}, "forebay-x"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("forebay-x")));
}

TEST(Cgroup, OnlyGroupsOfRunsAreTakenOver) {
  TemporaryFolder folder;
  for (const char* name : {"system", "forebay-run"}) {
    std::filesystem::create_directory(folder.file(name));
    std::ofstream(folder.file(std::string(name) + "/cgroup.procs")) << "12\n13\n";
  }
  EXPECT_TRUE(Cgroup::adopt({folder.file("system")}).members().empty());
  EXPECT_THAT(Cgroup::adopt({folder.file("forebay-run")}).members(), ElementsAre(12, 13));
}

TEST(Cgroup, ReadsWhatTheKernelKeeps) {
  TemporaryFolder folder;
  const std::string group = folder.file("forebay-run");
  std::filesystem::create_directory(group);
  std::ofstream(group + "/cgroup.procs");
  std::ofstream(group + "/cgroup.controllers") << "memory\n";
  std::ofstream(group + "/memory.max") << "max\n";
  std::ofstream(group + "/memory.current") << "5000\n";
  std::ofstream(group + "/memory.stat") << "anon 1000\nfile 3000\nshmem 200\n";
  std::ofstream(group + "/memory.events") << "low 0\noom 2\noom_kill 1\n";
  const Cgroup unified = Cgroup::adopt({group});
  EXPECT_EQ(unified.memory_held(), Bytes{1200});
  EXPECT_EQ(unified.memory_charged(), Bytes{5000});
  EXPECT_EQ(unified.kernel_kills(), 1);
  EXPECT_TRUE(unified.limit_memory(Bytes{4096}));
}

}  // namespace
}  // namespace forebay
