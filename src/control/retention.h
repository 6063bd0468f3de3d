// Which records are kept, and removing the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "control/open_runs.h"

namespace forebay {

// Default policy: records of the last 30 days and the newest 50 are kept, whatever else; running ones always.
struct RetentionPolicy {
  Duration age{30ll * 86'400 * 1'000'000'000};
  std::size_t newest = 50;
};

struct PruneCandidate {
  RunRow row;
  std::int64_t bytes = 0;
};

// Pure: the rows that the policy lets go, oldest first. `rows` newest first.
std::vector<RunRow> beyond_policy(const std::vector<RunRow>& rows, const RetentionPolicy& policy,
                                  Instant now);
// What `forebay runs prune` would remove, with sizes. Directories without a row that are older than a day are
// included (a submission that was killed before its row).
Result<std::vector<PruneCandidate>> prune_candidates(OpenRuns& open, const RetentionPolicy& policy);
// Removes them: first the row, then the directory; objects of code that nothing names any more. Returns bytes
// freed.
Result<std::int64_t> prune(OpenRuns& open, const std::vector<PruneCandidate>& candidates);
std::int64_t folder_bytes(const std::string& path);

}  // namespace forebay
