// Diagnoses and bills made by hand for the example runs, so that tests of the report do not depend on the
// rules.
#pragma once

#include "cost/bill.h"
#include "diagnosis/comparison.h"
#include "diagnosis/finding.h"
#include "run_record_builder.h"

namespace forebay::example_reports {

struct Report {
  RunRecord record;
  Diagnosis diagnosis;
  Bill bill;
};

inline Bill bill_of(double seconds, std::optional<Money> price = std::nullopt) {
  Bill bill;
  bill.lines.push_back({"preparing", Text{"preparing", {}}, Duration::from_seconds(0.4), std::nullopt});
  bill.lines.push_back({"running", Text{"running", {}}, Duration::from_seconds(seconds), std::nullopt});
  for (BillLine& line : bill.lines) {
    bill.duration.nanoseconds += line.duration.nanoseconds;
    if (price) line.money = money_for(*price, line.duration);
  }
  bill.price_per_hour = price;
  if (price) bill.total = Money{bill.lines[0].money->nano + bill.lines[1].money->nano, price->currency};
  if (price) bill.price_source = "launch.json: price_per_hour";
  if (!price) bill.remarks.push_back(Text{"no price is known: give --price-per-hour", {}});
  return bill;
}

inline Finding stall_finding() {
  Finding finding;
  finding.id = "data-stall-main-process";
  finding.title =
      Text{"The step waits for data: samples are decoded in the main process (num_workers=0)", {}};
  finding.share = Probability{0.71};
  finding.seconds_lost = Duration::from_seconds(94.1);
  finding.evidence = {
      Text{"each step waited 724 ms of 1.02 s for the next batch", {}},
      Text{"DataLoader(ImageFolder, batch_size=32) has num_workers=0; 1.3 of 8 cores were busy", {}}};
  Gain gain{2.9, 3.2, 3.4,
            DurationRange{Duration::from_seconds(0.30), Duration::from_seconds(0.318),
                          Duration::from_seconds(0.35)}};
  finding.fixes.push_back(
      {Text{"Give the DataLoader worker processes: num_workers=6, persistent_workers=True", {}},
       gain,
       {{"num_workers", "6"}}});
  finding.confidence = Confidence::kHigh;
  finding.confidence_reason = Text{"130 steps were timed", {}};
  return finding;
}

inline Report data_stall() {
  Report report{example_runs::data_stall(), {}, bill_of(135.6)};
  report.diagnosis.verdict = Verdict::kFindings;
  report.diagnosis.summary = Text{"71 % of the time was spent waiting for data.", {}};
  report.diagnosis.findings.push_back(stall_finding());
  Finding threads;
  threads.id = "memory-near-limit";
  threads.kind = FindingKind::kRisk;
  threads.title = Text{"Batch normalisation runs in training mode during validation", {}};
  threads.evidence = {Text{"seen 3 times", {}}};
  threads.fixes.push_back({Text{"Call model.eval() before validating", {}}, std::nullopt, {}});
  report.diagnosis.findings.push_back(threads);
  report.diagnosis.not_judged.push_back(
      {"gpu-idle", Text{"GPU idle", {}}, {"gpu_utilization"}, Text{"not enough evidence", {}}});
  return report;
}

inline Report fixed() {
  Report report{example_runs::data_stall(6), {}, bill_of(43.3)};
  report.diagnosis.verdict = Verdict::kNothingWrong;
  report.diagnosis.summary = Text{"Nothing stands out.", {}};
  return report;
}

inline Report out_of_memory() {
  Report report{example_runs::out_of_memory(), {}, bill_of(62)};
  report.diagnosis.verdict = Verdict::kFindings;
  report.diagnosis.summary = Text{"The run ran out of host memory.", {}};
  Finding finding;
  finding.id = "host-out-of-memory";
  finding.kind = FindingKind::kFailure;
  finding.title = Text{"Host memory was full: the run needed more than its limit of 16 GiB", {}};
  finding.evidence = {Text{"memory grew by 240 MiB a second until 15.9 GiB", {}},
                      Text{"the kernel sent SIGKILL at step 48, batch size 512, 8 workers", {}}};
  finding.fixes = {{Text{"Halve the batch size to 256 and accumulate two gradients", {}},
                    std::nullopt,
                    {{"batch_size", "256"}}},
                   {Text{"Start 4 workers instead of 8", {}}, std::nullopt, {{"num_workers", "4"}}}};
  finding.confidence = Confidence::kHigh;
  report.diagnosis.findings.push_back(finding);
  return report;
}

inline Report simple(RunRecord record, Verdict verdict, const std::string& summary, double seconds) {
  Report report{std::move(record), {}, bill_of(seconds)};
  report.diagnosis.verdict = verdict;
  report.diagnosis.summary = Text{summary, {}};
  return report;
}

inline Report gpu() {
  Report report =
      simple(example_runs::gpu(), Verdict::kFindings, "37 % of the time was spent waiting for data.", 600);
  report.bill = bill_of(600, Money{4'100'000'000, "USD"});
  report.bill.energy = Joules{104'000};
  report.bill.energy_source = "GPU energy counters";
  Finding finding = stall_finding();
  finding.share = Probability{0.37};
  report.diagnosis.findings.push_back(finding);
  report.bill.wasted.push_back(
      {finding.id, finding.title, Duration::from_seconds(222), Money{252'833'333, "USD"}});
  return report;
}

inline Comparison comparison() {
  Comparison comparison;
  comparison.run_a = "k3v9x2";
  comparison.run_b = "m8w2qa";
  comparison.change = Change::kFaster;
  comparison.verdict = Text{"m8w2qa is 3.3× as fast as k3v9x2.", {}};
  comparison.speedup = Gain{3.1, 3.3, 3.5, std::nullopt};
  comparison.metrics = {{"step_seconds_median", "s", 1.02, 0.31, 0.31 / 1.02},
                        {"data_wait_share", "%", 0.71, 0.04, 0.04 / 0.71},
                        {"wall_seconds", "s", 135.6, 43.3, 43.3 / 135.6},
                        {"gpu_utilization_mean", "%", std::nullopt, std::nullopt, std::nullopt}};
  comparison.changes = {{"num_workers", "0", "6"}, {"variable:OMP_NUM_THREADS", std::nullopt, "8"}};
  PredictionCheck check;
  check.finding = "data-stall-main-process";
  check.title = stall_finding().title;
  check.fix = stall_finding().fixes[0].text;
  check.predicted_step = DurationRange{Duration::from_seconds(0.30), Duration::from_seconds(0.318),
                                       Duration::from_seconds(0.35)};
  check.measured_step = Duration::from_seconds(0.31);
  check.verdict = PredictionVerdict::kWithin;
  check.sentence = Text{"Predicted 318 ms (300 ms to 350 ms) per step; measured 310 ms.", {}};
  comparison.predictions.push_back(check);
  return comparison;
}

inline std::vector<Report> all() {
  std::vector<Report> reports{data_stall(), fixed(), out_of_memory(), gpu()};
  reports.push_back(simple(example_runs::healthy(), Verdict::kNothingWrong,
                           "Nothing stands out: everything that matters was measured and no rule fired.",
                           240));
  reports.push_back(simple(example_runs::hang(), Verdict::kFindings,
                           "The run hung: no step, no line and no I/O for 310 s.", 400));
  reports.push_back(simple(example_runs::no_python(), Verdict::kNotEnoughEvidence,
                           "Not enough was measured to judge.", 12));
  reports.push_back(
      simple(example_runs::failed(), Verdict::kNotEnoughEvidence, "Not enough was measured to judge.", 4.1));
  reports.push_back(simple(example_runs::running(), Verdict::kRunning, "The run goes on.", 60));
  reports.push_back(simple(example_runs::nothing_measured(), Verdict::kNotEnoughEvidence,
                           "Not enough was measured to judge.", 0));
  Report hostile = simple(example_runs::hostile(), Verdict::kFindings, "{0}", 4);
  const std::string attack = hostile.record.launch["name"].string_or_empty();
  hostile.diagnosis.summary.args = {attack};
  hostile.diagnosis.findings.push_back(stall_finding());
  hostile.diagnosis.findings[0].evidence.push_back(Text{attack, {}});
  hostile.diagnosis.findings[0].id = attack;
  hostile.diagnosis.findings[0].metrics.emplace_back(attack, 1e300);
  reports.push_back(hostile);
  return reports;
}

}  // namespace forebay::example_reports
