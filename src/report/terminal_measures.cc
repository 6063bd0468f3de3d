// What is said in numbers: the step's parts, the machine, the money, the outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/bar.h"
#include "report/headline.h"
#include "report/say.h"
#include "report/series.h"
#include "report/step_parts.h"
#include "report/terminal_sections.h"
#include "report/text_width.h"

namespace forebay {
namespace {

// One labelled line with a sparkline: "CPU   1.2 of 8 cores, peak 1.9   ▂▂▃▃".
struct MeasureLine {
  std::string label;
  std::string value;
  std::string picture;
  Tone tone = Tone::kAccent;
};

std::vector<std::optional<double>> values_of(const Series& series) {
  std::vector<std::optional<double>> values;
  for (const SeriesPoint& point : series.points) values.push_back(point.value);
  return values;
}

std::string cores_text(double cores) {
  return fmt::format("{:.{}f}", cores, cores < 10 && cores != std::floor(cores) ? 1 : 0);
}
std::string bytes_text(double bytes) {
  return format_bytes(Bytes{static_cast<std::int64_t>(std::clamp(bytes, 0.0, 9e18))});
}

void add_cpu(std::vector<MeasureLine>& lines, const RunRecord& record, const TerminalStyle& style,
             int picture_width) {
  const Series cpu = rate_series(record, Metric::kTreeCpuSeconds, "cpu_cores", "CPU", "cores");
  const auto mean = cpu.mean(), peak = cpu.maximum();
  if (!mean || !peak) return;
  const auto cores = core_count(record);
  const std::string value =
      cores ? say(current_language(), "{0} of {1} cores, peak {2}",
                  {cores_text(*mean), cores_text(*cores), cores_text(*peak)})
            : say(current_language(), "{0} cores, peak {1}", {cores_text(*mean), cores_text(*peak)});
  lines.push_back({"CPU", value, sparkline(values_of(cpu), picture_width, cores.value_or(0), style.unicode)});
}

void add_gpus(std::vector<MeasureLine>& lines, const RunRecord& record, const TerminalStyle& style,
              int picture_width) {
  const auto devices = gpu_devices(record);
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(devices.size(), kShown); ++i) {
    const Series busy = gauge_series(record, Metric::kGpuUtilizationFraction, devices[i], "gpu", "GPU", "1");
    const std::string label = fmt::format("GPU {}", devices[i]);
    const auto mean = busy.mean();
    const Series used =
        gauge_series(record, Metric::kGpuMemoryUsedBytes, devices[i], "gpu_memory", "GPU memory", "B");
    const Series total =
        gauge_series(record, Metric::kGpuMemoryTotalBytes, devices[i], "gpu_memory_total", "GPU memory", "B");
    std::string value = mean ? say(current_language(), "busy {0}", {percent(*mean)})
                             : say(current_language(), "utilization unknown");
    if (const auto peak = used.maximum()) {
      const auto all = total.maximum();
      value += ", " + (all ? say(current_language(), "{0} of {1}", {bytes_text(*peak), bytes_text(*all)})
                           : bytes_text(*peak));
    }
    const bool lost =
        gauge_series(record, Metric::kGpuLost, devices[i], "lost", "GPU", "1").maximum().value_or(0) > 0;
    if (lost) value += ", " + say(current_language(), "lost");
    lines.push_back({label, value, sparkline(values_of(busy), picture_width, 1.0, style.unicode),
                     lost ? Tone::kBad : Tone::kAccent});
  }
}

void add_memory(std::vector<MeasureLine>& lines, const RunRecord& record, const TerminalStyle& style,
                int picture_width) {
  const Series memory = memory_series(record);
  auto peak = memory.maximum();
  if (record.outcome && record.outcome->peak_memory_bytes)
    peak = std::max(peak.value_or(0), static_cast<double>(*record.outcome->peak_memory_bytes));
  if (!peak) return;
  const auto limit = memory_limit(record);
  const std::string value =
      limit ? say(current_language(), "peak {0} of {1}", {bytes_text(*peak), bytes_text(*limit)})
            : say(current_language(), "peak {0}", {bytes_text(*peak)});
  const bool tight = limit && *peak > 0.9 * *limit;
  lines.push_back({say(current_language(), "memory"), value,
                   sparkline(values_of(memory), picture_width, limit.value_or(0), style.unicode),
                   tight ? Tone::kBad : Tone::kAccent});
}

void add_rate(std::vector<MeasureLine>& lines, const RunRecord& record, const TerminalStyle& style,
              int picture_width, Metric metric, const std::string& label) {
  const Series series = rate_series(record, metric, "", "", "B/s");
  const auto mean = series.mean(), peak = series.maximum();
  if (!mean || !peak || *peak < 64 * 1024) return;  // next to nothing is not worth a line
  const std::string value =
      say(current_language(), "{0}/s, peak {1}/s", {bytes_text(*mean), bytes_text(*peak)});
  lines.push_back({label, value, sparkline(values_of(series), picture_width, 0, style.unicode)});
}

}  // namespace

void write_step(TerminalText& text, const RunRecord& record) {
  const auto parts = summarise_parts(record.steps);
  if (!parts) return;
  const std::string_view separator = text.style().unicode ? " · " : " - ";
  std::string right = say(current_language(), "{0} steps", {std::to_string(parts->steps)});
  if (parts->processes > 1)
    right +=
        std::string(separator) + say(current_language(), "{0} processes", {std::to_string(parts->processes)});
  right += std::string(separator) +
           say(current_language(), "{0} each on average", {step_time(parts->mean_step())});
  if (parts->samples_per_second)
    right +=
        std::string(separator) +
        say(current_language(), "{0} samples/s",
            {fmt::format("{:.{}f}", *parts->samples_per_second, *parts->samples_per_second < 100 ? 1 : 0)});
  text.heading(say(current_language(), "Where a step's time goes"), right);

  int label_width = 0;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < kStepPartCount; ++i) {
    if (parts->seconds[i] <= 0) continue;
    if (parts->share(i) < 0.005) continue;  // the HTML report lists them too
    shown.push_back(i);
    label_width = std::max(label_width, display_width(say(current_language(), step_part_table()[i].label)));
  }
  const int bar_width = std::clamp(text.width() - label_width - 26, 10, 40);
  for (const std::size_t i : shown) {
    const double share = parts->share(i);
    const bool stands_out = i == 0 && share >= 0.1;
    const double per_step = parts->seconds[i] / static_cast<double>(parts->steps);
    text.line(
        {{"  " + pad_right(say(current_language(), step_part_table()[i].label), label_width) + "  "},
         {share_bar(share, bar_width, text.style().unicode), stands_out ? Tone::kWarning : Tone::kAccent},
         {pad_left(percent(share), 8), stands_out ? Tone::kStrong : Tone::kPlain},
         {pad_left(step_time(Duration::from_seconds(per_step)), 11), Tone::kDim}});
  }
  if (const auto before = time_before_first_step(record))
    text.paragraph(2, "", Tone::kPlain, before_first_step_text(current_language(), record, *before),
                   Tone::kDim);
}

void write_machine(TerminalText& text, const RunRecord& record) {
  const int picture_width = std::clamp(text.width() / 3, 12, 32);
  std::vector<MeasureLine> lines;
  add_gpus(lines, record, text.style(), picture_width);
  add_cpu(lines, record, text.style(), picture_width);
  add_memory(lines, record, text.style(), picture_width);
  add_rate(lines, record, text.style(), picture_width, Metric::kTreeReadBytes,
           say(current_language(), "disk reads"));
  add_rate(lines, record, text.style(), picture_width, Metric::kTreeWriteBytes,
           say(current_language(), "disk writes"));
  if (lines.empty()) return;
  std::string right;
  if (const auto& model = record.machine["cpu"]["model"].string_or_empty(); !model.empty())
    right = cut_to_width(printable(model), 44, text.style().unicode);
  if (const auto& gpu = record.machine["gpus"].at(0)["name"].string_or_empty(); !gpu.empty()) {
    const std::size_t count = record.machine["gpus"].size();
    right = count > 1 ? fmt::format("{} × {}", count, printable(gpu)) : printable(gpu);
  }
  text.heading(say(current_language(), "Machine"), right);
  int label_width = 0, value_width = 0;
  for (const MeasureLine& line : lines) {
    label_width = std::max(label_width, display_width(line.label));
    value_width = std::max(value_width, display_width(line.value));
  }
  const bool pictures_fit = 2 + label_width + 2 + value_width + 2 + picture_width <= text.width();
  for (const MeasureLine& line : lines)
    text.line({{"  " + pad_right(line.label, label_width) + "  "},
               {pad_right(line.value, value_width) + "  "},
               {pictures_fit ? line.picture : "", line.tone}});
}

void write_cost(TerminalText& text, const Bill& bill) {
  const std::string time = say(current_language(), "time"), energy = say(current_language(), "energy"),
                    money = say(current_language(), "money");
  const int label_width = std::max({display_width(time), display_width(energy), display_width(money)});
  text.heading(say(current_language(), "Cost"));
  std::string spans;
  for (const BillLine& line : bill.lines) {
    if (line.duration.nanoseconds <= 0 || bill.lines.size() < 2) continue;
    spans += (spans.empty() ? "" : ", ") + render(line.what) + " " + format_duration(line.duration);
  }
  text.labelled(
      time, label_width,
      format_duration(bill.duration) + (spans.empty() ? "" : say(current_language(), " ({0})", {spans})));
  if (bill.energy)
    text.labelled(
        energy, label_width,
        energy_text(*bill.energy) +
            (bill.energy_source.empty() ? "" : say(current_language(), " ({0})", {bill.energy_source})));
  else
    text.labelled(energy, label_width, say(current_language(), "unknown"), Tone::kDim);
  if (bill.total) {
    std::string total = format_money(*bill.total);
    if (bill.price_per_hour)
      total += say(current_language(), " at {0} an hour", {format_money(*bill.price_per_hour)});
    text.labelled(money, label_width, total);
    if (!bill.wasted.empty() && bill.wasted.front().money)
      text.labelled("", label_width,
                    say(current_language(), "{0} of it went to: {1}",
                        {format_money(*bill.wasted.front().money), render(bill.wasted.front().title)}),
                    Tone::kWarning);
  } else {
    text.labelled(money, label_width, say(current_language(), "unknown"), Tone::kDim);
  }
  for (const Text& remark : bill.remarks) text.labelled("", label_width, render(remark), Tone::kDim);
}

void write_outputs(TerminalText& text, const RunRecord& record) {
  const auto& results = record.outputs["outputs"].items();
  if (results.empty()) return;
  text.heading(say(current_language(), "Outputs"));
  const bool unicode = text.style().unicode;
  for (const Json& result : results) {
    const std::string from = result["from"].string_or_empty();
    const std::string& to = result["destination"].string_or_empty();
    const Json& error = result["error"];
    const bool failed = !error.is_null();
    const auto replaced = result["replaced"].as_integer().value_or(0);
    const std::string mark(failed ? (unicode ? "✗" : "x") : (unicode ? "✓" : "+"));
    double bytes = 0;
    for (const Json& file : result["files"].items()) bytes += file["bytes"].as_double().value_or(0);
    std::string line = fmt::format("{} {} {}", from, text.arrow(), to);
    if (!failed)
      line += say(current_language(), " ({0} files, {1})",
                  {std::to_string(result["files"].size()), bytes_text(bytes)});
    if (!failed && replaced > 0)
      line += say(current_language(), "; {0} of them replaced files that lay there before",
                  {std::to_string(replaced)});
    text.paragraph(2, mark, failed ? Tone::kBad : Tone::kGood, line);
    if (failed)
      text.paragraph(4, "", Tone::kPlain,
                     error["sentence"].is_string() ? error["sentence"].string_or_empty()
                                                   : error["cause"].string_or_empty(),
                     Tone::kBad);
  }
}

}  // namespace forebay
