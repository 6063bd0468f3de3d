#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/finding.h"
#include "diagnosis/rule.h"

namespace forebay {
namespace {

bool ranks_before(const Finding& a, const Finding& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  const double share_a = a.share ? a.share->value : 0, share_b = b.share ? b.share->value : 0;
  if (share_a != share_b) return share_a > share_b;
  return a.id < b.id;
}

constexpr std::size_t kMostRemarks = 5;  // of one kind

void add_coverage_remarks(const RunRecord& record, const MetricSet& metrics, std::vector<Text>& remarks) {
  const Json& coverage = record.hook["coverage"];
  std::size_t said = 0;
  for (const Json& process : coverage["not_covered"].items()) {
    const std::string reason = process["reason"].string_or_empty();
    const std::string pid = fmt::format("{}", process["pid"].as_integer().value_or(0));
    if (++said > kMostRemarks) break;
    if (reason == "isolated") {
      remarks.push_back({"process {0} runs Python with -I, -E or -S: its steps were not seen", {pid}});
    } else if (reason == "environment") {
      remarks.push_back({"process {0} lost PYTHONPATH on its way: its steps were not seen", {pid}});
    } else {
      remarks.push_back({"Python process {0} could not be watched: its steps were not seen", {pid}});
    }
  }
  if (const auto python = coverage["python_processes"].as_integer();
      python && *python == 0 && !metrics.find("steps"))
    remarks.push_back({"no Python process was seen: training steps can only be timed in Python", {}});
  if (const auto lost = metrics.get("hook_records_lost"); lost && *lost > 0)
    remarks.push_back({"{0} of the hook's records were lost: the parts of some steps are too small",
                       {format_measure(*lost, "1")}});
}

void add_remarks(const RunRecord& record, const MetricSet& metrics, std::vector<Text>& remarks) {
  add_coverage_remarks(record, metrics, remarks);
  if (const auto warm = metrics.get("warmup_steps"); warm && *warm > 0)
    remarks.push_back(
        {"the first {0} steps ({1}) were left out as warm-up",
         {format_measure(*warm, "1"), format_measure(metrics.get("warmup_seconds").value_or(0), "s")}});
  if (const auto problem = metrics.fact("gpu_problem")) remarks.push_back({"{0}", {*problem}});
  for (std::size_t i = 0; i < std::min(record.damage.size(), kMostRemarks); ++i)
    remarks.push_back({"a part of the record could not be read: {0}", {record.damage[i]}});
  for (const Error& fault : built_in_rule_faults()) remarks.push_back({"{0}", {fault.sentence()}});
}

Text summary_of(const Diagnosis& diagnosis) {
  switch (diagnosis.verdict) {
    case Verdict::kFindings: {
      const Finding& first = diagnosis.findings.front();
      if (first.kind == FindingKind::kTime && first.share)
        return {"{0}. It costs {1} of the time.",
                {first.title.msgid, format_measure(first.share->value, "%")}};
      return {"{0}.", {first.title.msgid}};
    }
    case Verdict::kNothingWrong:
      return {"Nothing wrong was found: what matters was measured, and no rule fired.", {}};
    case Verdict::kRunning:
      return {"The run goes on, and nothing wrong was found so far.", {}};
    case Verdict::kNotEnoughEvidence:
      break;
  }
  return {"Not enough evidence: too little of the run was measured to say whether something is wrong.", {}};
}

bool is_core(std::string_view id) {
  for (const Rule& rule : built_in_rules())
    if (rule.id == id) return rule.core;
  return false;
}

}  // namespace

Diagnosis diagnose(const RunRecord& record, const MetricSet& metrics) {
  Diagnosis diagnosis;
  for (const Rule& rule : built_in_rules()) {
    Judgement judgement = judge(rule, metrics);
    if (judgement.finding) diagnosis.findings.push_back(std::move(*judgement.finding));
    if (judgement.not_judged) diagnosis.not_judged.push_back(std::move(*judgement.not_judged));
  }
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(), ranks_before);
  const bool blind =
      built_in_rules().empty() || std::any_of(diagnosis.not_judged.begin(), diagnosis.not_judged.end(),
                                              [](const NotJudged& rule) { return is_core(rule.rule); });
  if (!diagnosis.findings.empty())
    diagnosis.verdict = Verdict::kFindings;
  else if (!record.outcome)
    diagnosis.verdict = Verdict::kRunning;
  else
    diagnosis.verdict = blind ? Verdict::kNotEnoughEvidence : Verdict::kNothingWrong;
  add_remarks(record, metrics, diagnosis.remarks);
  diagnosis.summary = summary_of(diagnosis);
  return diagnosis;
}

}  // namespace forebay
