// What a new process needs, made ready before the fork so that nothing but system calls is left to do after
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "supervisor/child.h"

namespace forebay {

// Which preparation of the child failed; sent through a pipe, so plain data.
enum class ExecStep : int { kNone = 0, kFork, kFolder, kTerminal, kExec };

struct ExecFailure {
  ExecStep step = ExecStep::kNone;
  int error_number = 0;
  int candidate = -1;  // index into ExecPlan::candidates
};

struct ExecPlan {
  std::vector<std::string> candidates;  // files that argv[0] may mean, in the order of PATH
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string cwd;
  int input = -1, output = -1, error = -1;
  bool terminal = false;   // output is the slave of a pty: make it the controlling terminal
  std::vector<int> joins;  // cgroup.procs descriptors
  std::string oom_score;   // restored in the child; empty = leave
};

ExecPlan plan_exec(const ChildSpec& spec, const std::string& run_tag);

// In the new process: never returns on success. Only async-signal-safe calls. Writes an ExecFailure to
// `report` (closed on exec).
[[noreturn]] void enter_child(const ExecPlan& plan, char* const* arguments, char* const* environment,
                              int report);

// For people: why the command could not be started.
StartFailure explain_exec_failure(const ExecFailure& failure, const ExecPlan& plan);

}  // namespace forebay
