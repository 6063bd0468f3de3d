#include "report/page_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "report/say.h"
#include "report/series.h"
#include "report/step_parts.h"

namespace forebay {
namespace {

constexpr std::size_t kMaximumPoints = 2000;
constexpr std::size_t kMaximumBuckets = 400;

// Four significant digits: enough for a picture, a third of the size.
Json rounded(double value, int digits = 4) {
  if (!std::isfinite(value)) return {};
  if (value == 0) return Json(0);
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::fabs(value))));
  if (!std::isfinite(scale) || scale == 0) return Json(value);
  const double result =
      scale > 1 ? std::round(value * scale) / scale : std::round(value / (1 / scale)) * (1 / scale);
  if (result == std::floor(result) && std::fabs(result) < 9e15)
    return Json(static_cast<std::int64_t>(result));
  return Json(result);
}

Json in_both_languages(std::string_view msgid, int index = -1) {
  const std::string suffix = index >= 0 ? " " + std::to_string(index) : std::string();
  return Json::object({{"en", say("en", msgid) + suffix}, {"zh_CN", say("zh_CN", msgid) + suffix}});
}

Json points_json(const std::vector<SeriesPoint>& points) {
  Json list = Json::array();
  for (const SeriesPoint& point : thin_points(points, kMaximumPoints))
    list.push(
        Json(std::vector<Json>{rounded(point.seconds, 7), point.value ? rounded(*point.value) : Json()}));
  return list;
}

struct LinePlot {
  Json json = Json::object({{"kind", "line"}});
  Json series = Json::array();

  LinePlot(std::string_view unit) { json.set("unit", unit); }
  void add(const Series& line) {
    if (!line.has_values()) return;
    series.push(Json::object(
        {{"label", in_both_languages(line.label, line.index)}, {"points", points_json(line.points)}}));
  }
  void top(std::optional<double> value) {
    if (value) json.set("top", rounded(*value, 6));
  }
  void limit(std::optional<double> value) {
    if (value) json.set("limit", rounded(*value, 6));
  }
  void put(Json& plots, std::string_view id) {
    if (series.size() == 0) return;
    json.set("series", series);
    plots.set(id, json);
  }
};

void add_gpu_plots(Json& plots, const RunRecord& record) {
  LinePlot busy("1"), memory("B"), power("W");
  busy.top(1.0);
  std::optional<double> total;
  for (const int device : gpu_devices(record)) {
    busy.add(gauge_series(record, Metric::kGpuUtilizationFraction, device, "gpu", "GPU", "1"));
    memory.add(gauge_series(record, Metric::kGpuMemoryUsedBytes, device, "gpu", "GPU", "B"));
    power.add(gauge_series(record, Metric::kGpuPowerWatts, device, "gpu", "GPU", "W"));
    const auto size = gauge_series(record, Metric::kGpuMemoryTotalBytes, device, "", "GPU", "B").maximum();
    if (size) total = std::max(total.value_or(0), *size);
  }
  memory.limit(total);
  busy.put(plots, "gpu");
  memory.put(plots, "gpu_memory");
  power.put(plots, "gpu_power");
}

void add_step_plots(Json& plots, const RunRecord& record) {
  const auto buckets = bucket_steps(record.steps, time_origin(record), kMaximumBuckets);
  if (buckets.empty()) return;
  std::vector<std::size_t> used;
  for (std::size_t part = 0; part < kStepPartCount; ++part)
    if (std::ranges::any_of(buckets,
                            [&](const StepBucket& bucket) { return bucket.seconds_per_step[part] > 0; }))
      used.push_back(part);
  Json parts = Json::array(), list = Json::array();
  for (const std::size_t part : used)
    parts.push(Json::object(
        {{"id", step_part_table()[part].id}, {"label", in_both_languages(step_part_table()[part].label)}}));
  Series wait{"data_wait_share", "data wait", -1, "1", {}};
  for (const StepBucket& bucket : buckets) {
    Json values = Json::array();
    double all = 0;
    for (const double seconds : bucket.seconds_per_step) all += seconds;
    for (const std::size_t part : used) values.push(rounded(bucket.seconds_per_step[part]));
    list.push(Json(
        std::vector<Json>{rounded(bucket.begin, 7), rounded(bucket.end, 7), Json(bucket.steps), values}));
    if (all > 0) wait.points.push_back({(bucket.begin + bucket.end) / 2, bucket.seconds_per_step[0] / all});
  }
  plots.set("steps", Json::object({{"kind", "stack"}, {"unit", "s"}, {"parts", parts}, {"buckets", list}}));
  LinePlot plot("1");
  plot.top(1.0);
  plot.json.set("colour", "--data_wait");
  plot.add(wait);
  plot.put(plots, "data_wait");
}

void add_loss_plot(Json& plots, const RunRecord& record) {
  Series loss{"loss", msgid("loss"), -1, "", {}};
  for (const Json& point : record.progress["series"].items()) {
    const auto step = point.at(1).as_double();
    if (!step) continue;
    auto value = point.at(2).as_double();
    if (value && !std::isfinite(*value)) value.reset();
    loss.points.push_back({*step, value});
  }
  std::ranges::stable_sort(loss.points, {}, &SeriesPoint::seconds);
  LinePlot plot("");
  plot.json.set("x", "step");
  plot.add(loss);
  plot.put(plots, msgid("loss"));
}

}  // namespace

std::vector<StateSpan> state_spans(const RunRecord& record) {
  std::vector<StateSpan> spans;
  constexpr std::size_t kMaximum = 200;
  for (const RunEvent& event : record.events) {
    if (event.name != "state" || spans.size() == kMaximum) continue;
    const std::string& name = !event.details["to"].string_or_empty().empty()
                                  ? event.details["to"].string_or_empty()
                                  : event.details["state"].string_or_empty();
    if (name.empty()) continue;
    const double at = static_cast<double>(event.time.nanoseconds) * 1e-9;
    if (!spans.empty()) spans.back().end = at;
    spans.push_back({name, at, at});
  }
  if (spans.empty()) return spans;
  const double origin = spans.front().begin;
  for (StateSpan& span : spans) {
    span.begin -= origin;
    span.end -= origin;
  }
  return spans;
}

Json page_plots(const RunRecord& record) {
  Json plots = Json::object();
  add_step_plots(plots, record);
  add_gpu_plots(plots, record);
  LinePlot cpu("cores");
  cpu.top(core_count(record));
  cpu.add(rate_series(record, Metric::kTreeCpuSeconds, "cpu_cores", msgid("CPU of the run"), "cores"));
  cpu.put(plots, "cpu");
  LinePlot memory("B");
  memory.limit(memory_limit(record));
  memory.add(memory_series(record));
  memory.put(plots, "memory");
  LinePlot disk("B/s");
  disk.add(rate_series(record, Metric::kTreeReadBytes, "read", msgid("disk reads"), "B/s"));
  disk.add(rate_series(record, Metric::kTreeWriteBytes, "write", msgid("disk writes"), "B/s"));
  disk.put(plots, "disk");
  LinePlot network("B/s");
  network.add(rate_series(record, Metric::kNetworkReceivedBytes, "received", msgid("received"), "B/s"));
  network.add(rate_series(record, Metric::kNetworkSentBytes, "sent", msgid("sent"), "B/s"));
  network.put(plots, "network");
  add_loss_plot(plots, record);
  return plots;
}

}  // namespace forebay
