// Where the hook's ring files live: in memory (tmpfs) where that can be had, so that a busy disk never holds
// up a training step.
#pragma once

#include <string>

#include "base/result.h"
#include "record/run_directory.h"

namespace forebay {

// Makes the folder (0700) below $XDG_RUNTIME_DIR or /dev/shm, else in the record itself; the record's `hook`
// leads to it either way.
Result<std::string> make_hook_channel(const RunDirectory& directory, const std::string& run_id);
// Removes it, wherever it is. Also after a crash: nothing named is left behind. Missing is fine.
void remove_hook_channel(const RunDirectory& directory);

}  // namespace forebay
