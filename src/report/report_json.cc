#include "report/report_json.h"

#include "cost/bill.h"
#include "diagnosis/comparison.h"
#include "diagnosis/finding.h"
#include "report/headline.h"
#include "report/series.h"
#include "report/step_parts.h"

namespace forebay {
namespace {

Json step_json(const RunRecord& record) {
  const auto summary = summarise_parts(record.steps);
  if (!summary) return {};
  Json parts = Json::object();
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    if (summary->seconds[i] <= 0) continue;
    parts.set(step_part_table()[i].id,
              Json::object({{"seconds", summary->seconds[i]}, {"share", summary->share(i)}}));
  }
  Json json = Json::object({{"steps", summary->steps}, {"processes", summary->processes}});
  json.set("seconds", summary->total.seconds());
  json.set("median_seconds", summary->median_step ? Json(summary->median_step->seconds()) : Json());
  json.set("samples_per_second", Json(summary->samples_per_second));
  const auto before = time_before_first_step(record);
  json.set("before_first_step_seconds", before ? Json(before->seconds()) : Json());
  return json.set("parts", parts);
}

Json series_json(const Series& series) {
  return Json::object(
      {{"unit", series.unit}, {"mean", Json(series.mean())}, {"maximum", Json(series.maximum())}});
}

Json machine_json(const RunRecord& record) {
  Json json = Json::object();
  json.set("cores", Json(core_count(record)));
  json.set("cpu_cores",
           series_json(rate_series(record, Metric::kTreeCpuSeconds, "cpu_cores", "CPU", "cores")));
  json.set("memory", series_json(memory_series(record)));
  json.set("memory_limit_bytes", Json(memory_limit(record)));
  Json gpus = Json::array();
  for (const int device : gpu_devices(record)) {
    Json gpu = Json::object({{"index", device}});
    gpu.set("utilization",
            series_json(gauge_series(record, Metric::kGpuUtilizationFraction, device, "", "", "1")));
    gpu.set("memory", series_json(gauge_series(record, Metric::kGpuMemoryUsedBytes, device, "", "", "B")));
    gpu.set("power", series_json(gauge_series(record, Metric::kGpuPowerWatts, device, "", "", "W")));
    gpus.push(gpu);
  }
  return json.set("gpus", gpus);
}

}  // namespace

Json report_json(const RunRecord& record, const Diagnosis& diagnosis, const Bill& bill) {
  Json json =
      Json::object({{"run", record.id}, {"name", run_name(record)}, {"command", command_line(record)}});
  json.set("outcome", record.outcome ? record.outcome->to_json() : Json());
  const auto duration = run_duration(record);
  json.set("duration_seconds", duration ? Json(duration->seconds()) : Json());
  json.set("diagnosis", diagnosis.to_json());
  json.set("bill", bill.to_json());
  json.set("step", step_json(record));
  json.set("machine", machine_json(record));
  json.set("progress", record.progress["latest"]);
  json.set("error_lines", record.progress["error_lines"]);
  json.set("outputs", record.outputs);
  return json.set("damage", Json(record.damage));
}

Json comparison_json(const ComparedRun& before, const ComparedRun& after, const Comparison& comparison) {
  Json json = comparison.to_json();
  json.set("a", report_json(before.record, before.diagnosis, before.bill));
  return json.set("b", report_json(after.record, after.diagnosis, after.bill));
}

}  // namespace forebay
