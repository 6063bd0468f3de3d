// What happened before the first step, after the last one, and when nothing happened at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/summary.h"

namespace forebay {
namespace {

// Below these a process tree does nothing: 5 % of one core (an interpreter with a few polling threads uses
// about 1 %), 64 KiB/s of storage and of read and write calls, 2 % of a GPU. The limits of the supervisor use
// figures of the same size.
constexpr double kQuietCores = 0.05, kQuietBytes = 65536, kQuietGpu = 0.02;

// The longest stretch up to the end of `series` over which its rate stayed under `limit`: where that stretch
// begins.
double quiet_since(const SampleSeries& series, double limit) {
  for (std::size_t i = series.times.size() - 1; i > 0; --i)
    if ((series.values[i] - series.values[i - 1]) / (series.times[i] - series.times[i - 1]) > limit)
      return series.times[i];
  return series.times.front();
}

double gauge_quiet_since(const SampleSeries& series, double limit) {
  for (std::size_t i = series.times.size(); i > 0; --i)
    if (series.values[i - 1] > limit) return series.times[i - 1];
  return series.times.front();
}

std::optional<double> latest(std::optional<double> a, std::optional<double> b) {
  if (a && b) return std::max(*a, *b);
  return a ? a : b;
}

// Monotonic seconds of the newest output of the job, as the recorder noted it.
std::optional<double> last_log_time(const RunRecord& record, const Timeline& timeline) {
  const auto ns = record.progress["last_output_ns"].as_double();
  if (!ns || !timeline.wall_offset) return std::nullopt;
  return *ns * 1e-9 + *timeline.wall_offset;
}

std::optional<double> last_span_time(const RunRecord& record) {
  std::optional<double> last;
  for (const Json& process : record.hook["processes"].items())
    if (const auto ns = process["last_span"]["end_ns"].as_double()) last = latest(last, *ns * 1e-9);
  return last;
}

struct Quiet {
  std::optional<double> cpu, io, gpu, step,
      log;  // since when nothing came from it; absent = it cannot be told
};

Quiet quiet(const RunRecord& record, const Timeline& timeline) {
  Quiet result;
  const SampleTable& samples = timeline.samples;
  if (const SampleSeries* cpu = samples.find(Metric::kTreeCpuSeconds); cpu && cpu->times.size() > 1)
    result.cpu = quiet_since(*cpu, kQuietCores);
  for (const Metric metric : {Metric::kTreeReadBytes, Metric::kTreeWriteBytes, Metric::kTreeReadCharacters,
                              Metric::kTreeWriteCharacters})
    if (const SampleSeries* series = samples.find(metric); series && series->times.size() > 1)
      result.io = latest(result.io, quiet_since(*series, kQuietBytes));
  for (const std::uint16_t device : samples.indexes(Metric::kGpuUtilizationFraction))
    result.gpu = latest(result.gpu,
                        gauge_quiet_since(*samples.find(Metric::kGpuUtilizationFraction, device), kQuietGpu));
  if (timeline.training) result.step = latest(timeline.training->end, last_span_time(record));
  result.log = last_log_time(record, timeline);
  return result;
}

void add_since(const char* name, std::optional<double> since, double end, const char* origin,
               MetricSet& set) {
  if (since) set.add(name, std::max(0.0, end - *since), "s", origin);
}

void add_tail(const RunRecord& record, const Timeline& timeline, MetricSet& set) {
  const double end = timeline.run->end;
  const Quiet since = quiet(record, timeline);
  add_since("seconds_since_last_step", since.step, end, "steps.seg, hook.json", set);
  add_since("seconds_since_last_log", since.log, end, "progress.json", set);
  add_since("seconds_since_last_io", since.io, end, "samples.seg", set);
  add_since("seconds_since_last_cpu", since.cpu, end, "samples.seg", set);
  add_since("seconds_since_last_gpu", since.gpu, end, "samples.seg", set);
  if (!since.cpu || !since.io) return;
  // Idle: nothing at all moves. Silent: no step, no line, no storage, but the processor may spin (a
  // deadlocked collective does).
  std::optional<double> idle = latest(latest(since.cpu, since.io), latest(since.gpu, since.step));
  idle = latest(idle, since.log);
  set.add("idle_tail_seconds", std::max(0.0, end - *idle), "s", "samples.seg, steps.seg, progress.json");
  if (since.step) {
    const double silent = std::max(*latest(since.io, since.step), since.log.value_or(0));
    set.add("silent_tail_seconds", std::max(0.0, end - silent), "s", "samples.seg, steps.seg, progress.json");
    if (timeline.wall_seconds && *timeline.wall_seconds > 0)
      set.add("silent_tail_share", std::clamp((end - silent) / *timeline.wall_seconds, 0.0, 1.0), "1",
              "samples.seg, steps.seg");
    if (end > silent) {
      if (const auto cores = timeline.samples.rate(Metric::kTreeCpuSeconds, {silent, end}))
        set.add("silent_tail_cores", *cores, "cores", "samples.seg");
    }
  }
  if (timeline.wall_seconds && *timeline.wall_seconds > 0)
    set.add("idle_tail_share", std::clamp((end - *idle) / *timeline.wall_seconds, 0.0, 1.0), "1",
            "samples.seg, steps.seg");
}

void add_head(const Timeline& timeline, MetricSet& set) {
  // Without samples nothing says when the command began: unknown, not 0.
  if (!timeline.first_step || !timeline.samples.span()) return;
  const Span head{timeline.run->begin, *timeline.first_step};
  const char* origin = "steps.seg: begin of the first step";
  set.add("startup_seconds", std::max(0.0, head.length()), "s", origin);
  if (timeline.wall_seconds && *timeline.wall_seconds > 0)
    set.add("startup_share", std::clamp(head.length() / *timeline.wall_seconds, 0.0, 1.0), "1", origin);
  if (head.length() <= 0) return;
  auto add = [&](Metric metric, const char* name, const char* unit) {
    if (const auto rate = timeline.samples.rate(metric, head))
      set.add(name, *rate, unit, "samples.seg: before the first step");
  };
  add(Metric::kTreeCpuSeconds, "startup_cores_used", "cores");
  add(Metric::kTreeReadBytes, "startup_read_rate", "B/s");
  add(Metric::kNetworkReceivedBytes, "startup_network_rate", "B/s");
}

}  // namespace

void add_edge_metrics(const RunRecord& record, const Timeline& timeline, MetricSet& set) {
  if (!timeline.run || timeline.run->length() <= 0) return;
  add_head(timeline, set);
  add_tail(record, timeline, set);
}

}  // namespace forebay
