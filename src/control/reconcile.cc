#include "control/reconcile.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "control/hook_channel.h"
#include "record/log_file.h"
#include "record/run_record.h"
#include "supervisor/lost_run.h"

namespace forebay {
namespace {

bool owner_is_here(const RunRow& row) {
  return row.owner && row.owner->boot_id == current_boot_id();
}

bool is_orphan(const RunRow& row, const RunDirectory& directory) {
  if (row.owner && is_alive(*row.owner)) return false;
  if (const auto record = read_supervisor_record(directory))
    return presence_of(*record) == SupervisorPresence::kGone;
  return true;
}

// What the record still tells: an outcome that was written before the owner died, or how far it came.
Outcome known_outcome(const RunRow& row, const RunDirectory& directory) {
  if (const auto json = read_json_file(directory.outcome()))
    if (auto outcome = Outcome::from_json(*json)) return std::move(*outcome);
  Outcome outcome;
  outcome.started = row.started;
  if (row.state == RunState::kQueued) {
    outcome.cause = OutcomeCause::kNeverStarted;
    outcome.sentence =
        std::string(tr("the submission was interrupted before the run was started; nothing ran"));
    return outcome;
  }
  outcome.cause = OutcomeCause::kSupervisorLost;
  outcome.sentence =
      owner_is_here(row)
          ? fmt::format(fmt::runtime(tr("the run's supervisor was killed while the run was {0}; its "
                                        "processes were ended, its log is kept")),
                        run_state_name(row.state))
          : fmt::format(
                fmt::runtime(tr("the machine was started again while the run was {0}; its log is kept")),
                run_state_name(row.state));
  return outcome;
}

// Outputs that were still to be copied are not, and the person must know.
void note_unsaved_outputs(Outcome& outcome, const RunRow& row, const RunDirectory& directory) {
  if (outcome.cause != OutcomeCause::kSucceeded || row.kind == kProbeRun) return;
  const auto job = read_json_file(directory.job());
  if (!job || (*job)["outputs"].size() == 0) return;
  if (const auto manifest = read_json_file(directory.outputs());
      manifest && (*manifest)["complete"].as_bool().value_or(false))
    return;
  outcome.cause = OutcomeCause::kOutputsFailed;
  outcome.sentence = fmt::format(fmt::runtime(tr("the command succeeded, but the supervisor was killed while "
                                                 "outputs were saved; `forebay outputs {0} --save` does it")),
                                 row.id);
}

std::int64_t kept_log_bytes(const RunDirectory& directory) {
  LogReader reader(directory);
  std::int64_t bytes = 0;
  while (true) {
    const auto chunk = reader.next();
    if (!chunk || !*chunk) return bytes;
    bytes += static_cast<std::int64_t>((*chunk)->bytes.size());
  }
}

RunMove closing_move(const Outcome& outcome) {
  if (outcome.cause == OutcomeCause::kSucceeded || outcome.cause == OutcomeCause::kSliceSeen)
    return RunMove::kFinish;
  return outcome.cause == OutcomeCause::kCancelled ? RunMove::kCancel : RunMove::kFail;
}

Result<Reconciled> close_orphan(RunRepository& runs, const RunRow& row, const RunDirectory& directory) {
  const Clock& clock = system_clock();
  FOREBAY_TRY(const std::int64_t epoch, runs.take_over(row.id, row.epoch, own_identity(), clock.now()));
  fault_point("reconcile:after-take-over");
  Reconciled done{row.id, OutcomeCause::kSupervisorLost, {}};
  if (const auto record = read_supervisor_record(directory))
    if (const auto survivors = stop_tree_of(*record, clock))
      for (const Survivor& survivor : *survivors)
        if (!survivor.gone) done.survivors.push_back(survivor.pid);
  Outcome outcome = known_outcome(row, directory);
  note_unsaved_outputs(outcome, row, directory);
  if (!outcome.log_bytes) outcome.log_bytes = kept_log_bytes(directory);
  done.cause = outcome.cause;
  FOREBAY_CHECK(write_json_file(directory.outcome(), outcome.to_json()));
  (void)append_event(directory, RunEvent{clock.now(), "reconciled", outcome.to_json()});
  remove_hook_channel(directory);
  fault_point("reconcile:before-close");
  if (row.state == RunState::kQueued) {
    FOREBAY_CHECK(runs.close(row.id, epoch, RunMove::kFail, outcome, clock.now()));
    return done;
  }
  if (row.state != RunState::kReleasing)
    FOREBAY_CHECK(runs.move(row.id, epoch, RunMove::kRelease, clock.now()));
  FOREBAY_CHECK(runs.close(row.id, epoch, closing_move(outcome), outcome, clock.now()));
  return done;
}

}  // namespace

Result<std::vector<Reconciled>> reconcile(RunRepository& runs, const std::string& state_folder) {
  FOREBAY_TRY(const auto active, runs.list({true, std::nullopt}));
  std::vector<Reconciled> done;
  for (const RunRow& row : active) {
    const RunDirectory directory = run_directory(state_folder, row.id);
    if (!is_orphan(row, directory)) continue;
    auto closed = close_orphan(runs, row, directory);
    if (closed)
      done.push_back(std::move(*closed));
    else if (closed.error().code != ErrorCode::kConflict)
      return std::move(closed).error();
  }
  return done;
}

}  // namespace forebay
