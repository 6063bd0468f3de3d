#include "supervisor/child_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/log.h"
#include "record/run_record.h"
#include "supervisor/kill_point.h"
#include "supervisor/process_tree.h"
#include "supervisor/pseudo_terminal.h"

namespace forebay {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStepCount = kSecond / 10;  // between looks at how many steps there are
constexpr std::int64_t kEmptyFollows =
    2'000'000;  // the warden says in the same breath that nothing is left, if so

Duration of_timeval(const timeval& time) {
  return Duration{time.tv_sec * kSecond + time.tv_usec * 1000};
}

}  // namespace

ChildRun::ChildRun(AttemptParts& attempt, const ChildSpec& spec, const Limits& limits,
                   const SupervisorHooks& hooks)
    : attempt_(attempt),
      spec_(spec),
      limits_(limits),
      hooks_(hooks),
      pump_(attempt.loop, attempt.log, attempt.settings.clock, attempt.settings.log_stall, pump_events()),
      stop_(stop_target(), spec.grace, spec.leftover_grace) {}

StreamPump::Events ChildRun::pump_events() {
  StreamPump::Events events;
  events.on_written = [this](std::string_view bytes) {
    if (hooks_.on_log) hooks_.on_log(bytes);
    attempt_.socket.wake();
  };
  events.on_stalled = [this](const Error& error) {
    event("log-stalled", Json::object({{"cause", error.sentence()}}));
  };
  events.on_resumed = [this] { event("log-resumed"); };
  events.on_failed = [this](const Error& error) {
    event("log-failed", Json::object({{"cause", error.sentence()}}));
    set_reason(StopReason::kLogFailed,
               fmt::format("stopped: the log could not be written any more ({})", error.sentence()));
    stop_.begin(now_ns());
  };
  return events;
}

StopTarget ChildRun::stop_target() {
  StopTarget target;
  target.members = [this] { return members(); };
  target.freeze = [this](bool frozen) { return cgroup_ && cgroup_->freeze(frozen); };
  target.kill_group = [this] { return cgroup_ && cgroup_->kill(); };
  target.foreground_group = [this]() -> pid_t {
    const pid_t foreground = io_.terminal.valid() ? foreground_group(io_.terminal.get()) : 0;
    return foreground > 0 ? foreground : has_exited_ ? 0 : child_;
  };
  return target;
}

std::vector<ProcessStat> ChildRun::members() const {
  return members_of_child(warden_.pid, is_warden_lost_, cgroup_, attempt_.settings.run_tag);
}

void ChildRun::event(const std::string& name, Json details) {
  if (hooks_.on_event) hooks_.on_event(name, details);
}

void ChildRun::set_reason(StopReason reason, std::string sentence) {
  if (outcome_.stop_reason != StopReason::kNone) return;
  outcome_.stop_reason = reason;
  outcome_.stop_sentence = std::move(sentence);
  event("stop", Json::object({{"reason", stop_reason_name(reason)}, {"sentence", outcome_.stop_sentence}}));
}

Result<void> ChildRun::start() {
  plan_ = plan_exec(spec_, attempt_.settings.run_tag);
  plan_.oom_score = attempt_.oom_score;
  FOREBAY_TRY(io_, open_child_io(spec_));
  plan_.input = io_.child_input.get();
  plan_.output = io_.child_output.get();
  plan_.error = io_.child_error.get();
  if (attempt_.settings.use_cgroup) cgroup_ = Cgroup::create("forebay-" + attempt_.settings.run_tag);
  std::vector<UniqueFd> joins;
  if (cgroup_) joins = cgroup_->open_joins();
  for (const UniqueFd& join : joins) plan_.joins.push_back(join.get());
  if (cgroup_ && spec_.memory_limit)
    kernel_limits_memory_ = cgroup_->limit_memory(*spec_.memory_limit).has_value();
  FOREBAY_TRY(warden_, start_warden(plan_, cgroup_));
  kill_point("warden-forked");
  attempt_.record.warden = identify(warden_.pid);
  attempt_.record.child.reset();
  attempt_.record.cgroups = cgroup_ ? cgroup_->paths() : std::vector<std::string>();
  // Before the child exists it is on disk how to find it.
  if (auto written = write_json_file(attempt_.settings.directory.supervisor(), attempt_.record.to_json());
      !written) {
    warden_.channel.reset();  // the warden ends without having started anything
    ::waitpid(warden_.pid, nullptr, 0);
    if (cgroup_) cgroup_->remove();
    return written;
  }
  kill_point("supervisor-recorded");
  pump_.add(std::move(io_.output), spec_.stream);
  if (io_.error.valid()) pump_.add(std::move(io_.error), LogStream::kError);
  attempt_.loop.watch(warden_.channel.get(), EPOLLIN, [this](std::uint32_t) { on_warden(); });
  outcome_.started = attempt_.settings.clock.now();
  started_ns_ = now_ns();
  release_warden(warden_);
  // The slave of a pty stays open until the end, so that a job that closes and reopens its terminal does not
  // hang it up.
  io_.child_input.reset();
  io_.child_error.reset();
  if (!spec_.use_pty) io_.child_output.reset();
  return {};
}

Result<ChildOutcome> ChildRun::run() {
  FOREBAY_CHECK(start());
  while (!is_tree_empty_ && stop_.phase() != StopSequence::Phase::kGaveUp) {
    attempt_.loop.turn(time_to_next_tick());
    tick();
  }
  finish();
  return std::move(outcome_);
}

void ChildRun::on_warden() {
  while (const auto message = read_warden(warden_)) {
    if (message->closed) return on_warden_lost();
    const WardenReport& report = message->report;
    switch (report.kind) {
      case WardenReport::Kind::kStarted:
        on_started(report.pid);
        break;
      case WardenReport::Kind::kFailed:
        outcome_.start_failure = explain_exec_failure(report.failure, plan_);
        is_tree_empty_ = true;
        return;
      case WardenReport::Kind::kExited:
        on_exited(report);
        break;
      case WardenReport::Kind::kEmpty:
        is_tree_empty_ = true;
        return;
    }
  }
}

void ChildRun::on_started(pid_t child) {
  kill_point("supervisor-child-started");
  child_ = child;
  attempt_.record.child = identify(child);
  if (cgroup_ && attempt_.record.child && is_alive(*attempt_.record.child) && !cgroup_->holds(child) &&
      is_alive(*attempt_.record.child)) {
    log_event(LogLevel::kWarning, "cgroup-not-joined", {{"path", cgroup_->paths().front()}});
    cgroup_->remove();
    cgroup_.reset();
    kernel_limits_memory_ = false;
  }
  memory_.emplace(spec_.memory_limit, cgroup_, kernel_limits_memory_, [this] { return members(); });
  attempt_.record.cgroups = cgroup_ ? cgroup_->paths() : std::vector<std::string>();
  if (auto written = write_json_file(attempt_.settings.directory.supervisor(), attempt_.record.to_json());
      !written)
    log_event(LogLevel::kWarning, "supervisor-record-not-written", {{"cause", written.error().sentence()}});
  if (io_.input.valid()) attempt_.input.connect(std::move(io_.input), spec_.use_pty);
  stop_.set_child(child);
  if (hooks_.on_child_started)
    hooks_.on_child_started(StartedChild{warden_.pid, child, attempt_.record.cgroups});
}

void ChildRun::on_exited(const WardenReport& report) {
  has_exited_ = true;
  exited_ns_ = now_ns();
  outcome_.ended = attempt_.settings.clock.now();
  outcome_.duration = Duration{now_ns() - started_ns_};
  if (WIFEXITED(report.status)) outcome_.exit_code = WEXITSTATUS(report.status);
  if (WIFSIGNALED(report.status)) {
    outcome_.signal = WTERMSIG(report.status);
    outcome_.core_dumped = WCOREDUMP(report.status);
  }
  outcome_.cpu_user = of_timeval(report.usage.ru_utime);
  outcome_.cpu_system = of_timeval(report.usage.ru_stime);
  if (report.usage.ru_maxrss > 0) outcome_.peak_memory = Bytes{report.usage.ru_maxrss * 1024};
  kill_point("supervisor-child-exited");
}

void ChildRun::on_warden_lost() {
  attempt_.loop.forget(warden_.channel.get());
  if (is_tree_empty_) return;
  is_warden_lost_ = true;
  ::waitpid(warden_.pid, nullptr, 0);
  event("warden-lost");
  if (!has_exited_)
    set_reason(StopReason::kWardenLost, "stopped: the process that watches over the job was killed");
  stop_.kill_now(now_ns());
}

// What the warden would have reaped.
void ChildRun::reap_adopted() {
  for (const ProcessStat& process : all_processes()) {
    if (process.parent != ::getpid() || process.state != 'Z') continue;
    int status = 0;
    if (process.name == "forebay" || ::waitpid(static_cast<pid_t>(process.pid), &status, WNOHANG) <= 0 ||
        process.pid != child_)
      continue;
    on_exited(WardenReport{WardenReport::Kind::kExited, child_, status, {}, {}});
  }
}

void ChildRun::request_stop(StopRequest request, StopReason reason, const std::string& sentence,
                            bool deliver_interrupt) {
  set_reason(reason, sentence);
  event("signal", Json::object({{"request", request == StopRequest::kInterrupt   ? "interrupt"
                                            : request == StopRequest::kTerminate ? "terminate"
                                                                                 : "now"}}));
  if (has_exited_ && request != StopRequest::kNow) return;  // what is left is being ended already
  stop_.request(request, now_ns(), deliver_interrupt);
  attempt_.socket.announce_stop(stop_.phase() == StopSequence::Phase::kKilling ? StopRequest::kNow : request);
}

void ChildRun::on_input(std::string_view bytes) {
  const auto keys = io_.terminal.valid() ? line_keys(io_.terminal.get()) : std::nullopt;
  // Only while the job itself has the terminal: below a shell, keys are for the program it runs. A job that
  // has just begun may have printed already while word of its start is still on the way.
  if (!keys || (child_ > 0 && foreground_group(io_.terminal.get()) != child_))
    return attempt_.input.push(bytes);
  std::string passed;
  for (const char byte : bytes) {
    if (byte == keys->suspend && byte != '\0') {
      attempt_.input.push(passed);
      passed.clear();
      attempt_.socket.consumed(1);
      attempt_.socket.suspend_display();
    } else if (byte == keys->interrupt && byte != '\0') {
      // The terminal turns the byte into a signal itself, unless it is stuck behind input that nobody reads.
      const bool is_stuck = attempt_.input.has_pending();
      attempt_.input.push(passed + byte);
      passed.clear();
      request_stop(StopRequest::kInterrupt, StopReason::kCancelled, "stopped by Ctrl-C", is_stuck);
    } else {
      passed += byte;
    }
  }
  if (!passed.empty()) attempt_.input.push(passed);
}

void ChildRun::on_window(WindowSize size) {
  if (io_.terminal.valid()) set_window_size(io_.terminal.get(), size);
}

Json ChildRun::status() const {
  Json status = Json::object({{"state", stop_.is_stopping() ? "stopping" : "running"},
                              {"child_pid", static_cast<std::int64_t>(child_)},
                              {"stop_reason", stop_reason_name(outcome_.stop_reason)},
                              {"log_stalled", pump_.is_stalled()}});
  if (started_ns_ > 0) status.set("elapsed_ns", now_ns() - started_ns_);
  if (!hooks_.activity) return status;
  const Activity activity = hooks_.activity();
  status.set("steps", activity.most_steps).set("cpu_seconds", activity.cpu_seconds);
  return status.set("memory_bytes", activity.memory_bytes);
}

std::optional<Duration> ChildRun::time_to_next_tick() const {
  std::int64_t next = next_limits_ns_;
  if (memory_) next = std::min(next, memory_->next_tick_ns());
  next = std::min({next, stop_.next_tick_ns().value_or(next), pump_.next_tick_ns().value_or(next)});
  if (has_exited_) next = std::min(next, std::max(now_ns(), exited_ns_) + kEmptyFollows);
  return Duration{std::max<std::int64_t>(0, next - now_ns())};
}

void ChildRun::tick() {
  const std::int64_t now = now_ns();
  pump_.tick(now);
  if (is_warden_lost_) {
    reap_adopted();
    if (members().empty()) is_tree_empty_ = true;
  }
  if (is_tree_empty_) return;
  stop_.tick(now);
  if (has_exited_) {
    if (now - exited_ns_ < kEmptyFollows) return;
    if (!stop_.is_stopping() || stop_.phase() == StopSequence::Phase::kInterrupted ||
        stop_.phase() == StopSequence::Phase::kAsked)
      stop_.end_leftovers(now);
    return;
  }
  judge_limits(now);
  watch_memory(now);
}

void ChildRun::judge_limits(std::int64_t now) {
  if (now < next_limits_ns_) return;
  next_limits_ns_ = now + kSecond;
  for (const auto& limit : {limits_.max_duration, limits_.budget, limits_.slice_duration})
    if (limit)
      next_limits_ns_ =
          std::min(next_limits_ns_, std::max(now + 1'000'000, started_ns_ + limit->nanoseconds));
  for (const auto& limit : {limits_.idle_stop, limits_.hang_stop})
    if (limit)
      next_limits_ns_ =
          std::min(next_limits_ns_, now + std::max<std::int64_t>(20'000'000, limit->nanoseconds / 10));
  if (limits_.slice_steps) next_limits_ns_ = std::min(next_limits_ns_, now + kStepCount);
  if (stop_.is_stopping()) return;
  std::optional<Activity> activity;
  if (hooks_.activity && (limits_.idle_stop || limits_.hang_stop || limits_.slice_steps))
    activity = hooks_.activity();
  const auto reached = reached_limit(limits_, activity, started_ns_, now);
  if (!reached) return;
  event("limit",
        Json::object({{"limit", stop_reason_name(reached->reason)}, {"sentence", reached->sentence}}));
  set_reason(reached->reason, reached->sentence);
  stop_.begin(now);
  attempt_.socket.announce_stop(StopRequest::kTerminate);
}

void ChildRun::watch_memory(std::int64_t now) {
  if (!memory_) return;
  const auto verdict = memory_->tick(now);
  if (verdict == MemoryWatch::Verdict::kFine || !spec_.memory_limit ||
      stop_.phase() == StopSequence::Phase::kKilling)
    return;
  event("out-of-memory",
        Json::object({{"limit", spec_.memory_limit->count}, {"sentence", memory_->describe()}}));
  set_reason(StopReason::kMemoryLimit, fmt::format("killed: it needed more memory than its limit of {} ({})",
                                                   format_bytes(*spec_.memory_limit), memory_->describe()));
  stop_.kill_now(now);
}

}  // namespace forebay
