// Finding and signalling the processes of a child, safe against pids that are used again and against trees
// that grow meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/process_identity.h"

namespace forebay {

// All processes of the machine that can be seen, in no particular order. `proc` is the mount point, for
// tests.
std::vector<ProcessStat> all_processes(const std::string& proc = "/proc");

// Those of `processes` below `root` (root itself not included), zombies left out.
std::vector<ProcessStat> below(const std::vector<ProcessStat>& processes, std::int64_t root);

// Sends through a pidfd after looking at the start time, so that never another process is hit. False when it
// is gone or when that is not allowed.
bool signal_exactly(const ProcessStat& process, int signal);

// A command name under which people run other programs: a signal to it alone does not reach what they mean.
bool is_shell(const std::string& name);

// The child and, through shells, what those run: who a polite stop is addressed to. Workers further down hear
// of it from them.
std::vector<ProcessStat> addressees(const std::vector<ProcessStat>& members, std::int64_t child);

// Stops every process that `find` returns until it returns no new one, then kills all: a tree that forks
// faster than it is read does not get away. `freeze`(true/false), where given, holds the tree still first.
// Call again until find() returns nothing.
void kill_hard(const std::function<std::vector<ProcessStat>()>& find,
               const std::function<bool(bool)>& freeze);

// The value of a variable in another process's environment block as it was at exec.
bool has_environment_entry(std::int64_t pid, const std::string& entry);

}  // namespace forebay
