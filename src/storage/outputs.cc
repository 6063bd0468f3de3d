#include "storage/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "storage/file_copy.h"
#include "storage/output_paths.h"

namespace forebay {
namespace {

// What an earlier manifest says about a destination file.
struct Earlier {
  std::int64_t bytes = 0, modified_ns = 0;
  std::string sha256, from;
  bool replaced = false;
};

std::map<std::string, Earlier> read_previous(const Json& manifest) {
  std::map<std::string, Earlier> files;
  for (const Json& result : manifest["outputs"].items())
    for (const Json& file : result["files"].items())
      if (!file["sha256"].string_or_empty().empty())
        files[file["to"].string_or_empty()] = {
            file["bytes"].as_integer().value_or(-1), file["modified_ns"].as_integer().value_or(-1),
            file["sha256"].string_or_empty(), file["from"].string_or_empty(),
            file["replaced"].as_bool().value_or(false)};
  return files;
}

void flush_folder(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

std::string parent_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

// Copies one request: first everything into a hidden folder beside its destination, then all of it into
// place.
class RequestCopier {
 public:
  RequestCopier(OutputResult& result, const OutputSettings& settings,
                const std::map<std::string, Earlier>& previous, OutputProgress& progress)
      : result_(result), settings_(settings), previous_(previous), progress_(progress) {}

  Result<void> run(const PlannedCopy& plan) {
    result_.destination = plan.destination_folder;
    result_.skipped = plan.skipped;
    partial_ = fmt::format("{}/.forebay-partial-{}-{}", plan.destination_folder, settings_.run_id,
                           sha256_hex(result_.request.from).substr(0, 8));
    FOREBAY_CHECK(make_directories(plan.destination_folder, 0777));
    FOREBAY_CHECK(find_present(plan));
    FOREBAY_CHECK(check_space(plan));
    FOREBAY_CHECK(make_directories(partial_));
    auto staged = stage(plan);
    if (staged) staged = publish(plan);
    // A full disk is not filled further; after other failures a repetition goes on with what is there.
    if (staged || staged.error().code == ErrorCode::kResourceExhausted) (void)remove_tree(partial_);
    if (!staged) result_.files.clear();
    return staged;
  }

 private:
  std::string final_path(const PlannedItem& item) const {
    return join_path(result_.destination, item.relative);
  }
  std::string staged_path(std::size_t index) const { return fmt::format("{}/{}", partial_, index); }

  bool tell(std::int64_t bytes) {
    progress_.bytes_done += bytes;
    if (settings_.progress) settings_.progress(progress_);
    return !settings_.cancelled || !settings_.cancelled();
  }

  // Which files lie at the destination already; also finds what cannot be replaced.
  Result<void> find_present(const PlannedCopy& plan) {
    present_.assign(plan.items.size(), std::string());
    replaces_.assign(plan.items.size(), false);
    std::set<std::string> checked;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
      const auto& item = plan.items[i];
      const std::string path = final_path(item);
      for (std::string parent = parent_of(path);
           parent.size() > result_.destination.size() && checked.insert(parent).second;
           parent = parent_of(parent)) {
        struct stat info{};
        if (::lstat(parent.c_str(), &info) == 0 && !S_ISDIR(info.st_mode))
          return make_error(ErrorCode::kConflict, "copy to", parent,
                            std::string(tr("something that is no folder is in the way")));
      }
      struct stat info{};
      if (::lstat(path.c_str(), &info) != 0) continue;
      const bool wants_folder = item.kind == PlannedItem::Kind::kFolder;
      if (wants_folder != S_ISDIR(info.st_mode))
        return make_error(ErrorCode::kConflict, "copy to", path,
                          std::string(wants_folder ? tr("something that is no folder is in the way")
                                                   : tr("a folder is in the way")));
      if (item.kind == PlannedItem::Kind::kFile && S_ISREG(info.st_mode)) {
        FOREBAY_TRY(present_[i], same_content(item, path));
      }
      replaces_[i] = !wants_folder && present_[i].empty() && !is_same_link(item, path) && !is_own(path, info);
    }
    return {};
  }

  static bool is_same_link(const PlannedItem& item, const std::string& path) {
    std::error_code problem;
    const auto target = std::filesystem::read_symlink(path, problem);
    return item.kind == PlannedItem::Kind::kLink && !problem && target.string() == item.link_target;
  }

  // Whether this run put the file there: its manifest knows it as it is, or, while there is no manifest yet
  // (copies between times), it came there after the run began.
  bool is_own(const std::string& path, const struct stat& info) const {
    if (const auto earlier = previous_.find(path); earlier != previous_.end())
      return earlier->second.bytes == info.st_size &&
             earlier->second.modified_ns == info.st_mtim.tv_sec * 1'000'000'000ll + info.st_mtim.tv_nsec;
    const std::int64_t came = info.st_ctim.tv_sec * 1'000'000'000ll + info.st_ctim.tv_nsec;
    return settings_.began && came >= settings_.began->nanoseconds;
  }

  // Also what an earlier copy of this run has replaced.
  bool has_replaced(std::size_t index, const std::string& path) const {
    const auto earlier = previous_.find(path);
    return replaces_[index] || settings_.replaced_before.contains(path) ||
           (earlier != previous_.end() && earlier->second.replaced);
  }

  // The SHA-256 when the destination's file equals the source, else "".
  Result<std::string> same_content(const PlannedItem& item, const std::string& path) {
    const auto there = file_marks(path), here = file_marks(item.source);
    if (!there || !here || there->bytes != here->bytes) return std::string();
    if (const auto earlier = previous_.find(path); earlier != previous_.end()) {
      const Earlier& known = earlier->second;
      if (known.bytes == here->bytes && known.modified_ns == here->modified_ns &&
          there->modified_ns == known.modified_ns)
        return known.sha256;
    }
    const auto keep_going = [&](std::int64_t) { return !settings_.cancelled || !settings_.cancelled(); };
    FOREBAY_TRY(const std::string source, hash_file(item.source, keep_going));
    FOREBAY_TRY(const std::string target, hash_file(path, keep_going));
    return source == target ? source : std::string();
  }

  Result<void> check_space(const PlannedCopy& plan) {
    std::int64_t needed = 0;
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
      struct stat info{};
      if (plan.items[i].kind != PlannedItem::Kind::kFile || !present_[i].empty() ||
          ::stat(plan.items[i].source.c_str(), &info) != 0)
        continue;
      needed += static_cast<std::int64_t>(info.st_blocks) * 512;
      // A staged file of an earlier attempt is there already.
      if (::stat(staged_path(i).c_str(), &info) == 0)
        needed -= static_cast<std::int64_t>(info.st_blocks) * 512;
    }
    struct statvfs space{};
    if (::statvfs(result_.destination.c_str(), &space) != 0 || space.f_blocks == 0) return {};
    const auto free = static_cast<std::int64_t>(space.f_bavail) * static_cast<std::int64_t>(space.f_frsize);
    if (needed <= free) return {};
    return make_error(ErrorCode::kResourceExhausted, "copy to", result_.destination,
                      fmt::format(fmt::runtime(tr("{0} are needed and {1} are free")),
                                  format_bytes(Bytes{needed}), format_bytes(Bytes{free})),
                      std::string(tr("Free some space and copy the outputs again.")));
  }

  Result<void> stage(const PlannedCopy& plan) {
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
      const auto& item = plan.items[i];
      if (item.kind == PlannedItem::Kind::kFolder) continue;
      progress_.path = item.source;
      CopiedFile file{item.source, final_path(item), item.bytes, present_[i], 0, !present_[i].empty()};
      file.replaced = has_replaced(i, file.to);
      if (item.kind == PlannedItem::Kind::kFile) {
        if (file.was_there) {
          if (!tell(item.bytes))
            return make_error(ErrorCode::kCancelled, "copy", item.source,
                              std::string(tr("it was asked to stop")));
          if (const auto marks = file_marks(item.source)) file.modified_ns = marks->modified_ns;
        } else {
          FOREBAY_CHECK(stage_file(item, staged_path(i), file));
        }
      }
      result_.files.push_back(std::move(file));
    }
    return {};
  }

  Result<void> stage_file(const PlannedItem& item, const std::string& staged, CopiedFile& file) {
    const auto there = file_marks(staged), here = file_marks(item.source);
    if (there && here && there->bytes == here->bytes && there->modified_ns == here->modified_ns) {
      // Finished by an earlier attempt, or so it seems.
      const auto before = hash_file(staged, {}), source = hash_file(item.source, {});
      if (before && source && *before == *source) {
        file.sha256 = *source;
        file.bytes = here->bytes;
        file.modified_ns = here->modified_ns;
        tell(item.bytes);
        return {};
      }
    }
    FOREBAY_TRY(const FileCopy copy,
                copy_file_verified(item.source, staged, [&](std::int64_t bytes) { return tell(bytes); }));
    file.sha256 = copy.sha256;
    file.bytes = copy.source.bytes;
    file.modified_ns = copy.source.modified_ns;
    return {};
  }

  Result<void> publish(const PlannedCopy& plan) {
    std::set<std::string> folders = {result_.destination};
    for (std::size_t i = 0; i < plan.items.size(); ++i) {
      const auto& item = plan.items[i];
      const std::string path = final_path(item);
      folders.insert(parent_of(path));
      if (item.kind == PlannedItem::Kind::kFolder) {
        struct stat info{};
        const bool is_known = ::stat(item.source.c_str(), &info) == 0;
        FOREBAY_CHECK(make_directories(path, is_known ? (info.st_mode & 07777) | 0700 : 0755));
        continue;
      }
      if (!present_[i].empty()) continue;
      const std::string staged = staged_path(i);
      if (item.kind == PlannedItem::Kind::kLink) {
        ::unlink(staged.c_str());
        if (::symlink(item.link_target.c_str(), staged.c_str()) != 0)
          return system_error("make the link", path, errno);
      }
      if (std::rename(staged.c_str(), path.c_str()) != 0) return system_error("move into place", path, errno);
    }
    for (const auto& folder : folders) flush_folder(folder);
    return {};
  }

  OutputResult& result_;
  const OutputSettings& settings_;
  const std::map<std::string, Earlier>& previous_;
  OutputProgress& progress_;
  std::string partial_;
  std::vector<std::string> present_;  // SHA-256 per item, "" when it has to be copied
  std::vector<bool> replaces_;        // per item: something else, not of this run, lies there
};

Json result_to_json(const OutputResult& result) {
  Json files = Json::array();
  std::int64_t bytes = 0, replaced = 0;
  for (const auto& file : result.files) {
    bytes += file.bytes;
    files.push(Json::object({{"from", file.from},
                             {"to", file.to},
                             {"bytes", file.bytes},
                             {"sha256", file.sha256.empty() ? Json() : Json(file.sha256)},
                             {"modified_ns", file.modified_ns},
                             {"was_there", file.was_there},
                             {"replaced", file.replaced}}));
    replaced += file.replaced ? 1 : 0;
  }
  Json json = Json::object({{"from", result.request.from},
                            {"to", result.request.to},
                            {"destination", result.destination},
                            {"complete", !result.error},
                            {"bytes", bytes},
                            {"replaced", replaced},
                            {"files", std::move(files)},
                            {"skipped", Json(result.skipped)}});
  if (result.error)
    json.set("error", Json::object({{"code", error_code_name(result.error->code)},
                                    {"sentence", result.error->sentence()}}));
  return json;
}

}  // namespace

bool OutputsReport::is_complete() const {
  return std::none_of(results.begin(), results.end(),
                      [](const OutputResult& result) { return result.error.has_value(); });
}

std::size_t OutputsReport::replaced() const {
  std::size_t count = 0;
  for (const OutputResult& result : results)
    count += static_cast<std::size_t>(std::ranges::count_if(result.files, &CopiedFile::replaced));
  return count;
}

Json OutputsReport::to_json() const {
  Json outputs = Json::array();
  for (const auto& result : results) outputs.push(result_to_json(result));
  return Json::object({{"complete", is_complete()},
                       {"replaced", static_cast<std::int64_t>(replaced())},
                       {"outputs", std::move(outputs)}});
}

OutputsReport copy_outputs(const std::vector<OutputRequest>& requests, const OutputSettings& settings) {
  OutputsReport report;
  const auto previous = read_previous(settings.previous);
  std::vector<Result<PlannedCopy>> plans;
  OutputProgress progress;
  for (const auto& request : requests) {
    plans.push_back(plan_copy(request, settings));
    if (plans.back()) progress.bytes_total += plans.back()->bytes;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    OutputResult result;
    result.request = requests[i];
    auto done = plans[i] ? RequestCopier(result, settings, previous, progress).run(*plans[i])
                         : Result<void>(plans[i].error());
    if (!done) result.error = std::move(done).error();
    report.results.push_back(std::move(result));
  }
  return report;
}

std::vector<Error> check_outputs(const std::vector<OutputRequest>& requests, const OutputSettings& settings) {
  std::vector<Error> errors;
  for (const auto& request : requests) {
    auto plan = plan_copy(request, settings);
    // What is copied need not exist before the run.
    if (!plan && plan.error().code != ErrorCode::kNotFound) errors.push_back(plan.error());
  }
  return errors;
}

}  // namespace forebay
