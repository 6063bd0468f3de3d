// Run records made up for tests: a machine, a training script, samples once a second. Everything can be left
// out or changed.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/run_record.h"

namespace forebay {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr std::int64_t kStart = 1'000'000'000'000;              // CLOCK_MONOTONIC at the command's start
constexpr std::int64_t kWallStart = 1'790'000'000'000'000'000;  // the same on the wall clock

// Milliseconds of the parts of one step.
struct StepShape {
  double data_wait = 0, forward = 0, backward = 0, optimizer = 0, host_sync = 0, checkpoint = 0,
         collective = 0, validation = 0, epoch_begin = 0, rest = 0;
  std::int64_t samples = 32, host_syncs = 0;
  double worker_fetch = 0, worker_fetch_cpu = -1;
  double total() const {
    return data_wait + forward + backward + optimizer + host_sync + checkpoint + collective + validation +
           epoch_begin + rest;
  }
};

inline std::int64_t ms(double milliseconds) {
  return static_cast<std::int64_t>(milliseconds * 1e6);
}

class RecordBuilder {
 public:
  RecordBuilder() {
    record_.id = "r-test";
    record_.machine = Json::object({{"cpu", Json::object({{"usable_cores", 4.0}})},
                                    {"memory", Json::object({{"total_bytes", 16 * kGiB}})},
                                    {"gpus", Json::array()}});
    facts_ = Json::object({{"torch", "2.13.0"}, {"threads", 4}, {"device", "cpu"}, {"optimizer", "SGD"}});
    loader_ = Json::object({{"id", 0},
                            {"batch_size", 32},
                            {"num_workers", 0},
                            {"persistent_workers", false},
                            {"pin_memory", false},
                            {"prefetch_factor", 2}});
  }

  RecordBuilder& cores(double n) {
    record_.machine.set("cpu", Json::object({{"usable_cores", n}}));
    cores_ = n;
    return *this;
  }
  RecordBuilder& gpus(int n) {
    Json list = Json::array();
    for (int i = 0; i < n; ++i) list.push(Json::object({{"index", i}}));
    record_.machine.set("gpus", list);
    return *this;
  }
  RecordBuilder& fact(const char* name, Json value) {
    facts_.set(name, std::move(value));
    return *this;
  }
  RecordBuilder& loader(const char* name, Json value) {
    loader_.set(name, std::move(value));
    return *this;
  }
  RecordBuilder& no_loader() {
    with_loader_ = false;
    return *this;
  }
  RecordBuilder& no_hook() {
    with_hook_ = false;
    return *this;
  }
  // Adds `count` steps one after the other; `change` may alter each.
  RecordBuilder& steps(int count, StepShape shape, const std::function<void(int, StepShape&)>& change = {}) {
    for (int i = 0; i < count; ++i) {
      StepShape each = shape;
      if (change) change(i, each);
      add_step(each);
    }
    return *this;
  }
  RecordBuilder& startup(double seconds) {
    clock_ += ms(seconds * 1000);
    return *this;
  }
  RecordBuilder& process(int pid, int rank) {
    pid_ = pid;
    rank_ = rank;
    clock_ = kStart + 1'000'000'000;
    return *this;
  }
  // Time after the last step.
  RecordBuilder& tail(double seconds) {
    tail_ = seconds;
    return *this;
  }
  // Adds a metric to every sample: its value at `seconds` since the start.
  RecordBuilder& gauge(Metric metric, std::function<double(double)> value, std::uint16_t index = 0) {
    gauges_.push_back({metric, index, std::move(value)});
    return *this;
  }
  RecordBuilder& gauge(Metric metric, double value, std::uint16_t index = 0) {
    return gauge(metric, [value](double) { return value; }, index);
  }
  // Cores that the run's tree uses, and the rest of the machine; busy fractions follow.
  RecordBuilder& cpu(double tree, double others = 0) {
    gauge(Metric::kTreeCpuSeconds, [tree](double t) { return 3 + tree * t; });
    const int count = static_cast<int>(cores_);
    for (int core = 0; core < count; ++core)
      gauge(Metric::kCoreBusyFraction, std::min(1.0, (tree + others) / count),
            static_cast<std::uint16_t>(core));
    gauge(Metric::kTreeReadBytes, [](double) { return 1e6; });
    gauge(Metric::kTreeReadCharacters, [](double t) { return 1e6 * t; });
    return *this;
  }
  RecordBuilder& memory(double peak_gib) {
    gauge(Metric::kTreeResidentBytes, peak_gib * kGiB);
    gauge(Metric::kMemoryTotalBytes, 16 * kGiB);
    return gauge(Metric::kMemoryAvailableBytes, (16 - peak_gib) * kGiB);
  }
  RecordBuilder& outcome(OutcomeCause cause) {
    cause_ = cause;
    ended_ = true;
    return *this;
  }
  RecordBuilder& running() {
    ended_ = false;
    return *this;
  }
  RecordBuilder& change(const std::function<void(RunRecord&)>& change) {
    changes_.push_back(change);
    return *this;
  }

  RunRecord build() const {
    RunRecord record = record_;
    Json facts = facts_;
    if (with_loader_) facts.set("dataloaders", Json::array().push(loader_));
    Json processes = Json::array();
    std::vector<std::int64_t> seen;
    for (const StepRow& row : record.steps) {
      if (std::find(seen.begin(), seen.end(), row.process) != seen.end()) continue;
      seen.push_back(row.process);
      processes.push(Json::object({{"pid", row.process}, {"rank", row.rank}, {"facts", facts}}));
    }
    if (seen.empty()) processes.push(Json::object({{"pid", 100}, {"facts", facts}}));
    if (with_hook_)
      record.hook = Json::object({{"version", 1}, {"processes", processes}, {"lost_records", 0}});
    const double length = static_cast<double>(latest_ - kStart) * 1e-9 + tail_;
    for (double t = 0; t <= length && !gauges_.empty(); t += 1) {
      Sample sample{kStart + ms(t * 1000), Instant{kWallStart + ms(t * 1000)}, {}};
      for (const Gauge& each : gauges_) sample.add(each.metric, each.value(t), each.index);
      record.samples.push_back(std::move(sample));
    }
    if (ended_) {
      Outcome outcome;
      outcome.cause = cause_;
      outcome.exit_code = cause_ == OutcomeCause::kSucceeded ? 0 : 1;
      outcome.started = Instant{kWallStart};
      outcome.ended = Instant{kWallStart + ms(length * 1000)};
      outcome.duration = Duration::from_seconds(length);
      record.outcome = outcome;
    }
    for (const auto& each : changes_) each(record);
    return record;
  }

 private:
  struct Gauge {
    Metric metric;
    std::uint16_t index;
    std::function<double(double)> value;
  };

  void add_step(const StepShape& shape) {
    StepRow row;
    row.process = pid_;
    row.rank = rank_;
    row.first_step = static_cast<std::int64_t>(record_.steps.size());
    row.start_ns = clock_;
    row.duration_ns = ms(shape.total());
    row.data_wait_ns = ms(shape.data_wait);
    row.forward_ns = ms(shape.forward);
    row.backward_ns = ms(shape.backward);
    row.optimizer_ns = ms(shape.optimizer);
    row.host_sync_ns = ms(shape.host_sync);
    row.checkpoint_ns = ms(shape.checkpoint);
    row.collective_ns = ms(shape.collective);
    row.validation_ns = ms(shape.validation);
    row.epoch_begin_ns = ms(shape.epoch_begin);
    row.samples = shape.samples;
    row.host_syncs = shape.host_syncs;
    row.worker_fetch_ns = ms(shape.worker_fetch);
    row.worker_fetch_cpu_ns = shape.worker_fetch_cpu < 0 ? -1 : ms(shape.worker_fetch_cpu);
    clock_ += row.duration_ns;
    latest_ = std::max(latest_, clock_);
    record_.steps.push_back(row);
  }

  RunRecord record_;
  Json facts_, loader_;
  bool with_loader_ = true, with_hook_ = true, ended_ = true;
  double cores_ = 4;
  OutcomeCause cause_ = OutcomeCause::kSucceeded;
  std::int64_t clock_ = kStart + 1'000'000'000;
  std::int64_t latest_ = kStart + 1'000'000'000;
  int pid_ = 100, rank_ = -1;
  double tail_ = 0;
  std::vector<Gauge> gauges_;
  std::vector<std::function<void(RunRecord&)>> changes_;
};

}  // namespace forebay
