// forebay job check, job schema.
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/verb_list.h"
#include "spec/job_file.h"
#include "spec/schema.h"

namespace forebay {
namespace {

class JobCheckVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("FILE", file_, "job file, or - for standard input");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const std::string text,
                read_file(file_ == "-" ? "/dev/stdin" : file_, kMaximumJobFileSize + 1));
    JobParse parse = parse_job(text, file_);
    add_local_problems(parse);
    if (console.json) {
      console.print_json(job_check_json(parse));
      return parse.ok() ? 0 : kExitUsage;
    }
    for (const JobProblem& problem : parse.problems)
      (void)write_all(STDERR_FILENO, problem.text() + "\n", "standard error");
    if (parse.ok()) console.print(explain_job(parse.job));
    return parse.ok() ? 0 : kExitUsage;
  }

 private:
  std::string file_;
};

class JobSchemaVerb final : public Verb {
 public:
  void declare(CommandLine&) override {}
  Result<int> run(const Console& console) override {
    console.print_json(job_json_schema());
    return 0;
  }
};

}  // namespace

VerbInfo job_check_verb_info() {
  return {"job check",
          "Job files",
          "explain a job file without running it",
          "Reads a job file, prints every problem with its line and column, and says in sentences what would "
          "be run, where, and with which limits.",
          "$ forebay job check job.yaml\n$ forebay job check --json job.yaml",
          make_verb<JobCheckVerb>};
}

VerbInfo job_schema_verb_info() {
  return {"job schema",
          "Job files",
          "print the JSON Schema of job files, for editors",
          "Prints the JSON Schema (2020-12) made from the same table as the help and the checks.",
          "$ forebay job schema > job.schema.json",
          make_verb<JobSchemaVerb>};
}

}  // namespace forebay
