#include "cli/launch_options.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/installation.h"
#include "base/text.h"
#include "spec/job_file.h"

namespace forebay {
namespace {

Error bad(std::string on, std::string cause, std::string advice = {}) {
  return make_error(ErrorCode::kInvalidInput, "start", std::move(on), std::move(cause), std::move(advice));
}

// Remarks are printed; all errors become one, a line each (with --json the first).
Result<void> judge(const std::vector<JobProblem>& problems, const Console& console) {
  std::string sentences;
  for (const JobProblem& problem : problems) {
    if (!problem.is_error) {
      if (!console.json) console.remark(problem.text());
    } else if (sentences.empty()) {
      sentences = problem.text();
    } else if (!console.json) {
      sentences += "\nforebay: " + problem.text();
    }
  }
  if (sentences.empty()) return {};
  // The sentence is whole already.
  return Error{ErrorCode::kInvalidInput, "", sentences, "", ""};
}

Result<std::string> folder_of(const LaunchOptions& options, const ReadJob& read) {
  std::string folder = absolute_path(".");
  if (!folder.starts_with('/'))
    return bad(std::string(tr("the current folder")), std::string(tr("it has been removed")),
               std::string(tr("Change into a folder that is there.")));
  if (!options.file.empty()) folder = read.folder;
  if (read.job.workdir)
    folder = absolute_path(read.job.workdir->starts_with("/") ? *read.job.workdir
                                                              : join_path(folder, *read.job.workdir));
  if (!options.folder.empty()) folder = absolute_path(options.folder);
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return bad(folder, std::string(tr("the working folder does not exist")));
  return folder;
}

Result<void> check_variables(const Job& job) {
  const auto missing = missing_variables(job);
  if (missing.empty()) return {};
  return bad(missing.front(), std::string(tr("the job file wants its value from the command line")),
             fmt::format(fmt::runtime(tr("Give --env {0}=VALUE.")), missing.front()));
}

Result<void> check_budget(const Job& job, const std::optional<Money>& price) {
  if (!job.policy.budget) return {};
  if (!price)
    return bad("policy.budget", std::string(tr("a budget needs a price, and this machine's is not known")),
               std::string(tr("Give --price-per-hour, for example '2.5 USD'.")));
  if (price->currency != job.policy.budget->currency)
    return bad("policy.budget", std::string(tr("budget and price are in different currencies")));
  return {};
}

Result<double> sample_rate(const std::string& text) {
  if (text.empty()) return 1.0;
  char* end = nullptr;
  const double hertz = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(hertz >= 0.1 && hertz <= 20))
    return bad("--sample-hz " + text, std::string(tr("it is not between 0.1 and 20")));
  return hertz;
}

}  // namespace

Result<ReadJob> read_job_file(const std::string& file, const Console& console) {
  auto text = read_file(file, kMaximumJobFileSize + 1);
  if (!text && text.error().code == ErrorCode::kNotFound)
    return bad(file, std::string(tr("there is no such job file")),
               fmt::format(fmt::runtime(tr("To run a program write `forebay run -- {0}`.")), file));
  FOREBAY_CHECK(text);
  const std::string advice = fmt::format(fmt::runtime(tr("To run a program write `forebay run -- {0}`.")),
                                         file.ends_with(".py") ? "python " + file : "./" + file);
  if (text->starts_with("#!") || file.ends_with(".py") || file.ends_with(".sh"))
    return bad(file, std::string(tr("it is a program, not a job file")), advice);
  JobParse parse = parse_job(*text, file);
  FOREBAY_CHECK(judge(parse.problems, console));
  const std::string folder = std::filesystem::path(absolute_path(file)).parent_path().string();
  return ReadJob{std::move(parse.job), std::move(*text), std::move(parse.source), folder};
}

void LaunchOptions::declare_job(CommandLine& line) {
  line.positional("FILE", file, "job file (YAML); `forebay help job` describes it", false);
  line.command(command, "the program to run, exactly as you would type it");
  line.option("--name", name, "NAME", "name of the run (default: from the job file or the script)");
  line.option("--on", on, "WHERE", "where to run: local (this release runs on this machine only)");
  line.option("--workdir", folder, "FOLDER",
              "run in this folder instead of the job file's or the current one");
  line.option_list("-e,--env", variables, "NAME[=VALUE]",
                   "set a variable for the job; without a value it is taken from here; may be repeated");
  line.option("--price,--price-per-hour", price, "MONEY",
              "what this machine costs, for example '2.5 USD'; makes the bill and a budget possible");
  line.option("--memory", memory, "SIZE",
              "limit the memory of the job's whole process tree, for example 16GiB");
  line.option("--sample-hz", sample, "HERTZ", "samples of the machine per second, 0.1 to 20 (default 1)");
  line.flag("--isolate", isolate,
            "build a Python environment of its own from the project's files instead of using the active one");
  line.flag("--dry-run", dry_run, "say what would be run, and run nothing");
}

void LaunchOptions::declare(CommandLine& line) {
  declare_job(line);
  line.option("--max-duration", max_duration, "DURATION", "stop the job after this time, for example 12h");
  line.option("--idle-stop", idle_stop, "DURATION",
              "stop the job when nothing happened for so long (no CPU, GPU, I/O, step or log line)");
  line.option("--hang-stop", hang_stop, "DURATION",
              "stop the job when it is alive but made no step, log line or I/O for so long");
  line.flag("--no-hook", no_hook, "do not look into Python training loops");
}

Result<Money> parse_price_per_hour(const std::string& text) {
  std::string amount = text;
  for (std::string_view suffix : {"/h", "/hour", " per hour"})
    if (amount.ends_with(suffix)) amount.resize(amount.size() - suffix.size());
  return parse_money(amount);
}

Result<void> apply_limits(const LaunchOptions& options, Job& job) {
  const auto duration = [](const std::string& text, std::optional<Duration>& target) -> Result<void> {
    if (text.empty()) return {};
    FOREBAY_TRY(target, parse_duration(text));
    return {};
  };
  FOREBAY_CHECK(duration(options.max_duration, job.policy.max_duration));
  FOREBAY_CHECK(duration(options.idle_stop, job.policy.idle_stop));
  FOREBAY_CHECK(duration(options.hang_stop, job.policy.hang_stop));
  if (!options.memory.empty()) {
    FOREBAY_TRY(const Bytes bytes, parse_bytes(options.memory));
    job.resources.memory = Amount<Bytes>{bytes, false};
  }
  return {};
}

Result<SubmitRequest> make_request(const LaunchOptions& options, const Console& console) {
  if (options.file.empty() && options.command.empty())
    return bad("", std::string(tr("there is nothing to run")),
               std::string(tr("Write `forebay run -- python train.py`, or name a job file.")));
  if (!options.on.empty() && options.on != "local" && options.on != "any")
    return make_error(ErrorCode::kUnsupported, "run on", options.on,
                      std::string(tr("this release runs on this machine only")),
                      std::string(tr("Leave --on out, or write --on local.")));
  ReadJob read;
  if (!options.file.empty()) {
    FOREBAY_TRY(read, read_job_file(options.file, console));
    if (!options.command.empty()) read.job.run = JobCommand{std::nullopt, options.command};
  } else {
    read.job = job_from_command(options.command);
  }
  if (read.job.run.empty())
    return bad(options.file, std::string(tr("the job file has no `run:`")),
               std::string(tr("Add one, or give the command after --.")));
  if (!options.name.empty()) read.job.name = options.name;
  if (options.on == "local") read.job.resources.on = {Place{"local", "", ""}};
  for (const std::string& variable : options.variables) FOREBAY_CHECK(set_job_variable(read.job, variable));
  FOREBAY_CHECK(apply_limits(options, read.job));
  FOREBAY_CHECK(judge(unsupported_locally(read.job, read.source), console));
  FOREBAY_CHECK(check_variables(read.job));
  SubmitRequest request;
  FOREBAY_TRY(request.folder, folder_of(options, read));
  if (!options.price.empty()) {
    FOREBAY_TRY(request.price_per_hour, parse_price_per_hour(options.price));
  }
  FOREBAY_CHECK(check_budget(read.job, request.price_per_hour));
  FOREBAY_TRY(request.sample_hz, sample_rate(options.sample));
  // The run reads its job from the record: what that would refuse is refused here, before there is a run.
  if (const auto again = job_from_json(read.job.to_json()); !again) return again.error();
  request.job = std::move(read.job);
  request.job_text = std::move(read.text);
  request.state_folder = state_folder();
  request.isolate = options.isolate;
  request.use_hook = !options.no_hook;
  return request;
}

void print_dry_run(const Job& job, const std::string& folder, const Console& console) {
  if (console.json)
    console.print_json(Json::object({{"dry_run", true}, {"folder", folder}, {"job", job.to_json()}}));
  else
    console.print(explain_job(job, folder));
}

}  // namespace forebay
