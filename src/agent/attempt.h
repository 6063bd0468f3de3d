// The hidden verb `forebay attempt DIRECTORY`.
#pragma once

#include <string>

namespace forebay {

// Takes the run over, says "ready\n" (or the reason why not) on `ready_fd`, closes it, and carries the run to
// its end. Returns the process's exit code, which nobody waits for: the truth is in the record and the
// database.
int run_attempt(const std::string& directory, int ready_fd);

// The hidden verb `forebay save-outputs DIRECTORY`: copies the job's outputs, prints progress, writes
// outputs.json.
int run_save_outputs(const std::string& directory);

}  // namespace forebay
