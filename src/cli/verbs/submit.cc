// forebay submit: start and return.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/launch_options.h"
#include "cli/verb_list.h"
#include "spec/job_file.h"

namespace forebay {
namespace {

class SubmitVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { options_.declare(line); }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(const SubmitRequest request, make_request(options_, console));
    if (options_.dry_run) {
      print_dry_run(request.job, request.folder, console);
      return 0;
    }
    FOREBAY_TRY(const Submission submission, submit_run(request));
    if (console.json)
      console.print_json(Json::object({{"run", submission.row.id},
                                       {"name", submission.row.name},
                                       {"record", submission.directory.path()}}));
    else
      console.print(submission.row.id + "\n");
    if (console.output_is_terminal && !console.json)
      console.remark(fmt::format(
          fmt::runtime(tr("started; `forebay logs -f {0}` shows its output, `forebay stop {0}` ends it")),
          submission.row.id));
    return 0;
  }

 private:
  LaunchOptions options_;
};

}  // namespace

VerbInfo submit_verb_info() {
  return {"submit",
          "Run",
          "start a run and return at once",
          "Like `forebay run`, but returns as soon as a supervisor has taken the run over, and prints the "
          "run's id. The run goes on when the terminal is closed.",
          "$ forebay submit -- python train.py\n$ id=$(forebay submit job.yaml) && forebay logs -f $id",
          make_verb<SubmitVerb>};
}

}  // namespace forebay
