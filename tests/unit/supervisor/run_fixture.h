// A run directory and a supervisor in it, for tests with real processes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/environment_variable.h"
#include "base/hash.h"
#include "record/log_file.h"
#include "record/run_directory.h"
#include "supervisor/lost_run.h"
#include "supervisor/supervisor.h"
#include "temporary_folder.h"

namespace forebay {

inline std::string unique_tag() {
  std::string tag = "test-";
  for (const unsigned char byte : random_bytes(8)) tag += "0123456789abcdef"[byte % 16];
  return tag;
}

class RunFixture : public testing::Test {
 protected:
  RunFixture() : directory(folder.file("run")) { (void)create_run_directory(directory); }

  Supervisor& supervisor() {
    if (!supervisor_) {
      auto created = Supervisor::create(settings());
      EXPECT_TRUE(created) << created.error().sentence();
      supervisor_ = std::make_unique<Supervisor>(std::move(*created));
    }
    return *supervisor_;
  }
  SupervisorSettings settings() {
    SupervisorSettings wanted{directory, system_clock(), tag};
    wanted.use_cgroup = use_cgroup;
    return wanted;
  }
  void end_supervisor() { supervisor_.reset(); }

  ChildSpec shell(const std::string& script) const {
    ChildSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.cwd = folder.path();
    spec.environment = current_environment();
    spec.grace = Duration{2'000'000'000};
    spec.leftover_grace = Duration{300'000'000};
    return spec;
  }
  ChildOutcome run(const ChildSpec& spec, const Limits& limits = {}) {
    auto outcome = supervisor().run(spec, limits, hooks);
    EXPECT_TRUE(outcome) << outcome.error().sentence();
    return outcome ? *outcome : ChildOutcome{};
  }
  // Everything recorded so far of one stream.
  std::string log(LogStream stream = LogStream::kOutput) const {
    std::string text;
    LogReader reader(directory);
    while (true) {
      const auto chunk = reader.next();
      EXPECT_TRUE(chunk) << chunk.error().sentence();
      if (!chunk || !*chunk) return text;
      if ((*chunk)->stream == stream) text += (*chunk)->bytes;
    }
  }
  std::vector<std::string> events;
  void record_events() {
    hooks.on_event = [this](const std::string& name, const Json&) { events.push_back(name); };
  }
  // Processes that still carry the run's tag.
  std::size_t tagged_processes() const {
    SupervisorRecord record;
    record.supervisor = own_identity();
    record.run_tag = tag;
    return find_survivors(record).size();
  }

  TemporaryFolder folder;
  RunDirectory directory;
  std::string tag = unique_tag();
  bool use_cgroup = true;
  SupervisorHooks hooks;

 private:
  std::unique_ptr<Supervisor> supervisor_;
};

// The same behaviour with and without a control group.
class RunWithAndWithoutGroup : public RunFixture, public testing::WithParamInterface<bool> {
 protected:
  RunWithAndWithoutGroup() { use_cgroup = GetParam(); }
};

}  // namespace forebay
