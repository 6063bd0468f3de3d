// Starts the detached process that owns a run.
#pragma once

#include "base/result.h"
#include "record/run_directory.h"

namespace forebay {

// Runs `forebay attempt <directory>` in a session of its own, standard streams on /dev/null and the record's
// supervisor.log, and waits until it reports that it owns the run ("ready") or why not. The attempt inherits
// this process's environment.
Result<void> start_attempt(const RunDirectory& directory);

}  // namespace forebay
