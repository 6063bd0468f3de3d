#include "telemetry/machine.h"

#include <gtest/gtest.h>

#include "telemetry/machine_parts.h"
#include "temporary_folder.h"

namespace forebay {
namespace {

MachineSources fake(const std::string& name) {
  const std::string root = std::string(FOREBAY_SOURCE_DIR) + "/tests/data/" + name;
  MachineSources sources;
  sources.proc = root + "/proc";
  sources.sys = root + "/sys";
  sources.etc = root + "/etc";
  sources.root = root;
  sources.with_gpus = false;
  return sources;
}

TEST(Machine, IsDescribedFromItsFiles) {
  const Json machine = describe_machine(fake("proc-machine"));
  EXPECT_EQ(machine["operating_system"].string_or_empty(), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine["boot_id"].string_or_empty(), "11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(machine["wsl"].as_bool(), true);
  EXPECT_EQ(machine["container"].string_or_empty(), "docker");
  EXPECT_EQ(machine["cpu"]["model"].string_or_empty(), "AMD EPYC 9654 96-Core Processor");
  EXPECT_EQ(machine["cpu"]["cores"].as_integer(), 2);
  EXPECT_EQ(machine["cpu"]["physical_cores"].as_integer(), 1);
  EXPECT_EQ(machine["cpu"]["quota_cores"].as_double(), 1.5) << "from a group further up";
  EXPECT_EQ(machine["cpu"]["usable_cores"].as_double(), 1.5);
  EXPECT_EQ(machine["memory"]["limit_bytes"].as_integer(), 4294967296);
  EXPECT_EQ(machine["memory"]["usable_bytes"].as_integer(), 4294967296);
  EXPECT_EQ(machine["disks"].size(), 2u);
  EXPECT_EQ(machine["disks"].at(0)["name"].string_or_empty(), "nvme0n1");
  EXPECT_EQ(machine["disks"].at(0)["rotational"].as_bool(), false);
  EXPECT_EQ(machine["disks"].at(1)["size_bytes"].as_integer(), 2000000 * 512);
  EXPECT_EQ(machine["networks"].at(0)["name"].string_or_empty(), "eth0");
}

TEST(Machine, DamagedFilesLeaveThingsUnknown) {
  const Json machine = describe_machine(fake("proc-damaged"));
  EXPECT_TRUE(machine["memory"]["total_bytes"].is_null());
  EXPECT_TRUE(machine["cpu"]["model"].is_null() || machine["cpu"]["model"].string_or_empty().empty());
  EXPECT_TRUE(machine["disks"].items().empty());
}

TEST(Machine, ThisOneHasProcessorsMemoryAndAFolder) {
  MachineSources sources;
  TemporaryFolder folder;
  sources.working_folder = folder.path();
  sources.with_gpus = false;
  const Json machine = describe_machine(sources);
  EXPECT_GT(machine["cpu"]["usable_cores"].as_double().value_or(0), 0);
  EXPECT_GT(machine["memory"]["usable_bytes"].as_integer().value_or(0), 0);
  EXPECT_GT(machine["working_folder"]["free_bytes"].as_integer().value_or(0), 0);
  EXPECT_FALSE(machine["working_folder"]["file_system"].string_or_empty().empty());
}

}  // namespace
}  // namespace forebay
