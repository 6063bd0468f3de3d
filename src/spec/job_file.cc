#include "spec/job_file.h"

#include <algorithm>

#include "spec/build_job.h"
#include "spec/check_job.h"
#include "spec/sentence.h"
#include "spec/skypilot.h"
#include "spec/source_text.h"
#include "spec/yaml_tree.h"

namespace forebay {
namespace {

void take_over(const std::vector<YamlProblem>& problems, JobParse& parse) {
  for (const YamlProblem& problem : problems)
    parse.problems.push_back(
        {parse.source.file, problem.position.line, problem.position.column, "", problem.sentence, true});
}

void sort_by_place(std::vector<JobProblem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const JobProblem& one, const JobProblem& other) {
    return std::pair(one.line, one.column) < std::pair(other.line, other.column);
  });
}

constexpr std::size_t kMostProblems = 100;

// A file that is something else altogether need not be explained line by line.
void cut_short(JobParse& parse) {
  if (parse.problems.size() <= kMostProblems) return;
  const std::size_t more = parse.problems.size() - kMostProblems;
  parse.problems.resize(kMostProblems);
  parse.problems.push_back({parse.source.file, 0, 0, "",
                            say(tr("There are {0} more problems. Is it the right file?"), more), true});
}

}  // namespace

JobParse parse_job(std::string_view text, const std::string& file_name) {
  JobParse parse;
  parse.source.file = file_name;
  const SourceText source = check_source_text(text);
  take_over(source.problems, parse);
  if (!parse.problems.empty()) return parse;
  const YamlDocument document = read_yaml(source.text);
  take_over(document.problems, parse);
  if (document.root != nullptr) {
    const YamlNode& root = *document.root;
    parse.is_skypilot = has_skypilot_keys(root);
    if (document.has_more_documents)
      parse.problems.push_back(
          {file_name, document.second_document.line, document.second_document.column, "",
           std::string(
               parse.is_skypilot
                   ? tr("A second task begins here. SkyPilot pipelines and job groups cannot be run yet; "
                        "give each task a file of its own.")
                   : tr("A second document begins here. One file is one job; give each a file of its own.")),
           true});
    if (parse.is_skypilot) {
      parse.problems.push_back(
          {file_name, 1, 1, "",
           std::string(
               tr("This is a SkyPilot task file; it is run as the job that \"forebay job check\" shows.")),
           false});
      translate_skypilot(root, parse);
    } else {
      JobCheck(parse).check(root);
      parse.job = build_job(root);
    }
    if (parse.ok()) check_consistency(parse.job, parse);
  }
  sort_by_place(parse.problems);
  cut_short(parse);
  return parse;
}

void add_local_problems(JobParse& parse) {
  const std::vector<JobProblem> before = parse.problems;
  const auto is_wrong_anyway = [&](const JobProblem& local) {
    return std::any_of(before.begin(), before.end(), [&](const JobProblem& problem) {
      return problem.is_error && problem.key.starts_with(local.key);
    });
  };
  for (JobProblem& problem : unsupported_locally(parse.job, parse.source))
    if (problem.is_error || !is_wrong_anyway(problem)) parse.problems.push_back(std::move(problem));
  sort_by_place(parse.problems);
}

bool is_skypilot(std::string_view text) {
  const SourceText source = check_source_text(text);
  if (!source.problems.empty()) return false;
  const YamlDocument document = read_yaml(source.text);
  return document.root != nullptr && has_skypilot_keys(*document.root);
}

std::string JobProblem::text() const {
  std::string place = file.empty() ? std::string(tr("job")) : file;
  if (line > 0) place += fmt::format(":{}:{}", line, column);
  if (is_error) return fmt::format("{}: {}", place, sentence);
  return say(tr("{0}: remark: {1}"), place, sentence);
}

Json JobProblem::to_json() const {
  Json json = Json::object({{"file", file}});
  if (line > 0) json.set("line", line).set("column", column);
  if (!key.empty()) json.set("key", key);
  return json.set("error", is_error).set("sentence", sentence);
}

JobProblem JobSource::problem_at(std::string_view key, std::string sentence, bool is_error) const {
  JobProblem problem{file, 0, 0, std::string(key), std::move(sentence), is_error};
  for (std::string_view wanted = key;;) {
    for (const Entry& entry : entries) {
      if (entry.key != wanted) continue;
      problem.line = entry.line;
      problem.column = entry.column;
      return problem;
    }
    const std::size_t end = wanted.find_last_of(".[");
    if (end == std::string_view::npos) return problem;
    wanted = wanted.substr(0, end);
  }
}

bool JobParse::ok() const {
  return std::none_of(problems.begin(), problems.end(),
                      [](const JobProblem& problem) { return problem.is_error; });
}

Json job_check_json(const JobParse& parse) {
  Json problems = Json::array();
  for (const JobProblem& problem : parse.problems) problems.push(problem.to_json());
  Json json =
      Json::object({{"ok", parse.ok()}, {"skypilot", parse.is_skypilot}, {"problems", std::move(problems)}});
  if (parse.ok()) json.set("job", parse.job.to_json());
  return json;
}

}  // namespace forebay
