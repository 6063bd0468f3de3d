// A probe in front of a person: a line of progress instead of the job's output, Ctrl-C, and the wait for its
// end.
#pragma once

#include <optional>

#include "cli/console.h"
#include "control/submit.h"

namespace forebay {

struct ProbeWatched {
  RunRow row;                 // as it ended; as it was when `signal` is set
  std::optional<int> signal;  // SIGHUP: we leave, the run goes on to its own end
};

// Returns when the run is closed and its processes are gone. On a terminal (standard error) steps, rate and
// time left are drawn about five times a second. The first Ctrl-C asks the job to stop, the second kills it.
Result<ProbeWatched> watch_probe(const Submission& submission, const ProbeSlice& slice,
                                 const Console& console);

}  // namespace forebay
