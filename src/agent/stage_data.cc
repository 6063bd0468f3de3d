// Staging: local data copied to where the job wants it (verified, whole or not at all), inside the job's own
// folder rules.
#include <fmt/format.h>

#include <filesystem>

#include "agent/attempt_context.h"
#include "base/file.h"
#include "base/text.h"
#include "storage/file_copy.h"
#include "storage/outputs.h"

namespace forebay {
namespace {

bool is_the_same(const std::string& source, const std::string& target) {
  const auto from = file_marks(source), to = file_marks(target);
  if (!from || !to || from->bytes != to->bytes) return false;
  if (from->modified_ns == to->modified_ns) return true;  // copies keep the time
  const auto left = hash_file(source, {}), right = hash_file(target, {});
  return left && right && *left == *right;
}

std::string in_folder(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : absolute_path(join_path(folder, path));
}

// A file that stands where data would go and is another than the data; nothing when there is none.
std::optional<std::string> in_the_way(const std::string& source, const std::string& target) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(source, ignored)) {
    const std::string place =
        fs::is_directory(target, ignored) ? join_path(target, fs::path(source).filename().string()) : target;
    return path_exists(place) && !is_the_same(source, place) ? std::optional(place) : std::nullopt;
  }
  for (fs::recursive_directory_iterator at(source, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (!at->is_regular_file(ignored)) continue;
    std::string place = join_path(target, at->path().lexically_relative(source).string());
    if (path_exists(place) && !is_the_same(at->path().string(), place)) return place;
  }
  return std::nullopt;
}

}  // namespace

StepResult stage_data(AttemptContext& context) {
  std::vector<OutputRequest> requests;
  for (const JobData& data : context.job.data) {
    if (!data.to) continue;  // read in place
    std::string from = data.from;
    if (from.starts_with("file://")) from = from.substr(7);
    requests.push_back({from, *data.to});
  }
  if (requests.empty()) return std::nullopt;
  for (const OutputRequest& request : requests)
    if (const auto place =
            in_the_way(in_folder(context.folder, request.from), in_folder(context.folder, request.to)))
      return failed_outcome(
          OutcomeCause::kSetupFailed,
          fmt::format(
              fmt::runtime(tr("{0} is there already and is not what data would put there; nothing was "
                              "copied. Remove it, or give another `to`.")),
              *place));
  OutputSettings settings;
  settings.workdir = context.folder;
  settings.run_id = context.id;
  settings.variables["FOREBAY_RUN"] = context.id;
  settings.cancelled = [&context] {
    context.supervisor.serve_clients();
    return context.supervisor.stop_requested();
  };
  const OutputsReport report = copy_outputs(requests, settings);
  note_event(context, "staged", report.to_json());
  if (context.supervisor.stop_requested())
    return failed_outcome(OutcomeCause::kCancelled, std::string(tr("stopped while data was being copied")));
  for (const OutputResult& result : report.results)
    if (result.error) return failed_outcome(OutcomeCause::kSetupFailed, result.error->sentence());
  return std::nullopt;
}

}  // namespace forebay
