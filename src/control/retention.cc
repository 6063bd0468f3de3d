#include "control/retention.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/clock.h"
#include "base/file.h"
#include "environment/code.h"

namespace forebay {
namespace {

constexpr std::int64_t kDay = 86'400ll * 1'000'000'000;

// Directories that no row names: their submission was killed between the two.
std::vector<RunRow> rowless_directories(OpenRuns& open, const std::vector<RunRow>& rows, Instant now) {
  std::vector<RunRow> found;
  const std::string folder = join_path(open.state_folder, "runs");
  const auto names = list_directory(folder);
  if (!names) return found;
  for (const std::string& name : *names) {
    if (std::any_of(rows.begin(), rows.end(), [&](const RunRow& row) { return row.id == name; })) continue;
    struct stat info{};
    if (::stat(join_path(folder, name).c_str(), &info) != 0) continue;
    const std::int64_t changed = static_cast<std::int64_t>(info.st_mtime) * 1'000'000'000;
    if (now.nanoseconds - changed < kDay) continue;
    RunRow row;
    row.id = name;
    row.created = Instant{changed};
    row.state = RunState::kFailed;
    found.push_back(std::move(row));
  }
  return found;
}

}  // namespace

std::vector<RunRow> beyond_policy(const std::vector<RunRow>& rows, const RetentionPolicy& policy,
                                  Instant now) {
  std::vector<RunRow> gone;
  for (std::size_t i = policy.newest; i < rows.size(); ++i) {
    const Instant last = rows[i].ended.value_or(rows[i].updated);
    if (is_terminal(rows[i].state) && now.nanoseconds - last.nanoseconds > policy.age.nanoseconds)
      gone.push_back(rows[i]);
  }
  std::reverse(gone.begin(), gone.end());
  return gone;
}

std::int64_t folder_bytes(const std::string& path) {
  std::int64_t bytes = 0;
  std::error_code code;
  for (std::filesystem::recursive_directory_iterator at(path, code), end; !code && at != end;
       at.increment(code)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !at->is_symlink(ignored))
      bytes += static_cast<std::int64_t>(at->file_size(ignored));
  }
  return bytes;
}

Result<std::vector<PruneCandidate>> prune_candidates(OpenRuns& open, const RetentionPolicy& policy) {
  FOREBAY_TRY(const std::vector<RunRow> rows, open.runs.list());
  const Instant now = system_clock().now();
  std::vector<PruneCandidate> candidates;
  for (const RunRow& row : beyond_policy(rows, policy, now))
    candidates.push_back({row, folder_bytes(open.directory_of(row).path())});
  for (const RunRow& row : rowless_directories(open, rows, now))
    candidates.push_back({row, folder_bytes(open.directory_of(row).path())});
  return candidates;
}

Result<std::int64_t> prune(OpenRuns& open, const std::vector<PruneCandidate>& candidates) {
  std::int64_t freed = 0;
  for (const PruneCandidate& candidate : candidates) {
    FOREBAY_CHECK(open.runs.remove(candidate.row.id));
    FOREBAY_CHECK(remove_tree(open.directory_of(candidate.row).path()));
    freed += candidate.bytes;
  }
  if (!candidates.empty())
    if (const auto objects = prune_code_objects(open.state_folder)) freed += *objects;
  return freed;
}

}  // namespace forebay
