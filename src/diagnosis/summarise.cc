#include "diagnosis/metrics.h"
#include "diagnosis/summary.h"

namespace forebay {

MetricSet summarise(const RunRecord& record) {
  const Timeline timeline = make_timeline(record);
  MetricSet set;
  add_setting_metrics(record, set);
  add_step_metrics(timeline, set);
  add_rank_metrics(timeline, set);
  add_processor_metrics(timeline, set);
  add_storage_metrics(timeline, set);
  add_memory_metrics(record, timeline, set);
  add_gpu_metrics(timeline, set);
  add_edge_metrics(record, timeline, set);
  add_failure_metrics(record, timeline, set);
  add_model_metrics(set);
  return set;
}

}  // namespace forebay
