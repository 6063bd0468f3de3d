// One whole run as values: what report, diagnosis, compare and the next plan read. Missing parts are absent,
// damaged parts are named in `damage`; loading never fails for them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "record/outcome.h"
#include "record/run_directory.h"
#include "record/sample.h"
#include "record/step.h"

namespace forebay {

struct RunEvent {
  Instant time;
  std::string name;  // "state", "limit", "signal", "supervisor", "output", "out-of-memory" …
  Json details;
};

struct RunRecord {
  std::string id;
  std::string path;
  Json job;  // null where absent, as for all of these
  Json launch;
  Json environment;
  Json machine;
  Json hook;  // see telemetry/hook_facts: {"processes": [...], "coverage": ..., "lost_records": n}
  Json progress;
  Json outputs;
  Json findings;
  Json bill;
  std::optional<Outcome> outcome;  // absent while the run goes on
  std::vector<Sample> samples;
  std::vector<StepRow> steps;
  std::vector<RunEvent> events;
  std::vector<std::string> damage;  // one sentence for each part that could not be read
};

struct LoadOptions {
  bool samples = true;
  bool steps = true;
  bool events = true;
  std::size_t maximum_samples = 200'000;  // more are thinned evenly: memory stays bounded
};

Result<RunRecord> load_run_record(const RunDirectory& directory, const LoadOptions& options = {});

// Events are appended by whoever owns the run's epoch.
Result<void> append_event(const RunDirectory& directory, const RunEvent& event);
// Whole small files of the record, as JSON.
Result<void> write_json_file(const std::string& path, const Json& json);
Result<Json> read_json_file(const std::string& path);

}  // namespace forebay
