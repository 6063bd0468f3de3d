// Releasing: what the record says about the run, kept with it.
#include "agent/attempt_context.h"
#include "base/log.h"
#include "cost/bill.h"
#include "diagnosis/finding.h"

namespace forebay {

void conclude(AttemptContext& context) {
  auto record = load_run_record(context.directory);
  if (!record) {
    log_event(LogLevel::kError, "record-not-read", {{"cause", record.error().sentence()}});
    return;
  }
  record->findings = diagnose(*record).to_json();
  if (auto written = write_json_file(context.directory.findings(), record->findings); !written)
    log_event(LogLevel::kError, "findings-not-written", {{"cause", written.error().sentence()}});
  const Bill bill = compute_bill(*record, context.price_per_hour);
  if (auto written = write_json_file(context.directory.bill(), bill.to_json()); !written)
    log_event(LogLevel::kError, "bill-not-written", {{"cause", written.error().sentence()}});
}

}  // namespace forebay
