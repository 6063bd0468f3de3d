#include "supervisor/stop_sequence.h"

#include <signal.h>

#include <algorithm>

#include "supervisor/process_tree.h"

namespace forebay {
namespace {

constexpr std::int64_t kKillPatience = 10'000'000'000;
constexpr std::int64_t kAskAgain = 20'000'000;
constexpr std::int64_t kFirstKillPause = 5'000'000;
constexpr std::int64_t kLongestKillPause = 200'000'000;

// A stopped process hears nothing but SIGKILL until it is continued.
void tell(const std::vector<ProcessStat>& processes, int signal) {
  for (const ProcessStat& process : processes) {
    signal_exactly(process, signal);
    if (process.state == 'T') signal_exactly(process, SIGCONT);
  }
}

}  // namespace

void StopSequence::interrupt(std::int64_t now_ns) {
  const pid_t group = target_.foreground_group();
  is_interrupt_due_ = group <= 1 || ::kill(-group, SIGINT) != 0;
  next_ns_ = now_ns + (is_interrupt_due_ ? kAskAgain : grace_.nanoseconds);
  for (const ProcessStat& member : target_.members())
    if (member.state == 'T') signal_exactly(member, SIGCONT);
}

void StopSequence::ask(std::int64_t now_ns, bool everybody) {
  is_interrupt_due_ = false;
  const auto members = target_.members();
  const auto told = everybody ? members : addressees(members, target_.child);
  if (told.empty() && !everybody) {  // asked before the child is there, or between two of its processes
    phase_ = Phase::kInterrupted;
    next_ns_ = now_ns + kAskAgain;
    return;
  }
  tell(told, SIGTERM);
  phase_ = everybody ? Phase::kAskedAll : Phase::kAsked;
  next_ns_ = now_ns + grace_.nanoseconds / 2;
}

void StopSequence::request(StopRequest request, std::int64_t now_ns, bool deliver_interrupt) {
  if (phase_ == Phase::kKilling || phase_ == Phase::kGaveUp) return;
  const bool is_next_step = phase_ == Phase::kInterrupted && request == StopRequest::kTerminate;
  if (request == StopRequest::kNow || (was_requested_ && !is_next_step)) return kill_now(now_ns);
  was_requested_ = true;
  if (phase_ != Phase::kNone && !is_next_step) return;  // a limit is ending it already
  if (request == StopRequest::kTerminate) return ask(now_ns, false);
  phase_ = Phase::kInterrupted;
  next_ns_ = now_ns + grace_.nanoseconds;
  if (deliver_interrupt) interrupt(now_ns);
}

void StopSequence::begin(std::int64_t now_ns) {
  if (phase_ == Phase::kNone) ask(now_ns, false);
}

void StopSequence::end_leftovers(std::int64_t now_ns) {
  if (phase_ == Phase::kKilling || phase_ == Phase::kGaveUp) return;
  tell(target_.members(), SIGTERM);
  phase_ = Phase::kAskedAll;
  next_ns_ = now_ns + leftover_grace_.nanoseconds;
}

void StopSequence::kill_now(std::int64_t now_ns) {
  if (phase_ == Phase::kKilling || phase_ == Phase::kGaveUp) return;
  phase_ = Phase::kKilling;
  kill_since_ns_ = now_ns;
  kill_pause_ns_ = kFirstKillPause;
  next_ns_ = now_ns;
  tick(now_ns);
}

void StopSequence::tick(std::int64_t now_ns) {
  if (!next_ns_ || now_ns < *next_ns_) return;
  if (phase_ == Phase::kInterrupted && is_interrupt_due_) return interrupt(now_ns);
  if (phase_ == Phase::kInterrupted) return ask(now_ns, false);
  if (phase_ == Phase::kAsked) return ask(now_ns, true);
  if (phase_ == Phase::kAskedAll) return kill_now(now_ns);
  if (phase_ != Phase::kKilling) return;
  if (now_ns - kill_since_ns_ > kKillPatience) {
    phase_ = Phase::kGaveUp;
    next_ns_.reset();
    return;
  }
  for (const ProcessStat& member : target_.members()) killed_.insert(member.pid);
  if (target_.kill_group) target_.kill_group();
  kill_hard(target_.members, target_.freeze);
  next_ns_ = now_ns + kill_pause_ns_;
  kill_pause_ns_ = std::min(kill_pause_ns_ * 2, kLongestKillPause);
}

}  // namespace forebay
