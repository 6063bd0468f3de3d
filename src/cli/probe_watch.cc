#include "cli/probe_watch.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/run_view.h"
#include "report/progress.h"
#include "supervisor/client.h"
#include "supervisor/terminal.h"

namespace forebay {
namespace {

constexpr int kRedraw = 200;  // ms
constexpr Duration kAnswer{500'000'000};

class Watch {
 public:
  Watch(const Submission& submission, const ProbeSlice& slice, const Console& console, OpenRuns open)
      : submission_(submission),
        slice_(slice),
        console_(console),
        style_(style_of(console)),
        open_(std::move(open)) {
    draws_ = console.error_is_terminal;
    style_.colour = style_.colour && draws_;
  }

  Result<ProbeWatched> watch() {
    while (true) {
      if (const auto left = handle_signals()) {
        clear();
        return ProbeWatched{submission_.row, left};
      }
      FOREBAY_TRY(RunRow row, open_.runs.get(submission_.row.id));
      if (!is_terminal(row.state) && row.owner && !is_alive(*row.owner)) {
        FOREBAY_TRY(OpenRuns again, open_runs());  // closes it, and ends what is left
        FOREBAY_TRY(row, again.runs.get(submission_.row.id));
      }
      if (is_terminal(row.state)) {
        clear();
        wait_for_supervisor(submission_.row.id);
        return ProbeWatched{std::move(row), std::nullopt};
      }
      if (draws_) draw(row);
      wait();
    }
  }

 private:
  // The row is closed a moment before the process is gone.
  void wait_for_supervisor(const std::string& id) {
    const auto row = open_.runs.get(id);
    const Clock& clock = system_clock();
    for (int i = 0; row && row->owner && is_alive(*row->owner) && i < 100; ++i)
      clock.sleep(Duration{20'000'000});
  }

  std::optional<int> handle_signals() {
    for (const int number : signals_.take()) {
      if (number == SIGHUP) return number;
      if (number == SIGWINCH)
        if (const auto size = terminal_size(STDERR_FILENO)) style_.width = size->columns;
      if (number == SIGTERM) ask(StopRequest::kTerminate);
      if (number == SIGINT) ask(has_asked_ ? StopRequest::kNow : StopRequest::kInterrupt);
    }
    if (pending_ && connect() && client_->request_stop(*pending_)) pending_.reset();
    return std::nullopt;
  }

  // Kept until the supervisor can be reached and has taken it.
  void ask(StopRequest request) {
    pending_ = request;
    clear();
    if (!console_.json)
      console_.remark(request == StopRequest::kNow ? tr("stopping the run now")
                      : request == StopRequest::kInterrupt
                          ? tr("stopping the run; press Ctrl-C again to stop it at once")
                          : tr("stopping the run"));
    has_asked_ = true;
  }

  bool connect() {
    if (client_) return true;
    auto connected = Client::connect(submission_.directory);
    if (!connected) return false;
    client_.emplace(std::move(*connected));
    return true;
  }

  void draw(const RunRow& row) {
    std::optional<Json> status;
    if (connect()) {
      if (auto answer = client_->status(kAnswer))
        status = std::move(*answer);
      else
        client_.reset();
    }
    const std::string line = render_progress(state_of(row, status.value_or(Json())), style_);
    (void)write_all(STDERR_FILENO, "\r\x1b[K" + line, "standard error");
    is_drawn_ = true;
  }

  ProgressState state_of(const RunRow& row, const Json& status) {
    const std::int64_t now = system_clock().monotonic_ns();
    ProgressState state;
    const auto elapsed = status["elapsed_ns"].as_integer();
    state.elapsed = Duration{now - begin_ns_};
    if (!elapsed) {
      state.doing = fmt::format(fmt::runtime(tr("probe: {0}")), tr(run_state_name(row.state)));
      return state;
    }
    const std::int64_t steps = status["steps"].as_integer().value_or(0);
    if (steps == 0) {
      state.doing = std::string(tr("probe: no step yet"));
      state.unit = ProgressState::Unit::kSeconds;
      state.done = Duration{*elapsed}.seconds();
      state.total = slice_.longest.seconds();
      state.elapsed = Duration{*elapsed};
      return state;
    }
    if (!first_step_ns_) first_step_ns_ = now;
    state.elapsed = Duration{now - *first_step_ns_};
    const auto wanted = slice_.steps + slice_.warmup_steps;
    state.done = static_cast<double>(std::min(steps, wanted));
    state.total = static_cast<double>(wanted);
    state.doing = state.elapsed.seconds() > 1
                      ? fmt::format(fmt::runtime(tr("probe: {0} steps/s")),
                                    fmt::format("{:.3g}", *state.done / state.elapsed.seconds()))
                      : std::string(tr("probe: steps"));
    return state;
  }

  void clear() {
    if (std::exchange(is_drawn_, false)) (void)write_all(STDERR_FILENO, "\r\x1b[K", "standard error");
  }

  void wait() {
    pollfd waits{signals_.descriptor(), POLLIN, 0};
    (void)::poll(&waits, 1, kRedraw);
  }

  const Submission& submission_;
  const ProbeSlice& slice_;
  const Console& console_;
  TerminalStyle style_;
  OpenRuns open_;
  SignalPipe signals_;
  std::optional<Client> client_;
  std::optional<StopRequest> pending_;
  const std::int64_t begin_ns_ = system_clock().monotonic_ns();
  std::optional<std::int64_t> first_step_ns_;
  bool draws_ = false, is_drawn_ = false, has_asked_ = false;
};

}  // namespace

Result<ProbeWatched> watch_probe(const Submission& submission, const ProbeSlice& slice,
                                 const Console& console) {
  FOREBAY_TRY(OpenRuns open, open_runs());
  return Watch(submission, slice, console, std::move(open)).watch();
}

}  // namespace forebay
