// The way every verb reaches the runs: open the database, close what was orphaned, find one.
#pragma once

#include <string>
#include <vector>

#include "control/reconcile.h"
#include "jobs/run_repository.h"
#include "record/run_directory.h"

namespace forebay {

struct OpenRuns {
  RunRepository runs;
  std::string state_folder;
  std::vector<Reconciled> reconciled;

  RunDirectory directory_of(const RunRow& row) const { return run_directory(state_folder, row.id); }
};

Result<OpenRuns> open_runs();

}  // namespace forebay
