// How a child is ended: politely, more firmly, by force. Time moves it on; a second request moves it on at
// once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/process_identity.h"
#include "base/units.h"
#include "supervisor/client.h"

namespace forebay {

struct StopTarget {
  std::function<std::vector<ProcessStat>()> members;  // all of the tree now
  std::function<bool(bool)> freeze;                   // holds the tree still; may be empty
  std::function<bool()> kill_group;                   // kills all at once; may be empty or return false
  std::function<pid_t()> foreground_group;            // who gets an interrupt
  std::int64_t child = 0;
};

class StopSequence {
 public:
  enum class Phase { kNone, kInterrupted, kAsked, kAskedAll, kKilling, kGaveUp };

  StopSequence(StopTarget target, Duration grace, Duration leftover_grace)
      : target_(std::move(target)), grace_(grace), leftover_grace_(leftover_grace) {}

  // Somebody asks. The second request means "now", except that a termination after an interrupt is only the
  // next step. `deliver_interrupt` false: the terminal itself sends the signal.
  void request(StopRequest request, std::int64_t now_ns, bool deliver_interrupt = true);
  void set_child(std::int64_t child) { target_.child = child; }
  // A limit asks.
  void begin(std::int64_t now_ns);
  // The child has ended by itself; these are its descendants.
  void end_leftovers(std::int64_t now_ns);
  void kill_now(std::int64_t now_ns);
  void tick(std::int64_t now_ns);

  Phase phase() const { return phase_; }
  bool is_stopping() const { return phase_ != Phase::kNone; }
  std::optional<std::int64_t> next_tick_ns() const { return next_ns_; }
  int killed() const { return static_cast<int>(killed_.size()); }

 private:
  void interrupt(std::int64_t now_ns);
  void ask(std::int64_t now_ns, bool everybody);
  StopTarget target_;
  Duration grace_, leftover_grace_;
  Phase phase_ = Phase::kNone;
  std::optional<std::int64_t> next_ns_;
  std::int64_t kill_since_ns_ = 0, kill_pause_ns_ = 0;
  std::set<std::int64_t> killed_;
  bool was_requested_ = false;
  bool is_interrupt_due_ = false;  // nobody was there yet to hear it
};

}  // namespace forebay
