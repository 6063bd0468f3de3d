// The parts of summarise(), in the order in which they run: later ones read what earlier ones added.
#pragma once

#include "diagnosis/metrics.h"
#include "diagnosis/timeline.h"

namespace forebay {

void add_setting_metrics(const RunRecord& record, MetricSet& set);     // hook facts, machine, job
void add_step_metrics(const Timeline& timeline, MetricSet& set);       // steps.seg
void add_rank_metrics(const Timeline& timeline, MetricSet& set);       // steps.seg, several ranks
void add_processor_metrics(const Timeline& timeline, MetricSet& set);  // CPU, threads, load, pressure
void add_storage_metrics(const Timeline& timeline, MetricSet& set);    // disks, page cache, network
void add_memory_metrics(const RunRecord& record, const Timeline& timeline, MetricSet& set);
void add_gpu_metrics(const Timeline& timeline, MetricSet& set);
void add_edge_metrics(const RunRecord& record, const Timeline& timeline,
                      MetricSet& set);  // before, after and beside the steps
void add_failure_metrics(const RunRecord& record, const Timeline& timeline,
                         MetricSet& set);  // outcome, out of memory
void add_model_metrics(MetricSet& set);    // what other settings would give

}  // namespace forebay
