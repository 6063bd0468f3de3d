// forebay runs prune, debug bundle.
#include <cstdlib>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "cli/run_view.h"
#include "cli/verb_list.h"
#include "control/debug_bundle.h"
#include "control/retention.h"
#include "report/table.h"

namespace forebay {
namespace {

class PruneVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.option("--older-than", age_, "DURATION", "keep records younger than this (default 30d)");
    line.option("--keep", keep_, "N", "keep at least the newest N records (default 50)");
    line.flag("--dry-run", dry_run_, "only list what would be removed");
  }

  Result<int> run(const Console& console) override {
    RetentionPolicy policy;
    if (!age_.empty()) {
      FOREBAY_TRY(policy.age, parse_duration(age_));
    }
    if (!keep_.empty()) {
      char* end = nullptr;
      const long long count = std::strtoll(keep_.c_str(), &end, 10);
      if (*end != '\0' || count < 0)
        return make_error(ErrorCode::kInvalidInput, "prune", "--keep " + keep_,
                          std::string(tr("it is not a number")));
      policy.newest = static_cast<std::size_t>(count);
    }
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const auto candidates, prune_candidates(open, policy));
    std::int64_t bytes = 0;
    for (const PruneCandidate& candidate : candidates) bytes += candidate.bytes;
    if (!dry_run_) {
      FOREBAY_TRY(bytes, prune(open, candidates));
    }
    print(console, candidates, bytes);
    return 0;
  }

 private:
  void print(const Console& console, const std::vector<PruneCandidate>& candidates,
             std::int64_t bytes) const {
    if (console.json) {
      Json list = Json::array();
      for (const PruneCandidate& each : candidates)
        list.push(Json::object({{"run", each.row.id}, {"name", each.row.name}, {"bytes", each.bytes}}));
      return console.print_json(Json::object({{"removed", !dry_run_}, {"bytes", bytes}, {"runs", list}}));
    }
    for (const PruneCandidate& each : candidates)
      console.print(
          fmt::format("{}  {:>10}  {}\n", each.row.id, format_bytes(Bytes{each.bytes}), each.row.name));
    console.remark(fmt::format(
        fmt::runtime(dry_run_ ? tr("{0} records, {1}, would be removed") : tr("{0} records, {1}, removed")),
        candidates.size(), format_bytes(Bytes{bytes})));
  }

  std::string age_, keep_;
  bool dry_run_ = false;
};

class BundleVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional("RUN", run_, "id, beginning of an id, name, or `last`");
    line.option("-o,--output", output_, "FILE", "the archive (default: forebay-RUN.tar.gz here)");
  }

  Result<int> run(const Console& console) override {
    FOREBAY_TRY(OpenRuns open, open_runs());
    FOREBAY_TRY(const RunRow row, open.runs.find(run_));
    const std::string target = absolute_path(output_.value_or(fmt::format("forebay-{}.tar.gz", row.id)));
    FOREBAY_CHECK(check_output_file(output_.value_or(target)));
    FOREBAY_TRY(const DebugBundle bundle, write_debug_bundle(open.directory_of(row), target));
    if (console.json) {
      console.print_json(Json::object({{"path", bundle.path},
                                       {"bytes", bundle.bytes},
                                       {"files", bundle.files},
                                       {"left_out", bundle.left_out}}));
      return 0;
    }
    console.print(bundle.path + "\n");
    console.remark(fmt::format(
        fmt::runtime(
            tr("{0} files, {1}; values of secrets are replaced by ***. Look inside before you send it.")),
        bundle.files.size(), format_bytes(Bytes{bundle.bytes})));
    for (const std::string& what : bundle.left_out)
      console.remark(fmt::format(fmt::runtime(tr("left out: {0}")), what));
    return 0;
  }

 private:
  std::string run_;
  std::optional<std::string> output_;
};

}  // namespace

VerbInfo runs_prune_verb_info() {
  return {"runs prune",
          "Housekeeping",
          "remove old run records",
          "Removes records of runs that ended more than 30 days ago, but never the newest 50 and never one "
          "that is going on.",
          "$ forebay runs prune --dry-run\n$ forebay runs prune --older-than 7d --keep 10",
          make_verb<PruneVerb>};
}

VerbInfo debug_bundle_verb_info() {
  return {"debug bundle",
          "Housekeeping",
          "pack what a bug report needs of one run",
          "Packs the record's small files, events, samples, steps and the end of the log into one archive, "
          "with secrets removed.",
          "$ forebay debug bundle last",
          make_verb<BundleVerb>};
}

}  // namespace forebay
