#include "cli/probe_result.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "record/outcome_words.h"
#include "report/bar.h"
#include "report/headline.h"
#include "report/terminal_text.h"

namespace forebay {
namespace {

constexpr int kLabel = 22;
constexpr int kBar = 20;

template <typename... Values>
std::string say(std::string_view translated, const Values&... values) {
  return fmt::format(fmt::runtime(translated), values...);
}

std::string seconds_text(double seconds) {
  return step_time(Duration::from_seconds(seconds));
}

std::string range_text(const ExpectedRange& range, std::string (*format)(double)) {
  std::string low = format(range.low);
  const std::string high = format(range.high);
  if (low == high) return low;
  return say(tr("{0} to {1}"), low, high);
}

std::string long_text(double seconds) {
  return format_duration(Duration::from_seconds(seconds));
}

std::string unknown() {
  return std::string(tr("unknown"));
}

std::string bytes_text(const std::optional<Bytes>& used, const std::optional<Bytes>& all) {
  if (!used) return unknown();
  return all ? say(tr("{0} of {1}"), format_bytes(*used), format_bytes(*all)) : format_bytes(*used);
}

std::string rate_text(const std::optional<double>& rate) {
  return rate ? format_bytes(Bytes{static_cast<std::int64_t>(*rate)}) + "/s" : unknown();
}

void write_parts(TerminalText& text, const StepMeasure& step) {
  struct Part {
    std::string_view label;
    std::optional<double> seconds;
  };
  const StepParts& parts = step.parts;
  const std::array<Part, 7> table{{{tr("data wait"), parts.data_wait},
                                   {tr("forward"), parts.forward},
                                   {tr("backward"), parts.backward},
                                   {tr("optimiser"), parts.optimizer},
                                   {tr("synchronisation"), parts.host_sync},
                                   {tr("collectives"), parts.collective},
                                   {tr("other"), parts.other}}};
  for (const auto& [label, seconds] : table) {
    if (seconds && *seconds == 0) continue;
    if (!seconds) {
      text.labelled("  " + std::string(label), kLabel, unknown(), Tone::kDim);
      continue;
    }
    const double share = step.mean > 0 ? *seconds / step.mean : 0;
    text.labelled("  " + std::string(label), kLabel,
                  fmt::format("{} {:>6}  {}", share_bar(share, kBar, text.style().unicode), percent(share),
                              seconds_text(*seconds)));
  }
}

void write_step(TerminalText& text, const MeasuredWork& work) {
  if (!work.step) {
    text.labelled(tr("time per step"), kLabel, unknown());
    return;
  }
  const StepMeasure& step = *work.step;
  text.labelled(tr("time per step"), kLabel,
                say(tr("{0} median, 90 % between {1} and {2} ({3} steps, {4} of warm-up left out)"),
                    seconds_text(step.median), seconds_text(step.p5), seconds_text(step.p95), step.steps,
                    step.warmup_steps),
                Tone::kStrong);
  write_parts(text, step);
  for (const RareEvent& event : step.rare) {
    const std::string_view label = event.kind == RareKind::kEpochBegin   ? tr("beginning of an epoch")
                                   : event.kind == RareKind::kValidation ? tr("evaluation")
                                                                         : tr("checkpoint");
    text.labelled(label, kLabel,
                  say(tr("{0} more, {1} times"), seconds_text(event.seconds_each), event.count));
  }
  text.labelled(tr("samples per second"), kLabel,
                step.samples_per_second ? fmt::format("{:.4g}", *step.samples_per_second) : unknown());
}

void write_machine(TerminalText& text, const MeasuredWork& work) {
  text.labelled(tr("before the first step"), kLabel,
                work.startup_seconds ? long_text(*work.startup_seconds) : unknown());
  text.labelled(tr("memory, highest"), kLabel, bytes_text(work.peak_memory, work.memory_limit));
  text.labelled(tr("CPU cores used"), kLabel,
                !work.cores_used    ? unknown()
                : work.cores_usable ? say(tr("{0} of {1}"), fmt::format("{:.1f}", *work.cores_used),
                                          fmt::format("{:g}", *work.cores_usable))
                                    : fmt::format("{:.1f}", *work.cores_used));
  text.labelled(tr("storage"), kLabel,
                say(tr("{0} read, {1} written"), rate_text(work.read_rate), rate_text(work.write_rate)));
  if (!work.gpus_used && !work.on_gpu) return;
  text.labelled(tr("GPU memory, highest"), kLabel, bytes_text(work.peak_gpu_memory, work.gpu_memory_total));
  text.labelled(tr("GPU utilisation"), kLabel,
                work.gpu_utilization ? percent(*work.gpu_utilization) : unknown());
}

void write_progress(TerminalText& text, const MeasuredWork& work) {
  if (!work.progress_step) return;
  text.labelled(tr("progress lines"), kLabel,
                work.progress_total_steps
                    ? say(tr("step {0}/{1}"), *work.progress_step, *work.progress_total_steps)
                    : say(tr("step {0}"), *work.progress_step));
}

void write_extrapolation(TerminalText& text, const Extrapolation& result,
                         const std::optional<JobLength>& length) {
  text.labelled(tr("time per step"), kLabel,
                result.step_seconds ? range_text(*result.step_seconds, seconds_text) : unknown());
  std::string total = unknown();
  if (result.total_seconds && length)
    total = fmt::format("{} ({})", range_text(*result.total_seconds, long_text), render(length->source));
  text.labelled(tr("the whole job"), kLabel, total, result.total_seconds ? Tone::kStrong : Tone::kPlain);
  for (const Text& reason : result.reasons) text.paragraph(2, text.bullet(), Tone::kDim, render(reason));
}

void write_advice(TerminalText& text, const CapacityAdvice& advice) {
  const std::string_view kind = advice.kind == CapacityKind::kSpot       ? tr("spot")
                                : advice.kind == CapacityKind::kOnDemand ? tr("on-demand")
                                : advice.kind == CapacityKind::kLongTerm ? tr("a long-term commitment")
                                                                         : tr("unknown");
  text.heading(tr("What to rent"));
  text.labelled(tr("capacity"), kLabel, kind, Tone::kStrong);
  for (const Text& reason : advice.reasons) text.paragraph(2, text.bullet(), Tone::kDim, render(reason));
}

// What a probe does and does not do to the job's files.
void write_remarks(TerminalText& text, const RunRecord& record, const ProbeResult& result) {
  text.blank();
  if (result.has_outputs && record.launch["probe"].is_object())
    text.paragraph(0, "", Tone::kPlain, tr("The job's outputs were not copied: a probe copies none."));
  if (record.launch["probe"].is_object())
    text.paragraph(0, "", Tone::kPlain,
                   tr("What the program itself writes into its folder it wrote as in a whole run."),
                   Tone::kDim);
  text.paragraph(
      0, "", Tone::kPlain,
      say(tr("`forebay logs {0}` shows its output, `forebay report {0}` why it is as fast as it is."),
          record.id),
      Tone::kDim);
}

}  // namespace

ProbeResult judge_probe(const RunRecord& record, const SliceSettings& settings, const LengthHints& hints,
                        const std::optional<TargetMachine>& target) {
  ProbeResult result;
  result.measured = measure_work(record, settings);
  result.length = job_length(result.measured, hints);
  result.here = extrapolate(result.measured, measured_machine(result.measured), result.length);
  result.target = target;
  if (target) result.there = extrapolate(result.measured, *target, result.length);
  CapacityNeeds needs;
  needs.has_checkpoint = record.job["checkpoint"]["path"].is_string();
  needs.restart_seconds = result.measured.startup_seconds;
  needs.may_be_interrupted = record.job["policy"]["interruptible"].string_or_empty() != "no";
  if (result.measured.step)
    for (const RareEvent& event : result.measured.step->rare)
      if (event.kind == RareKind::kCheckpoint) needs.checkpoint_seconds = event.seconds_each;
  const Extrapolation& judged = result.there ? *result.there : result.here;
  result.advice = advise_capacity(judged.total_seconds, needs);
  result.has_outputs = record.job["outputs"].size() > 0;
  return result;
}

std::string render_probe(const RunRecord& record, const ProbeResult& result, const TerminalStyle& style) {
  TerminalText text(style);
  const Headline headline = headline_of(record);
  text.heading(say(tr("Probe of {0}"), run_name(record)), record.id);
  text.paragraph(0, "", Tone::kPlain, render(headline.sentence), tone_of(headline.kind));
  if (!headline.detail.empty())
    text.paragraph(0, "", Tone::kPlain, outcome_sentence(headline.detail), Tone::kDim);
  text.heading(tr("Measured"));
  write_step(text, result.measured);
  write_machine(text, result.measured);
  write_progress(text, result.measured);
  text.heading(tr("To expect on this machine"));
  write_extrapolation(text, result.here, result.length);
  if (result.there) {
    text.heading(tr("To expect on the other machine"));
    write_extrapolation(text, *result.there, result.length);
  }
  write_advice(text, result.advice);
  if (!result.measured.gaps.empty()) {
    text.heading(tr("What could not be known"));
    for (const Text& gap : result.measured.gaps) text.paragraph(2, text.bullet(), Tone::kDim, render(gap));
  }
  write_remarks(text, record, result);
  return text.take();
}

Json probe_json(const RunRecord& record, const ProbeResult& result) {
  Json length;
  if (result.length)
    length = Json::object({{"steps", result.length->steps},
                           {"steps_per_epoch", result.length->steps_per_epoch},
                           {"source", result.length->source.to_json()}});
  return Json::object(
      {{"run", record.id},
       {"outcome", record.outcome ? record.outcome->to_json() : Json()},
       {"measured", to_json(result.measured)},
       {"length", length},
       {"here", to_json(result.here)},
       {"there", result.there ? to_json(*result.there) : Json()},
       {"advice", to_json(result.advice)},
       {"outputs_copied", !record.launch["probe"].is_object() && record.outputs.is_object()}});
}

}  // namespace forebay
