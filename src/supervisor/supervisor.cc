#include "supervisor/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "record/run_record.h"
#include "supervisor/cgroup.h"
#include "supervisor/child_run.h"
#include "supervisor/kill_point.h"

namespace forebay {
namespace {

constexpr int kOomAdvantage =
    500;  // the job goes first when memory runs out, not the one that can tell of it

// Returns what the job gets back; empty when nothing was changed.
std::string lower_oom_score() {
  const auto text = read_file("/proc/self/oom_score_adj", 64);
  if (!text) return {};
  const int score =
      static_cast<int>(std::max<std::int64_t>(-1000, leading_integer(*text).value_or(0) - kOomAdvantage));
  UniqueFd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  const std::string lowered = fmt::format("{}", score);
  if (!fd.valid() ||
      ::write(fd.get(), lowered.data(), lowered.size()) != static_cast<ssize_t>(lowered.size()))
    return {};
  return *text;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Blocks the signals that are read from a descriptor, and puts the old mask back.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, number);
    ::pthread_sigmask(SIG_BLOCK, &set, &old_);
    fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &old_pipe_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  ~BlockedSignals() {
    ::sigaction(SIGPIPE, &old_pipe_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  int descriptor() const { return fd_.get(); }

 private:
  sigset_t old_{};
  struct sigaction old_pipe_{};
  UniqueFd fd_;
};

}  // namespace

std::string_view stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kNone:
      return "none";
    case StopReason::kCancelled:
      return "cancelled";
    case StopReason::kTerminated:
      return "terminated";
    case StopReason::kMaxDuration:
      return "max-duration";
    case StopReason::kBudget:
      return "budget";
    case StopReason::kIdle:
      return "idle";
    case StopReason::kHang:
      return "hang";
    case StopReason::kSlice:
      return "slice";
    case StopReason::kMemoryLimit:
      return "memory-limit";
    case StopReason::kKernelOutOfMemory:
      return "kernel-out-of-memory";
    case StopReason::kLogFailed:
      return "log-failed";
    case StopReason::kWardenLost:
      return "warden-lost";
  }
  return "none";
}

struct Supervisor::State {
  State(SupervisorSettings wanted, EventLoop ready_loop, LogWriter ready_log, ListeningSocket listening)
      : settings(std::move(wanted)),
        loop(std::move(ready_loop)),
        log(std::move(ready_log)),
        socket(loop, std::move(listening), handlers()),
        input(loop, [this](std::size_t bytes) { socket.consumed(bytes); }) {
    loop.watch(signals.descriptor(), EPOLLIN, [this](std::uint32_t) { on_signals(); });
  }

  ControlHandlers handlers() {
    ControlHandlers calls;
    calls.on_stop = [this](StopRequest request) {
      stop(request, StopReason::kCancelled, "stopped on request");
    };
    calls.on_input = [this](std::string_view bytes) {
      current != nullptr ? current->on_input(bytes) : input.push(bytes);
    };
    calls.on_input_end = [this] { input.end(); };
    calls.on_window = [this](WindowSize size) {
      if (current != nullptr) current->on_window(size);
      window = size;
    };
    calls.status = [this] {
      Json status = current != nullptr
                        ? current->status()
                        : Json::object({{"state", "between"}, {"stop_reason", stop_reason_name(requested)}});
      return status.set("log_bytes", log.bytes_written())
          .set("supervisor_pid", static_cast<std::int64_t>(::getpid()));
    };
    return calls;
  }

  void stop(StopRequest request, StopReason reason, const std::string& sentence) {
    if (requested == StopReason::kNone) requested = reason;
    if (current != nullptr) current->request_stop(request, reason, sentence);
  }

  void on_signals() {
    signalfd_siginfo info;
    while (::read(signals.descriptor(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
        stop(StopRequest::kTerminate, StopReason::kTerminated,
             "stopped: the supervisor was asked to end (is the machine shutting down?)");
  }

  SupervisorSettings settings;
  BlockedSignals signals;
  EventLoop loop;
  LogWriter log;
  ControlSocket socket;
  InputFeed input;
  SupervisorRecord record;
  std::string oom_score;
  StopReason requested = StopReason::kNone;
  std::optional<WindowSize> window;  // the newest a client has told
  ChildRun* current = nullptr;
  std::jthread hurrying;  // until the groups can be joined quickly
};

Supervisor::Supervisor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;
Supervisor::~Supervisor() = default;

Result<Supervisor> Supervisor::create(SupervisorSettings settings) {
  arm_kill_points();
  FOREBAY_TRY(EventLoop loop, EventLoop::create());
  FOREBAY_TRY(LogWriter log, LogWriter::open(settings.directory));
  FOREBAY_TRY(ListeningSocket listening, listen_for_clients(settings.directory));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto state =
      std::make_unique<State>(std::move(settings), std::move(loop), std::move(log), std::move(listening));
  if (state->settings.use_cgroup) state->hurrying = std::jthread(Cgroup::hurry_joins);
  state->oom_score = lower_oom_score();
  state->record.supervisor = own_identity();
  state->record.run_tag = state->settings.run_tag;
  state->record.host = host_name();
  state->record.socket = state->socket.path();
  FOREBAY_CHECK(write_json_file(state->settings.directory.supervisor(), state->record.to_json()));
  kill_point("supervisor-created");
  return Supervisor(std::move(state));
}

Result<ChildOutcome> Supervisor::run(const ChildSpec& spec, const Limits& limits,
                                     const SupervisorHooks& hooks) {
  State& state = *state_;
  serve_clients();
  if (spec.argv.empty() || spec.cwd.empty())
    return make_error(ErrorCode::kInternal, "start", "a child", "it has no command or no folder");
  if (state.requested != StopReason::kNone && !spec.despite_stop) {
    ChildOutcome outcome;
    outcome.stop_reason = state.requested;
    outcome.stop_sentence = "stopped before it was started";
    outcome.started = outcome.ended = state.settings.clock.now();
    return outcome;
  }
  ChildSpec sized = spec;
  if (state.window) sized.window_size = state.window;
  AttemptParts parts{state.settings, state.loop,   state.log,      state.socket,
                     state.input,    state.record, state.oom_score};
  ChildRun child(parts, sized, limits, hooks);
  state.current = &child;
  auto outcome = child.run();
  state.current = nullptr;
  if (state.hurrying.joinable()) state.hurrying.join();  // long done
  if (outcome && state.requested == StopReason::kNone &&
      (outcome->stop_reason == StopReason::kCancelled || outcome->stop_reason == StopReason::kTerminated))
    state.requested = outcome->stop_reason;
  return outcome;
}

Result<void> Supervisor::remark(std::string_view sentence) {
  std::string line(sentence);
  if (line.empty() || line.back() != '\n') line += '\n';
  FOREBAY_CHECK(state_->log.append(LogStream::kForebay, state_->settings.clock.now(), line));
  state_->socket.wake();
  return {};
}

void Supervisor::serve_clients() {
  for (int i = 0; i < 4; ++i) state_->loop.turn(Duration{0});
}

bool Supervisor::stop_requested() const {
  return state_->requested != StopReason::kNone;
}
StopReason Supervisor::requested_stop() const {
  return state_->requested;
}
std::uint64_t Supervisor::log_bytes() const {
  return state_->log.bytes_written();
}
Result<void> Supervisor::flush_log() {
  return state_->log.flush_to_disk();
}

}  // namespace forebay
