#include "agent/attempt.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "agent/attempt_context.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/text.h"

namespace forebay {
namespace {

void report_ready(int fd, const std::string& line) {
  (void)write_all(fd, line + "\n", "the ready pipe");
  ::close(fd);
}

std::optional<Money> price_of(const Json& launch) {
  const Json& price = launch["price_per_hour"];
  const auto nano = price["nano"].as_integer();
  if (!nano) return std::nullopt;
  return Money{*nano, price["currency"].string_or_empty()};
}

Result<AttemptContext> take_run(const std::string& path) {
  const Clock& clock = system_clock();
  const RunDirectory directory(path);
  FOREBAY_CHECK(check_record_version(directory));
  FOREBAY_TRY(Json launch, read_json_file(directory.launch()));
  FOREBAY_TRY(const Json job_json, read_json_file(directory.job()));
  FOREBAY_TRY(Job job, job_from_json(job_json));
  const std::string state_folder = std::filesystem::path(path).parent_path().parent_path().string();
  FOREBAY_TRY(RunRepository runs, RunRepository::open(state_folder));
  const std::string id = std::filesystem::path(path).filename().string();
  FOREBAY_TRY(const RunRow row, runs.get(id));
  if (row.state != RunState::kQueued)
    return make_error(ErrorCode::kConflict, "start", id,
                      fmt::format(fmt::runtime(tr("it is already {0}")), tr(run_state_name(row.state))));
  FOREBAY_TRY(const std::int64_t epoch, runs.take_over(id, row.epoch, own_identity(), clock.now()));
  fault_point("attempt:after-take-over");
  SupervisorSettings settings{directory, clock, fmt::format("{}.{}", id, epoch)};
  FOREBAY_TRY(Supervisor supervisor, Supervisor::create(std::move(settings)));
  const std::string folder = launch["cwd"].string_or_empty();
  const auto price = price_of(launch);
  return AttemptContext{directory,
                        clock,
                        std::move(runs),
                        id,
                        epoch,
                        std::move(launch),
                        std::move(job),
                        state_folder,
                        folder,
                        price,
                        std::move(supervisor),
                        {},
                        {},
                        {},
                        {},
                        false};
}

// Runs the steps up to the end of the command; every way out goes on to saving and releasing.
Outcome carry(AttemptContext& context) {
  if (!move_run(context, RunMove::kPlan))
    return failed_outcome(OutcomeCause::kInfrastructure, "another process took the run over");
  if (auto end = check_machine(context)) return *end;
  if (!move_run(context, RunMove::kProvision))
    return failed_outcome(OutcomeCause::kInfrastructure, "another process took the run over");
  if (!move_run(context, RunMove::kPrepare))
    return failed_outcome(OutcomeCause::kInfrastructure, "another process took the run over");
  if (auto end = prepare(context)) return *end;
  if (!move_run(context, RunMove::kStage))
    return failed_outcome(OutcomeCause::kInfrastructure, "another process took the run over");
  if (auto end = stage_data(context)) return *end;
  if (!move_run(context, RunMove::kStart))
    return failed_outcome(OutcomeCause::kInfrastructure, "another process took the run over");
  return execute(context);
}

RunMove closing_move(const Outcome& outcome) {
  if (outcome.cause == OutcomeCause::kSucceeded || outcome.cause == OutcomeCause::kSliceSeen)
    return RunMove::kFinish;
  if (outcome.cause == OutcomeCause::kCancelled) return RunMove::kCancel;
  return RunMove::kFail;
}

constexpr off_t kReserveBytes = 512 << 10;

// Space set aside at the start, so that a full disk does not keep us from saying how the run ended.
void reserve_space(const RunDirectory& directory) {
  UniqueFd fd(::open(directory.reserve().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (fd.valid() && ::posix_fallocate(fd.get(), 0, kReserveBytes) != 0) ::unlink(directory.reserve().c_str());
}

void write_outcome(AttemptContext& context, const Outcome& outcome) {
  if (auto written = write_json_file(context.directory.outcome(), outcome.to_json()); !written)
    log_event(LogLevel::kError, "outcome-not-written", {{"cause", written.error().sentence()}});
}

void finish(AttemptContext& context, Outcome outcome) {
  ::unlink(context.directory.reserve().c_str());
  write_outcome(context, outcome);
  (void)context.supervisor.flush_log();
  fault_point("attempt:after-outcome");
  const bool command_ran = outcome.started.has_value();
  if (command_ran && !context.job.outputs.empty() && !is_probe(context) &&
      move_run(context, RunMove::kSave)) {
    const Outcome saved = save_outputs(context, outcome);
    if (saved.sentence != outcome.sentence) write_outcome(context, saved);
    outcome = saved;
  }
  if (context.fenced) return;
  (void)move_run(context, RunMove::kRelease);
  conclude(context);
  fault_point("attempt:before-close");
  note_event(context, "state",
             Json::object({{"to", run_state_name(*next(RunState::kReleasing, closing_move(outcome)))}}));
  if (auto closed =
          context.runs.close(context.id, context.epoch, closing_move(outcome), outcome, context.clock.now());
      !closed)
    log_event(LogLevel::kError, "run-not-closed", {{"cause", closed.error().sentence()}});
}

}  // namespace

Result<void> move_run(AttemptContext& context, RunMove move) {
  if (context.fenced)
    return make_error(ErrorCode::kConflict, "move", context.id, "another process has taken it over");
  auto moved = context.runs.move(context.id, context.epoch, move, context.clock.now());
  if (!moved && moved.error().code == ErrorCode::kConflict) {
    log_event(LogLevel::kWarning, "fenced",
              {{"move", std::string(run_move_name(move))}, {"cause", moved.error().sentence()}});
    context.fenced = true;
    return std::move(moved).error();
  }
  if (!moved) {
    log_event(LogLevel::kError, "state-not-stored", {{"cause", moved.error().sentence()}});
    return {};
  }
  note_event(context, "state", Json::object({{"to", run_state_name(*moved)}}));
  fault_point(fmt::format("attempt:{}", run_state_name(*moved)));
  return {};
}

void note_event(AttemptContext& context, const std::string& name, Json details) {
  if (auto noted = append_event(context.directory, RunEvent{context.clock.now(), name, std::move(details)});
      !noted)
    log_event(LogLevel::kError, "event-not-written", {{"event", name}, {"cause", noted.error().sentence()}});
}

void tell(AttemptContext& context, const std::string& sentence) {
  (void)context.supervisor.remark("forebay: " + sentence);
}

Outcome failed_outcome(OutcomeCause cause, std::string sentence) {
  Outcome outcome;
  outcome.cause = cause;
  outcome.sentence = std::move(sentence);
  return outcome;
}

int run_attempt(const std::string& directory, int ready_fd) {
  open_log("");  // standard error is supervisor.log
  auto context = take_run(directory);
  if (!context) {
    report_ready(ready_fd, context.error().sentence());
    return 125;
  }
  reserve_space(context->directory);
  report_ready(ready_fd, "ready");
  fault_point("attempt:after-ready");
  finish(*context, carry(*context));
  return 0;
}

}  // namespace forebay
