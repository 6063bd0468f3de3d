#include "telemetry/progress_log.h"

#include <cmath>

namespace forebay {
namespace {

constexpr std::size_t kMostPoints = 2000;
constexpr std::size_t kLongestText = 200;
constexpr std::int64_t kSettled = 1'000'000'000;

}  // namespace

void ProgressLog::add_point(const Point& point) {
  if (points_++ % stride_ != 0) return;
  series_.push_back(point);
  if (series_.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < series_.size(); i += 2) series_[kept++] = series_[i];
  series_.resize(kept);
  stride_ *= 2;
}

void ProgressLog::take_progress(const ProgressLine& found, std::string_view line, Instant time,
                                std::int64_t now_ns) {
  const bool moved =
      (found.step && found.step != latest_.step) || (found.epoch && found.epoch != latest_.epoch) ||
      (found.fraction && found.fraction != latest_.fraction) || (found.loss && found.loss != latest_.loss);
  if (!moved) return;
  const auto keep = [](auto& into, const auto& from) {
    if (from) into = from;
  };
  // A line with another step but no total speaks of another count than the last total.
  if (found.step && !found.total_steps && found.step > latest_.total_steps) latest_.total_steps.reset();
  keep(latest_.step, found.step);
  keep(latest_.total_steps, found.total_steps);
  keep(latest_.epoch, found.epoch);
  keep(latest_.total_epochs, found.total_epochs);
  keep(latest_.fraction, found.fraction);
  keep(latest_.loss, found.loss);
  keep(latest_.eta_seconds, found.eta_seconds);
  if (found.rate) {
    latest_.rate = found.rate;
    latest_.rate_unit = found.rate_unit;
  }
  latest_time_ = time;
  latest_text_ = line.substr(0, kLongestText);
  last_progress_ns_ = now_ns;
  changed_ = true;
  if (found.step || found.loss) add_point({time.nanoseconds, found.step, found.loss});
}

void ProgressLog::take_line(std::string_view line, Instant time, std::int64_t now_ns) {
  ++lines_;
  if (errors_.add(line, time)) {
    changed_ = true;
    return;
  }
  const ProgressLine found = parse_progress_line(line);
  if (!found.empty()) take_progress(found, line, time, now_ns);
}

void ProgressLog::add(const LogFeed::Batch& batch, Instant time, std::int64_t now_ns) {
  const auto on_line = [&](std::string_view line) { take_line(line, time, now_ns); };
  last_byte_ns_ = now_ns;
  last_byte_time_ = time;
  changed_ = true;
  splitter_.add(batch.first, on_line);
  if (!batch.last.empty()) {
    splitter_.hole();
    // The first line after a hole has lost its beginning.
    std::string_view rest = batch.last;
    const std::size_t end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? 0 : end + 1);
    splitter_.add(rest, on_line);
  }
  dropped_ = batch.dropped;
}

void ProgressLog::settle(Instant time, std::int64_t now_ns) {
  if (splitter_.has_partial() && last_byte_ns_ && now_ns - *last_byte_ns_ >= kSettled) finish(time, now_ns);
}

void ProgressLog::finish(Instant time, std::int64_t now_ns) {
  splitter_.flush([&](std::string_view line) { take_line(line, time, now_ns); });
}

Json ProgressLog::to_json() const {
  Json latest = Json::object();
  const auto put = [&latest](std::string_view key, const auto& value) {
    if (value) latest.set(key, Json(*value));
  };
  if (last_progress_ns_) {
    latest.set("time_ns", latest_time_.nanoseconds);
    put("step", latest_.step);
    put("total_steps", latest_.total_steps);
    put("epoch", latest_.epoch);
    put("total_epochs", latest_.total_epochs);
    put("fraction", latest_.fraction);
    if (latest_.loss && !std::isfinite(*latest_.loss))
      latest.set("loss_is_finite", false);
    else
      put("loss", latest_.loss);
    put("rate", latest_.rate);
    if (latest_.rate) latest.set("rate_unit", latest_.rate_unit);
    put("eta_seconds", latest_.eta_seconds);
    latest.set("text", latest_text_);
  }
  Json series = Json::array();
  for (const Point& point : series_)
    series.push(Json::array().push(point.time_ns).push(Json(point.step)).push(Json(point.loss)));
  return Json::object({{"version", 1},
                       {"latest", latest},
                       {"series", series},
                       {"last_output_ns", last_byte_ns_ ? Json(last_byte_time_.nanoseconds) : Json()},
                       {"error_lines", errors_.to_json()},
                       {"lines", lines_},
                       {"dropped_log_bytes", dropped_}});
}

}  // namespace forebay
