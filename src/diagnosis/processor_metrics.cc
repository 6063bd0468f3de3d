#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/summary.h"

namespace forebay {
namespace {

std::string samples_origin(const Timeline& timeline) {
  return fmt::format("samples.seg: {} samples", timeline.samples.count());
}

// Mean over the span of the sum over cores of "busy".
std::optional<double> busy_cores(const Timeline& timeline, Span span) {
  std::optional<double> total;
  for (const std::uint16_t core : timeline.samples.indexes(Metric::kCoreBusyFraction))
    if (const auto busy = mean(timeline.samples.find(Metric::kCoreBusyFraction, core)->inside(span)))
      total = total.value_or(0) + *busy;
  return total;
}

// Share of an interval that the rows of one process spent waiting for data, each row's wait spread evenly
// over it.
double waiting_share(const ProcessSteps& process, Span interval, std::size_t& from) {
  double waited = 0;
  while (from < process.rows.size() &&
         static_cast<double>(process.rows[from].start_ns + process.rows[from].duration_ns) * 1e-9 <=
             interval.begin)
    ++from;
  for (std::size_t i = from; i < process.rows.size(); ++i) {
    const StepRow& row = process.rows[i];
    const double begin = static_cast<double>(row.start_ns) * 1e-9,
                 length = static_cast<double>(row.duration_ns) * 1e-9;
    if (begin >= interval.end) break;
    const double overlap = std::min(interval.end, begin + length) - std::max(interval.begin, begin);
    if (overlap > 0)
      waited += overlap * static_cast<double>(row.data_wait_ns) / static_cast<double>(row.duration_ns);
  }
  return interval.length() > 0 ? waited / interval.length() : 0;
}

// How many cores the tree uses while it waits for data and while it computes: least squares of the CPU used
// between two samples against the share of that time spent waiting, cores = a + b × waiting. Only where the
// share varies enough to tell (standard deviation ≥ 0.15): with short steps every second looks the same, and
// then nothing is said.
void add_cores_by_phase(const Timeline& timeline, MetricSet& set) {
  const SampleSeries* cpu = timeline.samples.find(Metric::kTreeCpuSeconds);
  if (!cpu || timeline.processes.size() != 1 || !timeline.steady) return;
  std::vector<double> shares, cores;
  std::size_t from = 0;
  for (std::size_t i = 1; i < cpu->times.size(); ++i) {
    const Span interval{cpu->times[i - 1], cpu->times[i]};
    if (interval.begin < timeline.steady->begin || interval.end > timeline.steady->end) continue;
    shares.push_back(waiting_share(timeline.processes[0], interval, from));
    cores.push_back((cpu->values[i] - cpu->values[i - 1]) / interval.length());
  }
  if (shares.size() < 10) return;
  const double x = *mean(shares), y = *mean(cores);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    xx += (shares[i] - x) * (shares[i] - x);
    xy += (shares[i] - x) * (cores[i] - y);
  }
  if (std::sqrt(xx / static_cast<double>(shares.size())) < 0.15) return;
  const double slope = xy / xx, at_none = y - slope * x;
  const auto n = static_cast<std::int64_t>(shares.size());
  const std::string origin = fmt::format("samples.seg against steps.seg: least squares over {} intervals", n);
  set.add("cores_used_in_compute", std::max(0.0, at_none), "cores", origin, n);
  set.add("cores_used_in_data_wait", std::max(0.0, at_none + slope), "cores", origin, n);
}

void add_cores(const Timeline& timeline, MetricSet& set) {
  const std::string origin = samples_origin(timeline);
  const auto n = static_cast<std::int64_t>(timeline.samples.count());
  if (timeline.run)
    if (const auto cores = timeline.samples.rate(Metric::kTreeCpuSeconds, *timeline.run))
      set.add("tree_cores_used", *cores, "cores", origin, n);
  const std::optional<Span> window =
      timeline.steady && timeline.steady->length() > 0 ? timeline.steady : timeline.run;
  if (!window) return;
  const auto tree = timeline.samples.rate(Metric::kTreeCpuSeconds, *window);
  if (tree) {
    set.add("tree_cores_used_training", *tree, "cores", origin, n);
    if (const auto step = set.get("step_seconds_mean"))
      set.add("cpu_seconds_per_step", *tree * *step, "s", origin, n);
  }
  const auto busy = busy_cores(timeline, *window);
  if (busy) set.add("machine_cores_busy", *busy, "cores", origin, n);
  const auto usable = set.get("cores_usable");
  if (!usable) return;
  if (busy && tree) {
    // What neighbours take is not there for this run. Only where the run may use the whole machine: with a
    // quota or an affinity the cores of the machine say nothing about ours.
    const auto machine_cores =
        static_cast<double>(timeline.samples.indexes(Metric::kCoreBusyFraction).size());
    const double others = machine_cores <= *usable + 0.01 ? std::clamp(*busy - *tree, 0.0, *usable) : 0;
    set.add("other_cores_busy", others, "cores", origin, n);
    set.add("cores_available", std::max(*usable - others, std::min(*usable, 0.25)), "cores", origin, n);
  } else {
    set.add("cores_available", *usable, "cores", "machine.json; load of others not measured");
  }
  if (tree)
    set.add("cores_available_busy_share", std::min(1.0, *tree / *set.get("cores_available")), "1", origin, n);
}

void add_threads(const Timeline& timeline, MetricSet& set) {
  const auto threads = set.get("torch_threads"), usable = set.get("cores_usable");
  const double processes = timeline.processes.empty() ? 1 : static_cast<double>(timeline.processes.size());
  if (threads)
    set.add("compute_threads_total", *threads * processes, "1", "hook.json: threads × training processes");
  if (threads && usable && *usable > 0)
    set.add("compute_threads_per_core", *threads * processes / *usable, "1",
            "hook.json: threads × training processes ÷ usable cores");
  if (!timeline.run) return;
  const std::string origin = samples_origin(timeline);
  const auto n = static_cast<std::int64_t>(timeline.samples.count());
  auto add_quantile = [&](Metric metric, double q, const char* name, const char* unit) {
    const SampleSeries* series = timeline.samples.find(metric);
    if (!series) return;
    const auto value = quantile(series->inside(timeline.steady.value_or(*timeline.run)), q);
    if (value) set.add(name, *value, unit, origin, n);
  };
  add_quantile(Metric::kTreeThreads, 1, "tree_threads_peak", "1");
  add_quantile(Metric::kTreeProcesses, 1, "tree_processes_peak", "1");
  add_quantile(Metric::kLoadAverage1, 0.5, "load_median", "1");
}

void add_pressure(const Timeline& timeline, MetricSet& set) {
  if (!timeline.run) return;
  const Span window = timeline.steady && timeline.steady->length() > 0 ? *timeline.steady : *timeline.run;
  const auto n = static_cast<std::int64_t>(timeline.samples.count());
  auto add = [&](Metric metric, const char* name) {
    // Counters of seconds stalled: growth per second is the share of time.
    if (const auto share = timeline.samples.rate(metric, window))
      set.add(name, std::clamp(*share, 0.0, 1.0), "1", samples_origin(timeline), n);
  };
  add(Metric::kPressureCpuSome, "pressure_cpu_share");
  add(Metric::kPressureMemorySome, "pressure_memory_share");
  add(Metric::kPressureMemoryFull, "pressure_memory_full_share");
  add(Metric::kPressureIoSome, "pressure_io_share");
  add(Metric::kPressureIoFull, "pressure_io_full_share");
}

}  // namespace

void add_processor_metrics(const Timeline& timeline, MetricSet& set) {
  add_cores(timeline, set);
  add_cores_by_phase(timeline, set);
  add_threads(timeline, set);
  add_pressure(timeline, set);
}

void add_storage_metrics(const Timeline& timeline, MetricSet& set) {
  if (!timeline.run) return;
  const Span window = timeline.steady && timeline.steady->length() > 0 ? *timeline.steady : *timeline.run;
  const std::string origin = samples_origin(timeline);
  const auto n = static_cast<std::int64_t>(timeline.samples.count());
  auto add_rate = [&](Metric metric, const char* name, const char* unit) {
    if (const auto rate = timeline.samples.rate(metric, window)) set.add(name, *rate, unit, origin, n);
  };
  add_rate(Metric::kTreeReadBytes, "tree_read_rate", "B/s");
  add_rate(Metric::kTreeWriteBytes, "tree_write_rate", "B/s");
  add_rate(Metric::kTreeReadCharacters, "tree_read_characters_rate", "B/s");
  add_rate(Metric::kDiskReadBytes, "disk_read_rate", "B/s");
  add_rate(Metric::kDiskWriteBytes, "disk_write_rate", "B/s");
  add_rate(Metric::kNetworkReceivedBytes, "network_received_rate", "B/s");
  add_rate(Metric::kNetworkSentBytes, "network_sent_rate", "B/s");
  // Of what the tree asked for with read(2), how much had to come from a disk. An estimate: pipes and sockets
  // count as asked, memory-mapped files do not, and read-ahead may fetch more than was asked.
  const auto from_disk = set.get("tree_read_rate"), asked = set.get("tree_read_characters_rate");
  if (from_disk && asked && *asked > 1e6)
    set.add("page_cache_miss_share", std::min(1.0, *from_disk / *asked), "1", origin + ", an estimate", n);
  std::optional<double> busiest;
  for (const std::uint16_t disk : timeline.samples.indexes(Metric::kDiskBusySeconds))
    if (const auto growth = timeline.samples.find(Metric::kDiskBusySeconds, disk)->growth(window))
      busiest = std::max(busiest.value_or(0), std::min(1.0, growth->amount / growth->seconds));
  if (busiest) set.add("disk_busy_share", *busiest, "1", origin, n);
  if (const SampleSeries* wait = timeline.samples.find(Metric::kIoWaitFraction))
    if (const auto share = mean(wait->inside(window)))
      set.add("iowait_share", std::clamp(*share, 0.0, 1.0), "1", origin, n);
}

}  // namespace forebay
