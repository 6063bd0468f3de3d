// The table of runs. Every row has an owner and an epoch; every change is compare-and-set on the epoch, so
// that a process that was replaced cannot write any more. Not thread-safe: one repository per thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process_identity.h"
#include "base/units.h"
#include "jobs/run_state.h"
#include "record/outcome.h"
#include "store/database.h"

namespace forebay {

inline constexpr const char* kProbeRun = "probe";  // RunRow::kind

struct RunRow {
  std::string id;
  std::string name;
  std::string command;  // for people, one line
  std::string folder;   // where it was started
  RunState state = RunState::kQueued;
  std::int64_t epoch = 1;
  std::optional<ProcessIdentity> owner;  // who may write: the submitting command line, then the attempt
  Instant created;
  Instant updated;
  std::optional<Instant> started;  // of the command
  std::optional<Instant> ended;
  std::optional<int> exit_code;
  std::string cause;  // outcome cause name, "" while it goes on
  std::string engine = "local";
  std::string parent;        // the run it repeats
  std::string kind = "run";  // or kProbeRun: a slice of a job
  std::optional<Money> price_per_hour;
};

struct RunFilter {
  bool only_active = false;
  std::optional<std::size_t> limit;
};

class RunRepository {
 public:
  // Opens <state folder>/forebay.db, creating and migrating it.
  static Result<RunRepository> open(const std::string& state_folder);

  Result<void> create(const RunRow& row);
  // All newest first.
  Result<std::vector<RunRow>> list(const RunFilter& filter = {});
  Result<RunRow> get(const std::string& id);
  // By id, unique prefix of an id, name (its newest run), or "last". kNotFound says what is near.
  Result<RunRow> find(const std::string& reference);

  // The owner's move. kConflict when the epoch is no longer `epoch` (somebody took over) or the table forbids
  // it.
  Result<RunState> move(const std::string& id, std::int64_t epoch, RunMove move, Instant now);
  Result<void> set_started(const std::string& id, std::int64_t epoch, Instant started);
  // The last move together with how it ended.
  Result<void> close(const std::string& id, std::int64_t epoch, RunMove move, const Outcome& outcome,
                     Instant now);
  // Becomes the owner: compare-and-set on `expected_epoch`; returns the new epoch.
  Result<std::int64_t> take_over(const std::string& id, std::int64_t expected_epoch,
                                 const ProcessIdentity& owner, Instant now);
  Result<void> remove(const std::string& id);

 private:
  explicit RunRepository(Database database) : database_(std::move(database)) {}
  Result<std::vector<RunRow>> select(const std::string& condition, const std::vector<DatabaseValue>& values);
  Database database_;
};

}  // namespace forebay
