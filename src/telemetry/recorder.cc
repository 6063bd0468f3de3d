#include "telemetry/recorder.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/installation.h"
#include "base/log.h"
#include "record/segment.h"
#include "telemetry/gpu_watch.h"
#include "telemetry/hook_channel.h"
#include "telemetry/log_feed.h"
#include "telemetry/progress_log.h"
#include "telemetry/python_coverage.h"
#include "telemetry/replaced_file.h"
#include "telemetry/sample_thinning.h"
#include "telemetry/sampler.h"
#include "telemetry/step_summing.h"

namespace forebay {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kPollEvery = 250 * kMillisecond;        // rings and log
constexpr std::int64_t kPollSoon = 30 * kMillisecond;          // while a ring fills quickly
constexpr std::int64_t kLongestGpuWait = 200 * kMillisecond;   // of one sample
constexpr std::int64_t kProgressEvery = 2'000 * kMillisecond;  // rewriting progress.json
constexpr std::int64_t kHookEvery = 5'000 * kMillisecond;      // rewriting hook.json

struct Watched {
  std::int64_t root_pid = 0;
  std::vector<std::string> cgroup_paths;
};

class RecorderThread : public Recorder {
 public:
  RecorderThread(RecorderSettings settings, SegmentWriter samples, SegmentWriter steps)
      : settings_(std::move(settings)),
        clock_(*settings_.clock),
        samples_(std::move(samples)),
        steps_(std::move(steps)),
        sampler_({settings_.proc, settings_.sys, settings_.cgroup_paths, settings_.clock}),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!settings_.hook_channel.empty()) {
      channel_.emplace(settings_.hook_channel);
      coverage_.emplace(settings_.proc, hook_folder());
    }
    activity_.started_ns = clock_.monotonic_ns();
    shared_activity_ = activity_;
    sampler_.set_root(settings_.root_pid);
  }

  ~RecorderThread() override { (void)RecorderThread::stop(); }

  void launch() {
    // Signals are the supervisor's business, on its own thread.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void watch(std::int64_t root_pid, std::vector<std::string> cgroup_paths) override {
    {
      const std::lock_guard lock(mutex_);
      next_watch_ = Watched{root_pid, std::move(cgroup_paths)};
    }
    wake();
  }

  Activity activity() const override {
    const std::lock_guard lock(mutex_);
    return shared_activity_;
  }

  void feed_log(std::string_view bytes) override { feed_.add(bytes); }

  Result<void> stop() override {
    if (thread_.joinable()) {
      stopping_.store(true);
      wake();
      thread_.join();
    }
    if (failure_) return *failure_;
    return {};
  }

 private:
  void wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "recorder");
    // Lives on this thread: the reader process dies with the thread that started it.
    if (settings_.watch_gpus && GpuWatch::is_driver_present())
      gpus_.emplace(GpuWatchSettings{.command = settings_.gpu_reader_command, .clock = settings_.clock});
    const std::int64_t interval = std::max(settings_.interval.nanoseconds, kMillisecond);
    std::int64_t next_sample = clock_.monotonic_ns(), next_poll = next_sample;
    while (!stopping_.load()) {
      take_watch();
      std::int64_t now = clock_.monotonic_ns();
      if (now >= next_sample) {
        take_sample(interval);
        now = clock_.monotonic_ns();
        next_sample += interval;
        if (next_sample <= now)
          next_sample = now + interval - (now - next_sample) % interval;  // late: keep the beat
      }
      if (now >= next_poll) {
        poll_job();
        next_poll = clock_.monotonic_ns() + (channel_ && channel_->is_busy() ? kPollSoon : kPollEvery);
      }
      wait(std::min(next_sample, next_poll), false);
    }
    finish(interval);
    gpus_.reset();
  }

  void take_watch() {
    std::optional<Watched> next;
    {
      const std::lock_guard lock(mutex_);
      next.swap(next_watch_);
    }
    if (!next) return;
    sampler_.set_root(next->root_pid);
    if (!next->cgroup_paths.empty()) sampler_.set_cgroups(next->cgroup_paths);
  }

  // Until then, or until somebody wakes us (or the GPU reader has answered, when `for_gpus`).
  void wait(std::int64_t until, bool for_gpus) {
    const std::int64_t left = std::max<std::int64_t>(until - clock_.monotonic_ns(), 0);
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    pollfd files[2] = {{wake_.get(), POLLIN, 0}, {gpus_ ? gpus_->descriptor() : -1, POLLIN, 0}};
    if (::ppoll(files, for_gpus ? 2 : 1, &timeout, nullptr) <= 0) return;
    std::uint64_t count = 0;
    if ((files[0].revents & POLLIN) != 0) (void)!::read(wake_.get(), &count, sizeof count);
  }

  void take_sample(std::int64_t interval) {
    const std::int64_t asked = clock_.monotonic_ns();
    if (gpus_) gpus_->request();
    sampler_.take(sample_, gpus_ ? gpus_->reader_cpu_seconds() : 0);
    if (gpus_) add_gpus(asked, interval);
    if (thinning_.keep()) note(samples_.append(kFrameEntry, encode_sample(sample_)));
    sampler_.update(activity_);
    if (coverage_) coverage_->update(sampler_.tree().processes(), channel_->seen(), sample_.monotonic_ns);
    publish();
  }

  void add_gpus(std::int64_t asked, std::int64_t interval) {
    const std::int64_t until = asked + std::min(interval / 2, kLongestGpuWait);
    gpus_->receive();
    while (!gpus_->is_answered() && gpus_->descriptor() >= 0 && !stopping_.load() &&
           clock_.monotonic_ns() < until) {
      wait(until, true);
      gpus_->receive();
    }
    // An answer that came after its own sample was taken is good for the next one.
    const std::int64_t oldest = asked - std::max<std::int64_t>(interval, 1'000 * kMillisecond);
    const auto is_own = [this](std::int64_t pid) { return sampler_.tree().contains(pid); };
    gpus_->append_to(sample_, oldest, is_own);
    activity_.gpu_known = gpus_->is_described() && !gpus_->problem();
    if (gpus_->is_busy(oldest, is_own)) activity_.last_gpu_ns = sample_.monotonic_ns;
    if (gpus_->problem() && !gpu_problem_said_) {
      gpu_problem_said_ = true;
      log_event(LogLevel::kWarning, "gpus-cannot-be-read", {{"cause", render_in("en", *gpus_->problem())}});
    }
  }

  void poll_job() {
    const std::int64_t now = clock_.monotonic_ns();
    const Instant time = clock_.now();
    if (channel_) {
      channel_->poll(now, step_sink(), [this](std::int64_t, std::uint64_t start_ticks) {
        return std::ranges::any_of(sampler_.tree().processes(), [=](const TreeProcess& process) {
          return process.start_ticks == start_ticks && process.state != 'Z';
        });
      });
      activity_.steps = channel_->steps();
      activity_.most_steps = channel_->most_steps();
      if (channel_->last_span_ns()) activity_.last_step_ns = channel_->last_span_ns();
    }
    if (feed_.take(batch_))
      progress_.add(batch_, time, now);
    else
      progress_.settle(time, now);
    if (progress_.last_byte_ns()) activity_.last_log_ns = progress_.last_byte_ns();
    if (progress_.last_progress_ns()) activity_.last_progress_ns = progress_.last_progress_ns();
    publish();
    write_files(now, false);
  }

  void finish(std::int64_t interval) {
    take_sample(interval);
    poll_job();
    const std::int64_t now = clock_.monotonic_ns();
    if (channel_) {
      channel_->finish(now, step_sink());
      activity_.steps = channel_->steps();
      activity_.most_steps = channel_->most_steps();
    }
    summing_.finish_all([this](const StepRow& row) { note(steps_.append(kFrameEntry, encode_step(row))); });
    progress_.finish(clock_.now(), now);
    publish();
    write_files(now, true);
  }

  StepBuilder::Sink step_sink() {
    return [this](const StepRow& row) {
      summing_.add(row, [this](const StepRow& sum) { note(steps_.append(kFrameEntry, encode_step(sum))); });
    };
  }

  void write_files(std::int64_t now, bool last) {
    progress_changed_ |= progress_.take_changed();
    if (progress_changed_ && (last || now - progress_written_ns_ >= kProgressEvery)) {
      progress_changed_ = false;
      progress_written_ns_ = now;
      note(replace_file(settings_.directory.progress(), progress_.to_json().dump()));
    }
    if (!channel_) return;
    hook_changed_ |= channel_->take_changed();
    if (last || (hook_changed_ && now - hook_written_ns_ >= kHookEvery)) {
      hook_changed_ = false;
      hook_written_ns_ = now;
      note(replace_file(settings_.directory.hook_facts(), hook_json().dump()));
    }
  }

  Json hook_json() const {
    return Json::object({{"version", 1},
                         {"processes", channel_->processes()},
                         {"undescribed_processes", channel_->undescribed()},
                         {"data_loader_workers", channel_->data_loader_workers()},
                         {"coverage", coverage_->to_json(channel_->seen())},
                         {"lost_records", channel_->lost_records()},
                         {"damaged", channel_->damaged()}});
  }

  // Samples and steps go on after a failure (a full disk may have room again); the first one is told at the
  // end.
  void note(const Result<void>& result) {
    if (result || failure_) return;
    failure_ = result.error();
    log_event(LogLevel::kWarning, "telemetry-not-written", {{"cause", failure_->sentence()}});
  }

  void publish() {
    const std::lock_guard lock(mutex_);
    shared_activity_ = activity_;
  }

  const RecorderSettings settings_;
  const Clock& clock_;
  LogFeed feed_;
  mutable std::mutex mutex_;
  Activity shared_activity_;  // under mutex_
  std::atomic<bool> stopping_{false};
  std::optional<Watched> next_watch_;  // guarded by mutex_

  // The thread's own, until it has been joined.
  SegmentWriter samples_, steps_;
  Sampler sampler_;
  std::optional<GpuWatch> gpus_;
  std::optional<HookChannel> channel_;
  std::optional<PythonCoverage> coverage_;
  StepSumming summing_;
  SampleThinning thinning_;
  ProgressLog progress_;
  LogFeed::Batch batch_;
  Sample sample_;
  Activity activity_;
  bool progress_changed_ = false, hook_changed_ = false, gpu_problem_said_ = false;
  std::int64_t progress_written_ns_ = 0, hook_written_ns_ = 0;
  std::optional<Error> failure_;

  UniqueFd wake_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::start(RecorderSettings settings) {
  FOREBAY_TRY(SegmentWriter samples, SegmentWriter::open(settings.directory.samples(),
                                                         static_cast<std::uint32_t>(SegmentKind::kSamples)));
  FOREBAY_TRY(SegmentWriter steps, SegmentWriter::open(settings.directory.steps(),
                                                       static_cast<std::uint32_t>(SegmentKind::kSteps)));
  auto recorder = std::make_unique<RecorderThread>(std::move(settings), std::move(samples), std::move(steps));
  recorder->launch();
  return std::unique_ptr<Recorder>(std::move(recorder));
}

}  // namespace forebay
