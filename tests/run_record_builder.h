// Run records made by hand for tests: a builder, and typical runs (data stall, out of memory, hang …) made
// with it. Deterministic: the same call gives the same record.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/run_record.h"

namespace forebay {

// Builds one record. Times are seconds since the start of the run; the start is a fixed instant.
class RunRecordBuilder {
 public:
  static constexpr std::int64_t kStartMonotonic = 1'000'000'000'000;
  static constexpr std::int64_t kStartWall = 1'796'094'000'000'000'000;  // 2026-12-01T03:00:00Z

  explicit RunRecordBuilder(std::string id = "k3v9x2", std::string name = "photos") {
    record_.id = std::move(id);
    record_.launch = Json::object({{"id", record_.id},
                                   {"name", name},
                                   {"argv", std::vector<std::string>{"python", "train.py"}},
                                   {"cwd", "/home/ada/photos"},
                                   {"host", "lab"},
                                   {"created_ns", kStartWall},
                                   {"version", "0.1.0"}});
    record_.job = Json::object({{"name", name}});
    machine(8, 32.0 * kGiB);
  }

  static constexpr double kGiB = 1073741824.0;
  static Instant wall(double seconds) {
    return Instant{kStartWall + static_cast<std::int64_t>(seconds * 1e9)};
  }
  static std::int64_t monotonic(double seconds) {
    return kStartMonotonic + static_cast<std::int64_t>(seconds * 1e9);
  }

  RunRecordBuilder& command(const std::vector<std::string>& argv) {
    record_.launch.set("argv", Json(argv));
    return *this;
  }
  RunRecordBuilder& machine(int cores, double memory_bytes) {
    cores_ = cores;
    memory_ = memory_bytes;
    record_.machine =
        Json::object({{"hostname", "lab"}, {"kernel", "6.1.0"}, {"operating_system", "Debian GNU/Linux 12"}});
    record_.machine.set("cpu", Json::object({{"model", "AMD EPYC 7763 64-Core Processor"},
                                             {"cores", cores},
                                             {"usable_cores", static_cast<double>(cores)}}));
    record_.machine.set("memory", Json::object({{"total_bytes", static_cast<std::int64_t>(memory_bytes)},
                                                {"usable_bytes", static_cast<std::int64_t>(memory_bytes)}}));
    return *this;
  }
  RunRecordBuilder& gpu(const std::string& model, int count, double memory_bytes) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i)
      list.push(Json::object(
          {{"index", i}, {"name", model}, {"memory_bytes", static_cast<std::int64_t>(memory_bytes)}}));
    record_.machine.set("gpus", list).set("gpu_driver", "550.54.15").set("cuda_driver", "12.4");
    return *this;
  }
  RunRecordBuilder& price_per_hour(const std::string& price) {
    record_.launch.set("price_per_hour", price);
    return *this;
  }

  // One sample a second over [from, to); `fill` adds the values, given the second.
  RunRecordBuilder& samples(double from, double to, const std::function<void(double, Sample&)>& fill,
                            double interval = 1.0) {
    for (double at = from; at < to; at += interval) {
      Sample sample{monotonic(at), wall(at), {}};
      fill(at, sample);
      record_.samples.push_back(std::move(sample));
    }
    return *this;
  }
  // What a tree of processes and its machine usually show. Counters grow from 0 at second 0.
  void usual(double at, Sample& sample, double busy_cores, double resident_bytes,
             double read_bytes_per_second) const {
    sample.add(Metric::kTreeCpuSeconds, busy_cores * at + 0.05 * std::sin(at * 2.1));
    sample.add(Metric::kTreeResidentBytes, resident_bytes);
    sample.add(Metric::kTreeProportionalBytes, resident_bytes * 0.9);
    sample.add(Metric::kTreeReadBytes, read_bytes_per_second * at);
    sample.add(Metric::kTreeWriteBytes, 1000 * at);
    sample.add(Metric::kTreeReadCharacters, read_bytes_per_second * at * 1.2);
    sample.add(Metric::kTreeWriteCharacters, 1500 * at);
    sample.add(Metric::kTreeProcesses, 1);
    sample.add(Metric::kTreeThreads, 9);
    for (int core = 0; core < cores_; ++core)
      sample.add(Metric::kCoreBusyFraction, std::fmin(1.0, std::fmax(0.02, busy_cores - core)),
                 static_cast<std::uint16_t>(core));
    sample.add(Metric::kMemoryTotalBytes, memory_);
    sample.add(Metric::kMemoryAvailableBytes, memory_ - resident_bytes - 2 * kGiB);
    sample.add(Metric::kIoWaitFraction, 0.01);
    sample.add(Metric::kLoadAverage1, busy_cores);
  }
  void gpu_values(double at, Sample& sample, int device, double busy, double used_bytes, double total_bytes,
                  double watts) const {
    const auto index = static_cast<std::uint16_t>(device);
    sample.add(Metric::kGpuUtilizationFraction, busy, index);
    sample.add(Metric::kGpuMemoryUsedBytes, used_bytes, index);
    sample.add(Metric::kGpuMemoryFreeBytes, total_bytes - used_bytes - 0.5 * kGiB, index);
    sample.add(Metric::kGpuMemoryReservedBytes, 0.5 * kGiB, index);
    sample.add(Metric::kGpuMemoryTotalBytes, total_bytes, index);
    sample.add(Metric::kGpuPowerWatts, watts, index);
    sample.add(Metric::kGpuPowerLimitWatts, 400, index);
    sample.add(Metric::kGpuEnergyJoules, 1e6 + watts * at, index);
    sample.add(Metric::kGpuTemperatureCelsius, 40 + 30 * busy, index);
  }

  // `count` equal steps from `from` on; the shares are of the step's time and vary by a few per cent. Returns
  // the end.
  struct Shares {
    double data_wait = 0, forward = 0, backward = 0, optimizer = 0, host_sync = 0, checkpoint = 0,
           collective = 0, validation = 0;
  };
  RunRecordBuilder& steps(double from, std::int64_t count, double seconds_each, const Shares& shares,
                          std::int64_t batch, std::int32_t process = 4242, std::int32_t rank = -1) {
    double at = from;
    for (std::int64_t i = 0; i < count; ++i) {
      const double wobble =
          1 + 0.06 * std::sin(static_cast<double>(i) * 0.7) + 0.03 * std::sin(static_cast<double>(i) * 2.9);
      const double duration = seconds_each * wobble;
      const auto part = [&](double share) { return static_cast<std::int64_t>(duration * share * 1e9); };
      StepRow row;
      row.process = process;
      row.rank = rank;
      row.first_step = i;
      row.start_ns = monotonic(at);
      row.duration_ns = static_cast<std::int64_t>(duration * 1e9);
      row.data_wait_ns = part(shares.data_wait);
      row.forward_ns = part(shares.forward);
      row.backward_ns = part(shares.backward);
      row.optimizer_ns = part(shares.optimizer);
      row.host_sync_ns = part(shares.host_sync);
      row.checkpoint_ns = part(shares.checkpoint);
      row.collective_ns = part(shares.collective);
      row.validation_ns = part(shares.validation);
      row.samples = batch;
      record_.steps.push_back(row);
      at += duration;
    }
    return *this;
  }

  RunRecordBuilder& state(double at, const std::string& from, const std::string& to) {
    record_.events.push_back({wall(at), "state", Json::object({{"from", from}, {"to", to}})});
    return *this;
  }
  RunRecordBuilder& usual_states(double running_from, double running_to, const std::string& last) {
    state(-0.4, "queued", "planning")
        .state(-0.3, "planning", "provisioning")
        .state(-0.2, "provisioning", "preparing");
    state(running_from - 0.05, "preparing", "staging").state(running_from, "staging", "running");
    return state(running_to, "running", "saving")
        .state(running_to + 0.3, "saving", "releasing")
        .state(running_to + 0.4, "releasing", last);
  }
  RunRecordBuilder& event(double at, const std::string& name, Json details) {
    record_.events.push_back({wall(at), name, std::move(details)});
    return *this;
  }
  RunRecordBuilder& outcome(OutcomeCause cause, double seconds, std::optional<int> exit_code = 0,
                            std::optional<int> signal = std::nullopt, const std::string& sentence = "") {
    Outcome outcome;
    outcome.cause = cause;
    outcome.exit_code = exit_code;
    outcome.signal = signal;
    outcome.sentence = sentence;
    outcome.started = wall(0);
    outcome.ended = wall(seconds);
    outcome.duration = Duration::from_seconds(seconds);
    outcome.log_bytes = 18'204;
    record_.outcome = outcome;
    return *this;
  }
  RunRecordBuilder& facts(Json facts, std::int64_t steps = 0) {
    Json process = Json::object({{"pid", 4242},
                                 {"rank", -1},
                                 {"ended_in_order", true},
                                 {"steps", steps},
                                 {"lost_records", 0},
                                 {"facts", std::move(facts)}});
    record_.hook = Json::object(
        {{"version", 1},
         {"processes", std::vector<Json>{process}},
         {"coverage",
          Json::object(
              {{"python_processes", 1}, {"covered", 1}, {"short_lived", 0}, {"not_covered", Json::array()}})},
         {"lost_records", 0}});
    return *this;
  }
  // A loss that falls, at most 2,000 points, as progress.json keeps it.
  RunRecordBuilder& falling_loss(double from, double to, std::int64_t steps) {
    Json series = Json::array();
    const std::int64_t count = std::min<std::int64_t>(steps, 2000);
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count);
      const double loss = 0.35 + 2.0 * std::exp(-4 * share) + 0.05 * std::sin(static_cast<double>(i) * 1.7);
      series.push(Json(std::vector<Json>{Json(wall(from + (to - from) * share).nanoseconds),
                                         Json(static_cast<std::int64_t>(share * static_cast<double>(steps))),
                                         Json(loss)}));
    }
    record_.progress =
        Json::object({{"version", 1},
                      {"latest", Json::object({{"step", steps}, {"total_steps", steps}, {"loss", 0.39}})},
                      {"series", series},
                      {"error_lines", Json::array()}});
    return *this;
  }
  RunRecordBuilder& error_line(double at, const std::string& kind, const std::string& line) {
    Json errors = record_.progress["error_lines"];
    if (!errors.is_array()) errors = Json::array();
    errors.push(Json::object({{"time_ns", wall(at).nanoseconds}, {"kind", kind}, {"line", line}}));
    if (record_.progress.is_null()) record_.progress = Json::object({{"version", 1}});
    record_.progress.set("error_lines", errors);
    return *this;
  }
  RunRecordBuilder& set(Json RunRecord::* part, Json value) {
    record_.*part = std::move(value);
    return *this;
  }

  RunRecord& record() { return record_; }
  RunRecord build() const { return record_; }

 private:
  RunRecord record_;
  int cores_ = 8;
  double memory_ = 0;
};

namespace example_runs {

inline Json training_facts(int num_workers, int batch_size) {
  const Json loader = Json::object({{"id", 0},
                                    {"dataset", "ImageFolder"},
                                    {"length", 2400},
                                    {"batch_size", batch_size},
                                    {"num_workers", num_workers},
                                    {"pin_memory", false},
                                    {"persistent_workers", false},
                                    {"prefetch_factor", nullptr}});
  return Json::object({{"python", "3.11.9"},
                       {"torch", "2.13.0+cpu"},
                       {"script", "train.py"},
                       {"threads", 8},
                       {"device", "cpu"},
                       {"optimizer", "SGD"},
                       {"parameters", 11'689'512},
                       {"precisions", std::vector<std::string>{"float32"}},
                       {"compiled", false},
                       {"dataloaders", std::vector<Json>{loader}}});
}

// Images decoded in the main process: 71 % of each step waits for data, one of eight cores works.
inline RunRecord data_stall(int num_workers = 0) {
  const bool fixed = num_workers > 0;
  const double step = fixed ? 0.31 : 1.02;
  const std::int64_t count = 130;
  const double end = step * static_cast<double>(count) + 3;
  RunRecordBuilder builder(fixed ? "m8w2qa" : "k3v9x2");
  builder.samples(0, end, [&](double at, Sample& sample) {
    builder.usual(at, sample, fixed ? 5.2 : 1.3, (0.9 + 0.4 * std::fmin(1, at / 20)) * RunRecordBuilder::kGiB,
                  6e6);
  });
  builder.steps(
      2.5, count, step,
      fixed
          ? RunRecordBuilder::Shares{.data_wait = 0.04, .forward = 0.36, .backward = 0.51, .optimizer = 0.05}
          : RunRecordBuilder::Shares{.data_wait = 0.71, .forward = 0.11, .backward = 0.15, .optimizer = 0.01},
      32);
  builder.falling_loss(2.5, end, count).facts(training_facts(num_workers, 32), count);
  builder.usual_states(0, end, "finished").outcome(OutcomeCause::kSucceeded, end);
  return builder.build();
}

// Nothing stands out: the processor is busy, data arrives in time.
inline RunRecord healthy() {
  RunRecordBuilder builder("h2p7tt", "resnet");
  builder.samples(0, 240, [&](double at, Sample& sample) {
    builder.usual(at, sample, 7.6, 3.1 * RunRecordBuilder::kGiB, 2e6);
  });
  builder.steps(2, 700, 0.335, {.data_wait = 0.012, .forward = 0.33, .backward = 0.6, .optimizer = 0.04}, 64);
  builder.falling_loss(2, 240, 700).facts(training_facts(4, 64), 700).price_per_hour("0.40 USD");
  builder.usual_states(0, 240, "finished").outcome(OutcomeCause::kSucceeded, 240);
  return builder.build();
}

// Memory climbs until the kernel kills it.
inline RunRecord out_of_memory() {
  RunRecordBuilder builder("q7d4mm", "big-batch");
  builder.machine(8, 16 * RunRecordBuilder::kGiB);
  builder.samples(0, 62, [&](double at, Sample& sample) {
    builder.usual(at, sample, 3.5, std::fmin(15.8, 2.0 + 0.23 * at) * RunRecordBuilder::kGiB, 8e6);
    sample.add(Metric::kCgroupMemoryBytes, std::fmin(15.9, 2.1 + 0.23 * at) * RunRecordBuilder::kGiB);
    sample.add(Metric::kCgroupMemoryLimitBytes, 16 * RunRecordBuilder::kGiB);
  });
  builder.steps(3, 48, 1.2, {.data_wait = 0.2, .forward = 0.3, .backward = 0.42, .optimizer = 0.04}, 512);
  Json facts = training_facts(8, 512);
  builder.facts(facts, 48).error_line(
      61.5, "killed", "RuntimeError: DataLoader worker (pid 4251) is killed by signal: Killed.");
  builder.event(61.8, "out-of-memory", Json::object({{"kind", "host"}}));
  builder.usual_states(0, 62, "failed")
      .outcome(OutcomeCause::kOutOfMemory, 62, std::nullopt, 9,
               "The kernel killed the job because memory was full (15.9 GiB of 16 GiB).");
  builder.record().outcome->peak_memory_bytes = static_cast<std::int64_t>(15.9 * RunRecordBuilder::kGiB);
  return builder.build();
}

// Alive, but no step, no line and no I/O after second 90.
inline RunRecord hang() {
  RunRecordBuilder builder("w5h0zz", "ddp");
  builder.samples(0, 400, [&](double at, Sample& sample) {
    builder.usual(at, sample, at < 90 ? 4 : 0.0, 2.4 * RunRecordBuilder::kGiB, 0);
  });
  for (Sample& sample : builder.record().samples)  // counters stand still
    for (SampleValue& value : sample.values)
      if (value.metric == Metric::kTreeCpuSeconds && sample.monotonic_ns > RunRecordBuilder::monotonic(90))
        value.value = 360;
  builder.steps(2, 220, 0.4,
                {.data_wait = 0.03, .forward = 0.3, .backward = 0.4, .optimizer = 0.05, .collective = 0.15},
                32);
  builder.facts(training_facts(4, 32), 220);
  builder.usual_states(0, 400, "failed")
      .outcome(OutcomeCause::kHang, 400, std::nullopt, 15,
               "No step, no line of output and no I/O for 5 min 10 s: policy.hang_stop (5m) passed.");
  return builder.build();
}

// A shell script: no Python, no steps.
inline RunRecord no_python() {
  RunRecordBuilder builder("b1c2d3", "");
  builder.command({"sh", "-c", "sort big.txt > 'out file.txt'"});
  builder.samples(0, 12, [&](double at, Sample& sample) {
    builder.usual(at, sample, 1.0, 0.3 * RunRecordBuilder::kGiB, 90e6);
  });
  builder.usual_states(0, 12, "finished").outcome(OutcomeCause::kSucceeded, 12);
  return builder.build();
}

// Two GPUs that starve; the second cannot say how busy it is, and the first is lost for a while.
inline RunRecord gpu() {
  RunRecordBuilder builder("g9x1aa", "vit-large");
  const double total = 80 * RunRecordBuilder::kGiB;
  builder.machine(32, 256 * RunRecordBuilder::kGiB)
      .gpu("NVIDIA A100-SXM4-80GB", 2, total)
      .price_per_hour("4.10 USD");
  builder.samples(0, 600, [&](double at, Sample& sample) {
    builder.usual(at, sample, 6.0, 22 * RunRecordBuilder::kGiB, 60e6);
    if (at > 300 && at < 340) {
      sample.add(Metric::kGpuLost, 1, 0);
    } else {
      builder.gpu_values(at, sample, 0, 0.45 + 0.3 * std::sin(at / 4), 41 * RunRecordBuilder::kGiB, total,
                         180 + 60 * std::sin(at / 4));
    }
    sample.add(Metric::kGpuMemoryUsedBytes, 39 * RunRecordBuilder::kGiB, 1);
    sample.add(Metric::kGpuMemoryTotalBytes, total, 1);
    sample.add(Metric::kGpuPowerWatts, 150, 1);
  });
  builder.steps(5, 1800, 0.32,
                {.data_wait = 0.38,
                 .forward = 0.14,
                 .backward = 0.27,
                 .optimizer = 0.03,
                 .host_sync = 0.08,
                 .collective = 0.06},
                256, 100, 0);
  builder.steps(5, 1800, 0.32,
                {.data_wait = 0.36,
                 .forward = 0.14,
                 .backward = 0.27,
                 .optimizer = 0.03,
                 .host_sync = 0.08,
                 .collective = 0.08},
                256, 101, 1);
  builder.falling_loss(5, 600, 1800).facts(training_facts(4, 256), 1800);
  builder.usual_states(0, 600, "finished").outcome(OutcomeCause::kSucceeded, 600);
  return builder.build();
}

// A script that fails: exit code 1 after an exception.
inline RunRecord failed() {
  RunRecordBuilder builder("f4a1l0", "photos");
  builder.samples(0, 4, [&](double at, Sample& sample) {
    builder.usual(at, sample, 1.0, 0.4 * RunRecordBuilder::kGiB, 1e6);
  });
  builder.error_line(3.2, "exception",
                     "FileNotFoundError: [Errno 2] No such file or directory: 'data/train/labels.csv'");
  Json facts = training_facts(0, 32);
  facts.set("exception", "FileNotFoundError");
  builder.facts(facts)
      .usual_states(0, 4, "failed")
      .outcome(OutcomeCause::kJobFailed, 4.1, 1, std::nullopt, "The command ended with exit code 1.");
  return builder.build();
}

// Many steps of a long run, `count` rows.
inline RunRecord long_run(std::int64_t count = 100'000) {
  RunRecordBuilder builder("l0ng01", "long");
  const double end = 0.05 * static_cast<double>(count);
  builder.samples(
      0, end,
      [&](double at, Sample& sample) {
        builder.usual(at, sample, 6.8 + std::sin(at / 100), 9 * RunRecordBuilder::kGiB, 3e6);
      },
      std::fmax(1.0, end / 100'000));
  builder.steps(1, count, 0.05, {.data_wait = 0.08, .forward = 0.3, .backward = 0.5, .optimizer = 0.06}, 16);
  builder.falling_loss(1, end, count).facts(training_facts(4, 16), count);
  builder.usual_states(0, end, "finished").outcome(OutcomeCause::kSucceeded, end);
  return builder.build();
}

// A record in which everything optional is missing.
inline RunRecord nothing_measured() {
  RunRecord record;
  record.id = "n0th1n";
  record.damage = {"cannot read samples.seg: its header is damaged"};
  return record;
}

// A run whose every text tries to become markup, a script or a terminal command.
inline RunRecord hostile() {
  RunRecord record = failed();
  const std::string attack =
      "</script><script>window.owned=1</script><img src=x "
      "onerror='window.owned=2'>{{data}}\"'<!--\x1b[2J\xff";
  record.id = "h0st1l";
  record.launch.set("name", attack)
      .set("argv", Json(std::vector<std::string>{"python", attack}))
      .set("host", attack)
      .set("cwd", attack);
  record.machine =
      Json::object({{attack, attack}, {"cpu", Json::object({{"model", attack}, {"cores", attack}})}});
  record.environment =
      Json::object({{attack, Json::object({{attack, std::vector<std::string>{attack, attack}}})}});
  record.job = Json::object({{"name", attack}, {attack, 3}});
  record.outcome->sentence = attack;
  record.damage.push_back(attack);
  record.events.push_back({RunRecordBuilder::wall(2), "state", Json::object({{"to", attack}})});
  record.outputs = Json::object(
      {{"outputs",
        std::vector<Json>{Json::object(
            {{"from", attack}, {"destination", attack}, {"error", Json::object({{"cause", attack}})}})}}});
  record.progress = Json::object(
      {{"series", std::vector<Json>{Json(attack), Json(std::vector<Json>{Json(attack), Json(3), Json(1e308)}),
                                    Json(std::vector<Json>{Json(1), Json(4), Json(-1e308)})}},
       {"error_lines", std::vector<Json>{Json::object({{"line", attack}})}}});
  record.hook = Json::object(
      {{"processes", std::vector<Json>{Json::object(
                         {{"pid", attack}, {"rank", 0}, {"facts", Json::object({{attack, attack}})}})}}});
  return record;
}

// Still going on.
inline RunRecord running() {
  RunRecord record = data_stall();
  record.id = "r6n1ng";
  record.outcome.reset();
  record.events.resize(5);
  return record;
}

}  // namespace example_runs
}  // namespace forebay
