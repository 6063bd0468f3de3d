// What one sample costs, and whether that stays so. Prints one JSON object.
//   sampling_bench cost SAMPLES            N samples back to back, of a tree of a few processes (for
//   callgrind and time) sampling_bench recorder SECONDS HZ GPUS   the real recorder at a rate, with that many
//   fake GPUs sampling_bench flat SAMPLES HZ         the real recorder until so many samples are in the
//   record; RSS and CPU at begin and end
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "record/run_record.h"
#include "record/segment.h"
#include "telemetry/recorder.h"
#include "telemetry/sampler.h"

namespace forebay {
namespace {

// A tree as a training job has it: one process with workers, all asleep, so that only sampling costs.
class Tree {
 public:
  explicit Tree(int children) {
    root_ = ::fork();
    ::setpgid(root_, 0);  // on both sides, so that the group is there whoever is first
    if (root_ != 0) return;
    for (int i = 0; i < children; ++i)
      if (::fork() == 0) wait_forever();
    wait_forever();
  }
  ~Tree() { ::kill(-root_, SIGKILL), ::waitpid(root_, nullptr, 0); }
  pid_t root() const { return root_; }

 private:
  [[noreturn]] static void wait_forever() {
    while (true) ::pause();
  }
  pid_t root_;
};

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

double resident_bytes() {
  const std::string text = read_file("/proc/self/statm", 256).value_or("");
  const std::size_t blank = text.find(' ');
  return blank == std::string::npos
             ? 0
             : std::atof(text.c_str() + blank) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

int cost(long samples) {
  const Tree tree(8);
  Sampler sampler({});
  sampler.set_root(tree.root());
  Sample sample;
  std::vector<double> each;
  for (long i = 0; i < samples; ++i) {
    const double before = processor_seconds();
    sampler.take(sample, 0);
    each.push_back(processor_seconds() - before);
  }
  std::ranges::sort(each);
  double sum = 0;
  for (const double value : each) sum += value;
  const auto at = [&](double share) {
    return each[static_cast<std::size_t>(share * static_cast<double>(each.size() - 1))] * 1e6;
  };
  std::puts(Json::object({{"samples", static_cast<std::int64_t>(samples)},
                          {"values_per_sample", static_cast<std::int64_t>(sample.values.size())},
                          {"mean_cpu_us", sum / static_cast<double>(samples) * 1e6},
                          {"median_cpu_us", at(0.5)},
                          {"p95_cpu_us", at(0.95)},
                          {"share_of_a_core_at_1_hz", sum / static_cast<double>(samples)}})
                .dump()
                .c_str());
  return 0;
}

RecorderSettings settings_for(const RunDirectory& directory, const Tree& tree, double hertz) {
  RecorderSettings settings(directory);
  settings.root_pid = tree.root();
  settings.interval = Duration::from_seconds(1 / hertz);
  settings.hook_channel = directory.hook_channel();
  settings.gpu_reader_command = {GPU_READER};
  return settings;
}

RunDirectory make_record() {
  std::string pattern = "/tmp/forebay-bench-XXXXXX";
  RunDirectory directory(std::string(::mkdtemp(pattern.data())) + "/run");
  (void)create_run_directory(directory);
  (void)make_directories(directory.hook_channel());
  return directory;
}

double sampler_seconds(const Sample& sample) {
  return sample.get(Metric::kSamplerCpuSeconds).value_or(0);
}

int recorder_at(double seconds, double hertz, int gpus) {
  if (gpus > 0) {
    ::setenv("FOREBAY_NVML", FAKE_NVML, 1);
    ::setenv("FOREBAY_FAKE_NVML", ("gpus=" + std::to_string(gpus)).c_str(), 1);
  }
  const Tree tree(8);
  const RunDirectory directory = make_record();
  auto recorder = Recorder::start(settings_for(directory, tree, hertz));
  if (!recorder) return 1;
  system_clock().sleep(Duration::from_seconds(seconds));
  const double resident = resident_bytes();
  (void)(*recorder)->stop();
  const RunRecord record = load_run_record(directory).value_or(RunRecord{});
  // The first samples pay for starting: what it costs to go on is what matters.
  const std::size_t from =
      std::min<std::size_t>(record.samples.size() / 4, static_cast<std::size_t>(2 * hertz) + 1);
  const Sample& first = record.samples.at(from);
  const Sample& last = record.samples.back();
  const double passed = static_cast<double>(last.monotonic_ns - first.monotonic_ns) * 1e-9;
  std::puts(Json::object({{"samples", static_cast<std::int64_t>(record.samples.size())},
                          {"hertz", hertz},
                          {"gpus", gpus},
                          {"values_in_last_sample", static_cast<std::int64_t>(last.values.size())},
                          {"share_of_a_core", (sampler_seconds(last) - sampler_seconds(first)) / passed},
                          {"resident_mib", resident / 1048576}})
                .dump()
                .c_str());
  (void)remove_tree(directory.path());
  return 0;
}

int flat(std::int64_t samples, double hertz) {
  const Tree tree(8);
  const RunDirectory directory = make_record();
  auto recorder = Recorder::start(settings_for(directory, tree, hertz));
  if (!recorder) return 1;
  constexpr double kEach = 10;  // seconds between two looks
  const double begin_resident = (system_clock().sleep(Duration::from_seconds(2)), resident_bytes());
  Json looks = Json::array();
  double processor = processor_seconds();
  std::uint64_t bytes = 0;
  std::int64_t written = 0;
  while (written < samples) {
    system_clock().sleep(Duration::from_seconds(kEach));
    const std::string path = directory.samples();
    auto reader = SegmentReader::open(path, static_cast<std::uint32_t>(SegmentKind::kSamples), bytes);
    const std::int64_t before = written;
    while (reader) {
      const auto frame = reader->next();
      if (!frame || !*frame) break;
      bytes = (*frame)->end_offset;
      ++written;
    }
    const double counting = processor_seconds();
    looks.push(Json::object(
        {{"samples", written},
         {"resident_mib", resident_bytes() / 1048576},
         {"share_of_a_core", (counting - processor) / kEach},
         {"cpu_us_per_sample",
          (counting - processor) / static_cast<double>(std::max<std::int64_t>(written - before, 1)) * 1e6}}));
    processor = processor_seconds();
  }
  const double end_resident = resident_bytes();
  (void)(*recorder)->stop();
  std::puts(Json::object({{"samples", written},
                          {"hertz", hertz},
                          {"resident_begin_mib", begin_resident / 1048576},
                          {"resident_end_mib", end_resident / 1048576},
                          {"record_mib", static_cast<double>(bytes) / 1048576},
                          {"every_10_s", looks}})
                .dump(1)
                .c_str());
  (void)remove_tree(directory.path());
  return 0;
}

}  // namespace
}  // namespace forebay

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int index, double otherwise) {
    return argc > index ? std::atof(argv[index]) : otherwise;
  };
  if (what == "cost") return forebay::cost(static_cast<long>(number(2, 1000)));
  if (what == "recorder")
    return forebay::recorder_at(number(2, 20), number(3, 1), static_cast<int>(number(4, 0)));
  if (what == "flat") return forebay::flat(static_cast<std::int64_t>(number(2, 100'000)), number(3, 500));
  std::fputs("usage: sampling_bench cost N | recorder SECONDS HZ GPUS | flat N HZ\n", stderr);
  return 2;
}
