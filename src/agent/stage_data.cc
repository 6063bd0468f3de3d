// Staging: local data copied to where the job wants it (verified, whole or not at all), inside the job's own
// folder rules.
#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "base/text.h"
#include "storage/outputs.h"

namespace forebay {

StepResult stage_data(AttemptContext& context) {
  std::vector<OutputRequest> requests;
  for (const JobData& data : context.job.data) {
    if (!data.to) continue;  // read in place
    std::string from = data.from;
    if (from.starts_with("file://")) from = from.substr(7);
    requests.push_back({from, *data.to});
  }
  if (requests.empty()) return std::nullopt;
  OutputSettings settings;
  settings.workdir = context.folder;
  settings.run_id = context.id;
  settings.variables["FOREBAY_RUN"] = context.id;
  settings.cancelled = [&context] {
    context.supervisor.serve_clients();
    return context.supervisor.stop_requested();
  };
  const OutputsReport report = copy_outputs(requests, settings);
  note_event(context, "staged", report.to_json());
  if (context.supervisor.stop_requested())
    return failed_outcome(OutcomeCause::kCancelled, std::string(tr("stopped while data was being copied")));
  for (const OutputResult& result : report.results)
    if (result.error) return failed_outcome(OutcomeCause::kSetupFailed, result.error->sentence());
  return std::nullopt;
}

}  // namespace forebay
