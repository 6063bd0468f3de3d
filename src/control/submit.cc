#include "control/submit.h"

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/environment_variable.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/run_id.h"
#include "control/start_attempt.h"
#include "record/run_record.h"
#include "version.h"

namespace forebay {
namespace {

std::string host_name() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

std::string user_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : std::to_string(::getuid());
}

Json launch_json(const SubmitRequest& request, const RunRow& row) {
  Json argv = Json::array();
  if (request.job.run.script) argv.push(*request.job.run.script);
  for (const std::string& word : request.job.run.arguments) argv.push(word);
  Json json = Json::object({{"id", row.id},
                            {"name", row.name},
                            {"argv", argv},
                            {"shell", request.job.run.script.has_value()},
                            {"cwd", request.folder},
                            {"created_ns", row.created.nanoseconds},
                            {"host", host_name()},
                            {"user", user_name()},
                            {"version", FOREBAY_VERSION},
                            {"engine", "local"},
                            {"isolate", request.isolate},
                            {"hook", request.use_hook},
                            {"resume", request.resume},
                            {"pty", request.use_pty},
                            {"columns", request.columns},
                            {"rows", request.rows},
                            {"forward_input", request.forward_input},
                            {"sample_hz", request.sample_hz},
                            {"parent", request.parent},
                            {"code_from", request.code_from}});
  json.set("price_per_hour", request.price_per_hour
                                 ? Json::object({{"nano", request.price_per_hour->nano},
                                                 {"currency", request.price_per_hour->currency}})
                                 : Json());
  if (request.probe)
    json.set("probe", Json::object({{"steps", request.probe->steps},
                                    {"warmup_steps", request.probe->warmup_steps},
                                    {"stop_after_steps", request.probe->steps + request.probe->warmup_steps},
                                    {"longest_ns", request.probe->longest.nanoseconds}}));
  return json;
}

Result<RunDirectory> make_directory(const std::string& state_folder, std::string& id) {
  FOREBAY_CHECK(make_directories(join_path(state_folder, "runs")));
  for (int attempt = 0; attempt < 10; ++attempt) {
    id = new_run_id();
    const RunDirectory directory = run_directory(state_folder, id);
    if (path_exists(directory.path())) continue;
    FOREBAY_CHECK(create_run_directory(directory));
    return directory;
  }
  return make_error(ErrorCode::kInternal, "choose", "a run id", "ten in a row were taken");
}

}  // namespace

constexpr std::size_t kLongestCommand = 4096;  // of a list; the record keeps the whole

std::string command_line_of(const Job& job) {
  std::string text = job.run.text();
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  if (text.size() > kLongestCommand) {
    text.resize(kLongestCommand);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    text += "…";
  }
  return text;
}

std::string default_job_name(const Job& job) {
  if (job.name) return *job.name;
  const auto& words = job.run.arguments;
  // The script of "python train.py --x" names the run better than "python".
  for (const std::string& word : words)
    if (word.ends_with(".py") || word.ends_with(".sh")) return std::filesystem::path(word).stem().string();
  if (!words.empty()) return std::filesystem::path(words.front()).filename().string();
  return "job";
}

Result<Submission> submit_run(const SubmitRequest& request) {
  FOREBAY_TRY(RunRepository runs, RunRepository::open(request.state_folder));
  RunRow row;
  FOREBAY_TRY(RunDirectory directory, make_directory(request.state_folder, row.id));
  row.name = default_job_name(request.job);
  row.command = command_line_of(request.job);
  row.folder = request.folder;
  row.owner = own_identity();
  row.created = row.updated = system_clock().now();
  row.parent = request.parent;
  if (request.probe) row.kind = kProbeRun;
  row.price_per_hour = request.price_per_hour;
  fault_point("submit:after-directory");
  if (!request.job_text.empty()) FOREBAY_CHECK(write_file_atomic(directory.job_text(), request.job_text));
  FOREBAY_CHECK(write_json_file(directory.job(), request.job.to_json()));
  FOREBAY_CHECK(write_json_file(directory.launch(), launch_json(request, row)));
  fault_point("submit:after-record");
  FOREBAY_CHECK(runs.create(row));
  fault_point("submit:after-row");
  if (auto started = start_attempt(directory); !started) {
    Outcome outcome;
    outcome.cause = OutcomeCause::kNeverStarted;
    outcome.sentence = started.error().sentence();
    // Nobody else may have the run: only then it is ours to close.
    if (auto closed = runs.close(row.id, row.epoch, RunMove::kFail, outcome, system_clock().now()); closed)
      FOREBAY_CHECK(write_json_file(directory.outcome(), outcome.to_json()));
    return std::move(started).error();
  }
  fault_point("submit:after-start");
  return Submission{std::move(row), std::move(directory)};
}

}  // namespace forebay
