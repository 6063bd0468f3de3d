#include "control/open_runs.h"

#include "base/installation.h"

namespace forebay {

Result<OpenRuns> open_runs() {
  const std::string folder = state_folder();
  FOREBAY_TRY(RunRepository runs, RunRepository::open(folder));
  FOREBAY_TRY(std::vector<Reconciled> reconciled, reconcile(runs, folder));
  return OpenRuns{std::move(runs), folder, std::move(reconciled)};
}

}  // namespace forebay
