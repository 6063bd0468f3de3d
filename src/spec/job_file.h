// Reading a job file: every problem found in one pass, each with its place. SkyPilot task files are told
// apart and translated. The text is hostile until parsed: size, depth and alias expansion are bounded;
// nothing here throws.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "spec/job.h"

namespace forebay {

// A job file larger than this is refused unread.
inline constexpr std::size_t kMaximumJobFileSize = 1u << 20;

// One thing to say about a job file. line and column count from 1 (columns in characters); 0 when there is no
// position.
struct JobProblem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key;       // "policy.idle_stop"; empty for the file as a whole
  std::string sentence;  // translated, whole, with what to write instead
  bool is_error = true;  // false: a remark; the job can run
  // "job.yaml:3:7: sentence" (remarks say so).
  std::string text() const;
  Json to_json() const;
};

// Where each given key stands, so that a later judgement can point at it.
struct JobSource {
  struct Entry {
    std::string key;  // "outputs[1].to"
    int line = 0;
    int column = 0;
  };
  std::string file;
  std::vector<Entry> entries;
  // A problem at the key's position, or at its nearest parent's, or without one.
  JobProblem problem_at(std::string_view key, std::string sentence, bool is_error = true) const;
};

struct JobParse {
  Job job;                           // what could be read; use it only if ok()
  std::vector<JobProblem> problems;  // in the order of the file
  JobSource source;
  bool is_skypilot = false;
  bool ok() const;  // no error among the problems
};

// `file_name` is only named in problems. Never fails otherwise than by problems.
JobParse parse_job(std::string_view text, const std::string& file_name);
// Does the text have the shape of a SkyPilot task file? False for what cannot be read.
bool is_skypilot(std::string_view text);

// What the local engine of this release cannot honour (errors), and what has no effect here (remarks), by
// name.
std::vector<JobProblem> unsupported_locally(const Job& job, const JobSource& source = {});

// Adds those to the parse's problems, in the order of the file, for the command line: everything at once. A
// remark on a value that is wrong anyway is left out.
void add_local_problems(JobParse& parse);

// What would be run, where, with which limits and environment: whole sentences, one a line.
std::string explain_job(const Job& job, const std::string& folder = {});
// For `job check --json`: {"ok", "skypilot", "problems": […], "job": {…}}.
Json job_check_json(const JobParse& parse);

}  // namespace forebay
