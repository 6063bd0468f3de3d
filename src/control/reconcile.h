// Rows whose owner is no more: found at the start of every verb that reads runs, and closed with what is
// known. Nothing is run again.
#pragma once

#include <string>
#include <vector>

#include "jobs/run_repository.h"

namespace forebay {

struct Reconciled {
  std::string run;
  OutcomeCause cause = OutcomeCause::kSupervisorLost;
  std::vector<std::int64_t> survivors;  // pids that could not be ended
};

// For each active row whose owner (and supervisor, where one was written down) is dead: takes the row over
// (epoch + 1), ends what is left of its processes, and closes it. A row whose record already holds an outcome
// keeps that outcome. Rows of other machines and rows that another command is reconciling at this moment are
// left alone. Costs one query when nothing is active.
Result<std::vector<Reconciled>> reconcile(RunRepository& runs, const std::string& state_folder);

}  // namespace forebay
