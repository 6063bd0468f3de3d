// What was measured, for --json.
#include "planning/measured_work.h"

namespace forebay {
namespace {

Json range_json(const ExpectedRange& range) {
  return Json::object({{"low", range.low}, {"high", range.high}});
}

Json bytes_json(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count) : Json();
}

Json parts_json(const StepParts& parts) {
  return Json::object({{"data_wait", parts.data_wait},
                       {"forward", parts.forward},
                       {"backward", parts.backward},
                       {"optimizer", parts.optimizer},
                       {"host_sync", parts.host_sync},
                       {"collective", parts.collective},
                       {"other", parts.other}});
}

Json step_json(const StepMeasure& step) {
  Json rare = Json::array();
  for (const RareEvent& event : step.rare)
    rare.push(Json::object({{"kind", rare_kind_name(event.kind)},
                            {"count", event.count},
                            {"seconds_each", event.seconds_each}}));
  return Json::object({{"steps", step.steps},
                       {"warmup_steps", step.warmup_steps},
                       {"warmup_seconds", step.warmup_seconds},
                       {"usual_steps", step.usual_steps},
                       {"seconds_median", step.median},
                       {"seconds_p5", step.p5},
                       {"seconds_p95", step.p95},
                       {"seconds_mean", step.mean},
                       {"seconds_mean_expected", range_json(step.long_mean)},
                       {"parts_seconds", parts_json(step.parts)},
                       {"rare", rare},
                       {"samples_per_step", step.samples_per_step},
                       {"samples_per_second", step.samples_per_second}});
}

}  // namespace

Json to_json(const MeasuredWork& work) {
  Json gaps = Json::array();
  for (const Text& gap : work.gaps) gaps.push(gap.to_json());
  Json json = Json::object({{"run", work.run},
                            {"step", work.step ? step_json(*work.step) : Json()},
                            {"steps_seen", work.steps_seen},
                            {"ranks", work.ranks},
                            {"seconds", work.seconds},
                            {"startup_seconds", work.startup_seconds},
                            {"peak_memory_bytes", bytes_json(work.peak_memory)},
                            {"memory_limit_bytes", bytes_json(work.memory_limit)},
                            {"peak_gpu_memory_bytes", bytes_json(work.peak_gpu_memory)},
                            {"gpu_memory_total_bytes", bytes_json(work.gpu_memory_total)},
                            {"gpu_utilization", work.gpu_utilization},
                            {"gpus_used", work.gpus_used},
                            {"gpu", work.gpu_model.empty() ? Json() : Json(work.gpu_model)},
                            {"on_gpu", work.on_gpu}});
  json.set("cores_used", work.cores_used).set("cores_usable", work.cores_usable);
  json.set("other_cores_used", work.other_cores);
  json.set("read_bytes_per_second", work.read_rate).set("write_bytes_per_second", work.write_rate);
  json.set("data_loader_workers", work.feeding ? Json(work.feeding->workers) : Json());
  json.set("fetch_seconds_per_step", work.feeding ? Json(work.feeding->fetch_seconds) : Json());
  json.set("progress", Json::object({{"step", work.progress_step},
                                     {"total_steps", work.progress_total_steps},
                                     {"total_epochs", work.progress_total_epochs}}));
  json.set("stopped_by_probe", work.was_cut);
  return json.set("not_known", gaps);
}

}  // namespace forebay
