// Saving: outputs at the end (also after failure), and between times.
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "agent/attempt.h"
#include "agent/attempt_context.h"
#include "agent/periodic_saver.h"
#include "base/environment_variable.h"
#include "base/file.h"
#include "base/installation.h"
#include "base/log.h"
#include "base/text.h"
#include "storage/checkpoint.h"

namespace forebay {
namespace {

std::string first_error(const OutputsReport& report) {
  for (const OutputResult& result : report.results)
    if (result.error) return result.error->sentence();
  return {};
}

std::string replaced_sentence(std::size_t count) {
  return fmt::format(
      fmt::runtime(tr("files that lay at the outputs' destinations before and were replaced: {0}")), count);
}

void keep_newest_checkpoints(const Job& job, const std::string& folder, const OutputsReport& report) {
  if (!job.checkpoint || !job.checkpoint->path || !job.checkpoint->keep || !report.is_complete()) return;
  const auto listing =
      find_checkpoints(absolute_path(join_path(folder, *job.checkpoint->path)), job.checkpoint->complete);
  const auto is_saved = [&](const Checkpoint& checkpoint) {
    for (const OutputResult& result : report.results)
      for (const CopiedFile& file : result.files)
        if (absolute_path(join_path(folder, file.from)).starts_with(checkpoint.path) ||
            file.from.starts_with(checkpoint.path))
          return true;
    return false;
  };
  if (auto removed = retain_checkpoints(listing, static_cast<int>(*job.checkpoint->keep), is_saved); !removed)
    log_event(LogLevel::kWarning, "checkpoints-not-removed", {{"cause", removed.error().sentence()}});
}

}  // namespace

OutputSettings output_settings(const RunDirectory& directory, const std::string& folder,
                               const std::string& id, const Job& job) {
  OutputSettings settings;
  settings.workdir = folder;
  settings.run_id = id;
  settings.variables["FOREBAY_RUN"] = id;
  for (const JobVariable& variable : job.environment.variables)
    if (variable.value) settings.variables[variable.name] = *variable.value;
  if (const auto launch = read_json_file(directory.launch()))
    if (const auto created = (*launch)["created_ns"].as_integer()) settings.began = Instant{*created};
  if (const auto replaced = read_json_file(directory.replaced()))
    for (const Json& path : (*replaced)["replaced"].items())
      settings.replaced_before.insert(path.string_or_empty());
  if (auto previous = read_json_file(directory.outputs())) settings.previous = std::move(*previous);
  return settings;
}

PeriodicSaver::PeriodicSaver(const AttemptContext& context)
    : clock_(context.clock),
      replaced_file_(context.directory.replaced()),
      settings_(output_settings(context.directory, context.folder, context.id, context.job)) {
  if (is_probe(context)) return;
  for (const JobOutput& output : context.job.outputs)
    if (output.every)
      entries_.push_back(
          {{output.from, output.to}, *output.every, clock_.monotonic_ns() + output.every->nanoseconds});
  if (entries_.empty()) return;
  settings_.cancelled = [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  };
  thread_ = std::thread([this] { loop(); });
}

void PeriodicSaver::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PeriodicSaver::loop() {
  while (true) {
    Entry* due = &entries_.front();
    for (Entry& entry : entries_)
      if (entry.next_ns < due->next_ns) due = &entry;
    {
      std::unique_lock lock(mutex_);
      const auto wait =
          std::chrono::nanoseconds(std::max<std::int64_t>(0, due->next_ns - clock_.monotonic_ns()));
      if (changed_.wait_for(lock, wait, [this] { return stopping_; })) return;
    }
    copy(due->request);
    due->next_ns = clock_.monotonic_ns() + due->every.nanoseconds;
  }
}

// The copy at the end is another process: what this one replaced is left to it in a file.
void PeriodicSaver::copy(const OutputRequest& request) {
  const OutputsReport report = copy_outputs({request}, settings_);
  if (!report.is_complete())
    log_event(LogLevel::kWarning, "outputs-between-times", {{"cause", first_error(report)}});
  const std::size_t before = settings_.replaced_before.size();
  for (const OutputResult& result : report.results)
    for (const CopiedFile& file : result.files)
      if (file.replaced) settings_.replaced_before.insert(file.to);
  if (settings_.replaced_before.size() == before) return;
  const std::vector<std::string> paths(settings_.replaced_before.begin(), settings_.replaced_before.end());
  if (auto written = write_json_file(replaced_file_, Json::object({{"replaced", Json(paths)}})); !written)
    log_event(LogLevel::kWarning, "replaced-not-written", {{"cause", written.error().sentence()}});
}

int run_save_outputs(const std::string& path) {
  const RunDirectory directory(path);
  const auto launch = read_json_file(directory.launch());
  const auto job_json = read_json_file(directory.job());
  if (!launch || !job_json) return 1;
  const auto job = job_from_json(*job_json);
  if (!job) return 1;
  std::vector<OutputRequest> requests;
  for (const JobOutput& output : job->outputs) requests.push_back({output.from, output.to});
  const std::string id = std::filesystem::path(path).filename().string();
  const OutputSettings settings = output_settings(directory, (*launch)["cwd"].string_or_empty(), id, *job);
  const OutputsReport report = copy_outputs(requests, settings);
  if (!write_json_file(directory.outputs(), report.to_json())) return 1;
  for (const OutputResult& result : report.results)
    if (result.error) fmt::print(stderr, "forebay: {}\n", result.error->sentence());
  if (report.replaced() > 0) fmt::print(stderr, "forebay: {}\n", replaced_sentence(report.replaced()));
  keep_newest_checkpoints(*job, settings.workdir, report);
  return report.is_complete() ? 0 : 1;
}

Outcome save_outputs(AttemptContext& context, Outcome outcome) {
  ChildSpec spec;
  spec.argv = {own_program(), "save-outputs", context.directory.path()};
  spec.cwd = "/";
  spec.environment = current_environment();
  spec.stream = LogStream::kForebay;
  spec.separate_error = false;
  spec.despite_stop = true;
  const auto child = context.supervisor.run(spec, Limits{}, SupervisorHooks{});
  if (child && child->succeeded()) return outcome;
  std::string cause = child ? child->stop_sentence : child.error().sentence();
  if (const auto manifest = read_json_file(context.directory.outputs()))
    for (const Json& result : (*manifest)["outputs"].items())
      if (result["error"].is_object() && cause.empty()) cause = result["error"]["sentence"].string_or_empty();
  note_event(context, "outputs-failed", Json::object({{"cause", cause}}));
  if (outcome.cause != OutcomeCause::kSucceeded) {  // the job's own failure comes first
    outcome.sentence += fmt::format(fmt::runtime(tr("; and its outputs were not all saved: {0}")), cause);
    return outcome;
  }
  outcome.cause = OutcomeCause::kOutputsFailed;
  outcome.sentence =
      fmt::format(fmt::runtime(tr("the command succeeded, but its outputs were not all saved: {0}")), cause);
  return outcome;
}

}  // namespace forebay
