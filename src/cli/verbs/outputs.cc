// forebay outputs: what a run made and where it went.
#include <fmt/format.h>

#include "agent/attempt.h"
#include "base/text.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "report/table.h"

namespace forebay {
namespace {

class OutputsVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`", false);
    line.flag("--save", save_, "copy the outputs (again); what is already there and equal is not copied");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const RunRow row, open.runs.find(run_.empty() ? "last" : run_));
    const RunDirectory directory = open.directory_of(row);
    int code = 0;
    if (save_) {
      if (!is_terminal(row.state))
        return make_error(ErrorCode::kInvalidInput, "save the outputs of", row.id,
                          std::string(tr("it is still going on and saves them itself")));
      code = run_save_outputs(directory.path()) == 0 ? 0 : kExitInfrastructure;
    }
    const auto manifest = read_json_file(directory.outputs());
    if (!manifest) {
      if (console.json)
        console.print_json(Json::object({{"run", row.id}, {"complete", false}, {"outputs", Json::array()}}));
      else
        console.remark(fmt::format(
            fmt::runtime(tr("run {0} has no saved outputs; a job file names them under `outputs:`")),
            row.id));
      return code;
    }
    if (console.json)
      console.print_json(*manifest);
    else
      print(console, *manifest);
    return code;
  }

 private:
  static void print(const Console& console, const Json& manifest) {
    std::vector<std::vector<TableCell>> rows;
    for (const Json& result : manifest["outputs"].items()) {
      for (const Json& file : result["files"].items())
        rows.push_back(
            {file["from"].string_or_empty(), file["to"].string_or_empty(),
             format_bytes(Bytes{file["bytes"].as_integer().value_or(0)}),
             file["sha256"].string_or_empty().substr(0, 12),
             std::string(file["replaced"].as_bool().value_or(false) ? tr("replaced another") : "")});
      if (result["error"].is_object()) {
        const std::string sentence = result["error"]["sentence"].string_or_empty();
        console.remark(sentence.empty() ? result["error"]["cause"].string_or_empty() : sentence);
      }
    }
    if (rows.empty()) return;
    const auto replaced = manifest["replaced"].as_integer().value_or(0);
    console.print(format_table({{std::string(tr("FROM")), false, true, true, 8},
                                {std::string(tr("TO")), false, true, true, 8},
                                {std::string(tr("SIZE")), true},
                                {"SHA-256"},
                                {""}},
                               rows, style_of(console)));
    if (replaced > 0)
      console.remark(fmt::format(
          fmt::runtime(tr("files that lay at the outputs' destinations before and were replaced: {0}")),
          replaced));
  }

  std::string run_;
  bool save_ = false;
};

}  // namespace

VerbInfo outputs_verb_info() {
  return {
      "outputs",
      "Run",
      "list what a run saved",
      "Lists every file that was copied to the run's destinations with its size and SHA-256, and whether it "
      "replaced one that lay there before. --save copies them again, for example after a full disk.",
      "$ forebay outputs last\n$ forebay outputs train --save",
      make_verb<OutputsVerb>};
}

}  // namespace forebay
