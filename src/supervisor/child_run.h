// One child from its start to the end of its last descendant: the part of the supervisor that exists once per
// child.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "supervisor/cgroup.h"
#include "supervisor/child_io.h"
#include "supervisor/control_socket.h"
#include "supervisor/event_loop.h"
#include "supervisor/input_feed.h"
#include "supervisor/lost_run.h"
#include "supervisor/memory_watch.h"
#include "supervisor/stop_sequence.h"
#include "supervisor/stream_pump.h"
#include "supervisor/supervisor.h"
#include "supervisor/warden.h"

namespace forebay {

// What lives as long as the supervisor.
struct AttemptParts {
  const SupervisorSettings& settings;
  EventLoop& loop;
  LogWriter& log;
  ControlSocket& socket;
  InputFeed& input;
  SupervisorRecord& record;
  std::string oom_score;  // the child's; empty = leave
};

class ChildRun {
 public:
  ChildRun(AttemptParts& attempt, const ChildSpec& spec, const Limits& limits, const SupervisorHooks& hooks);
  ChildRun(const ChildRun&) = delete;

  Result<ChildOutcome> run();
  void request_stop(StopRequest request, StopReason reason, const std::string& sentence,
                    bool deliver_interrupt = true);
  void on_input(std::string_view bytes);
  void on_window(WindowSize size);
  Json status() const;

 private:
  Result<void> start();
  void on_warden();
  void on_started(pid_t child);
  void on_exited(const WardenReport& report);
  void on_warden_lost();
  void reap_adopted();
  void tick();
  void judge_limits(std::int64_t now_ns);
  void watch_memory(std::int64_t now_ns);
  std::optional<Duration> time_to_next_tick() const;
  void finish();
  void judge_end();
  void set_reason(StopReason reason, std::string sentence);
  void event(const std::string& name, Json details = Json::object());
  std::vector<ProcessStat> members() const;
  StreamPump::Events pump_events();
  StopTarget stop_target();
  std::int64_t now_ns() const { return attempt_.settings.clock.monotonic_ns(); }

  AttemptParts& attempt_;
  const ChildSpec& spec_;
  const Limits& limits_;
  const SupervisorHooks& hooks_;
  ExecPlan plan_;
  ChildIo io_;
  std::optional<Cgroup> cgroup_;
  bool kernel_limits_memory_ = false;
  Warden warden_;
  pid_t child_ = 0;
  StreamPump pump_;
  StopSequence stop_;
  std::optional<MemoryWatch> memory_;
  ChildOutcome outcome_;
  std::int64_t started_ns_ = 0, exited_ns_ = 0, next_limits_ns_ = 0;
  bool has_exited_ = false, is_tree_empty_ = false, is_warden_lost_ = false;
};

// Every process that belongs to a child: below its warden and in its group; after the warden's death those
// the supervisor inherited.
std::vector<ProcessStat> members_of_child(pid_t warden, bool is_warden_lost,
                                          const std::optional<Cgroup>& cgroup, const std::string& run_tag);

}  // namespace forebay
