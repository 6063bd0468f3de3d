// The code of a run, kept so that it can be had again exactly.
//
// Bytes go to <state folder>/objects (content-addressed, shared by all runs); the record holds
// code/manifest.json, and in a git work tree also the commit, the branch and code/changes.patch (git diff
// --binary HEAD) for people to read. .gitignore (git's exact rules; git itself lists the files where there is
// a work tree) and .forebayignore are honoured. Large and data-like files are listed by name and size, not
// copied, and said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"
#include "record/run_directory.h"

namespace forebay {

struct SnapshotSettings {
  std::string state_folder;                 // base/installation.h state_folder()
  std::int64_t largest_file = 100ll << 20;  // bytes; larger files are listed, not copied
  std::int64_t largest_data_folder =
      32ll << 20;                       // bytes of data-like files in one folder before they are only listed
  std::size_t largest_count = 200'000;  // files in all
  Duration deadline = Duration::from_seconds(2);  // then the snapshot is partial, and says so
};

// Keeps the code below `workdir` (the whole git work tree it lies in). Returns a summary for the record and
// the report: kind
// ("git" | "files"), root, commit, branch, dirty, files, bytes, listed_only, partial, remarks. Call it before
// the job starts. An unreadable file is a remark; an error only when nothing could be kept (state folder not
// writable, workdir gone).
Result<Json> snapshot_code(const std::string& workdir, const RunDirectory& record,
                           const SnapshotSettings& settings);

struct RestoredCode {
  std::string workdir;  // inside target: where the run's command was started
  std::int64_t files = 0;
  std::vector<std::string> missing;  // paths that were only listed (large, data-like) and are not in target
};
// Writes the code of a run into `target` (made; must be empty). Every file is checked against its SHA-256.
// Errors: kNotFound no snapshot, kCorrupt an object is damaged or gone, kUnsupported the snapshot was
// partial.
Result<RestoredCode> restore_code(const RunDirectory& record, const std::string& state_folder,
                                  const std::string& target);

// Removes objects that no record under <state folder>/runs names. Returns the bytes freed. Safe beside
// running snapshots.
Result<std::int64_t> prune_code_objects(const std::string& state_folder);

}  // namespace forebay
