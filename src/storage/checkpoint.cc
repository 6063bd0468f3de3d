#include "storage/checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "storage/wildmatch.h"

namespace forebay {
namespace {

constexpr std::size_t kStateLimit = 64 << 20;
constexpr int kDepthLimit = 20;

bool is_folder(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](auto end) { return name.size() > end.size() && name.ends_with(end); });
}

std::string without_extension(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// The last number in a name: checkpoint-500, step_500.pt, epoch=3-step=500.ckpt.
std::optional<std::int64_t> step_in_name(const std::string& name) {
  std::string text = without_extension(name);
  if (const std::size_t step = text.rfind("step"); step != std::string::npos) text = text.substr(step);
  const std::size_t last = text.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  std::size_t first = last;
  while (first > 0 && std::isdigit(static_cast<unsigned char>(text[first - 1]))) --first;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + last + 1, value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Newest time and size of all that lies in a checkpoint.
void measure(const std::string& path, Checkpoint& checkpoint, int depth = 0) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || depth > kDepthLimit) return;
  if (S_ISDIR(info.st_mode)) {
    const auto names = list_directory(path);
    for (const auto& name : names ? *names : std::vector<std::string>())
      measure(join_path(path, name), checkpoint, depth + 1);
    return;
  }
  checkpoint.bytes += info.st_size;
  checkpoint.modified_ns =
      std::max(checkpoint.modified_ns,
               static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec);
}

std::optional<std::string> weight_file_problem(const std::string& path) {
  if (path.ends_with(".safetensors")) return safetensors_problem(path);
  return zip_problem(path, false);
}

// The shards that model.safetensors.index.json or pytorch_model.bin.index.json name.
std::optional<std::string> missing_shard(const std::string& folder, const std::string& index_name) {
  const auto text = read_file(join_path(folder, index_name), kStateLimit);
  const auto index = text ? Json::parse(*text, index_name) : Result<Json>(text.error());
  if (!index) return fmt::format(fmt::runtime(tr("{0} is damaged")), index_name);
  for (const auto& [weight, shard] : (*index)["weight_map"].members())
    if (!path_exists(join_path(folder, shard.string_or_empty())))
      return fmt::format(fmt::runtime(tr("{0} is missing")), shard.string_or_empty());
  return std::nullopt;
}

// A folder of Hugging Face's Trainer: trainer_state.json is written last.
std::optional<std::string> trainer_problem(const std::string& folder, Checkpoint& checkpoint) {
  const auto text = read_file(join_path(folder, "trainer_state.json"), kStateLimit);
  if (!text) return std::string(tr("half written: trainer_state.json is missing"));
  const auto state = Json::parse(*text, "trainer_state.json");
  if (!state || !state->is_object())
    return fmt::format(fmt::runtime(tr("{0} is damaged")), "trainer_state.json");
  if (const auto step = (*state)["global_step"].as_integer()) checkpoint.step = step;
  const auto names = list_directory(folder);
  if (!names) return std::string(tr("it cannot be read"));
  bool has_weights = false;
  for (const auto& name : *names) {
    if (name.ends_with(".index.json"))
      if (auto problem = missing_shard(folder, name)) return problem;
    if (!ends_with_any(name, {".safetensors", ".bin", ".pt", ".pth"}) || name == "training_args.bin")
      continue;
    if (name.ends_with(".safetensors") || name.ends_with(".bin")) has_weights = true;
    if (auto problem = weight_file_problem(join_path(folder, name)))
      return fmt::format("{}: {}", name, *problem);
  }
  const bool has_sharded_state = std::any_of(names->begin(), names->end(), [](const auto& name) {
    return name.starts_with("global_step") || name.starts_with("pytorch_model_fsdp");
  });
  if (!has_weights && !has_sharded_state) return std::string(tr("it holds no weights"));
  return std::nullopt;
}

class Finder {
 public:
  Finder(const std::string& path, const std::optional<std::string>& complete)
      : path_(absolute_path(path)), complete_(complete) {}

  CheckpointListing run() {
    if (!path_exists(path_)) return {};
    if (complete_)
      find_marked();
    else
      find_known();
    sort();
    return std::move(listing_);
  }

 private:
  bool matches_marker(const std::string& name, const std::string& relative) const {
    return wildmatch(*complete_, complete_->find('/') == std::string::npos ? name : relative);
  }

  // The marker's name without what the pattern's star does not stand for: "*.done" and "step-1.done" →
  // "step-1".
  std::string stem_of_marker(const std::string& name) const {
    std::string pattern = name_of(*complete_);
    const std::size_t star = pattern.find('*');
    if (star == std::string::npos || pattern.find_first_of("*?[", star + 1) != std::string::npos)
      return without_extension(name);
    const std::size_t prefix = star, suffix = pattern.size() - star - 1;
    return name.size() >= prefix + suffix ? name.substr(prefix, name.size() - prefix - suffix)
                                          : std::string();
  }

  void find_marked() {
    const std::string folder = is_folder(path_) ? path_ : path_.substr(0, path_.rfind('/'));
    const auto names = list_directory(folder);
    if (!names) return;
    std::map<std::string, std::string> markers;  // stem → marker
    for (const auto& name : *names)
      if (!is_folder(join_path(folder, name)) && matches_marker(name, name))
        markers[stem_of_marker(name)] = join_path(folder, name);
    for (const auto& name : *names) {
      const std::string path = join_path(folder, name);
      if (name.starts_with('.') || (folder != path_ && path != path_)) continue;
      if (matches_marker(name, name) && !is_folder(path)) continue;
      auto beside = markers.find(name);
      if (beside == markers.end() && !is_folder(path)) beside = markers.find(without_extension(name));
      if (beside != markers.end())
        add(path, CheckpointKind::kMarked, std::nullopt, beside->second);
      else if (has_marker_inside(path, name))
        add(path, CheckpointKind::kMarked, std::nullopt);
      else
        listing_.incomplete.push_back({path, fmt::format(fmt::runtime(tr("no marker {0} yet")), *complete_)});
    }
  }

  bool has_marker_inside(const std::string& path, const std::string& name) const {
    if (!is_folder(path)) return false;
    const auto inside = list_directory(path);
    return inside && std::any_of(inside->begin(), inside->end(), [&](const auto& marker) {
             return matches_marker(marker, name + "/" + marker);
           });
  }

  void find_known() {
    if (!is_folder(path_) || path_exists(join_path(path_, "trainer_state.json"))) {
      judge(path_);
      return;
    }
    const auto names = list_directory(path_);
    for (const auto& name : names ? *names : std::vector<std::string>())
      if (!name.starts_with('.')) judge(join_path(path_, name));
  }

  void judge(const std::string& path) {
    const std::string name = name_of(path);
    Checkpoint checkpoint;
    std::optional<std::string> problem;
    if (is_folder(path)) {
      if (!name.starts_with("checkpoint-") && !path_exists(join_path(path, "trainer_state.json"))) return;
      checkpoint.kind = CheckpointKind::kTrainer;
      problem = trainer_problem(path, checkpoint);
    } else if (name.ends_with(".safetensors")) {
      checkpoint.kind = CheckpointKind::kSafetensors;
      problem = safetensors_problem(path);
    } else if (name.ends_with(".ckpt")) {
      checkpoint.kind = CheckpointKind::kLightning;
      problem = zip_problem(path, false);
    } else if (ends_with_any(name, {".pt", ".pth", ".bin", ".tar"})) {
      checkpoint.kind = CheckpointKind::kTorchFile;
      problem = zip_problem(path, false);
    } else {
      return;
    }
    if (problem)
      listing_.incomplete.push_back({path, *problem});
    else
      add(path, checkpoint.kind, checkpoint.step);
  }

  void add(const std::string& path, CheckpointKind kind, std::optional<std::int64_t> step,
           const std::string& marker = {}) {
    Checkpoint checkpoint;
    checkpoint.path = path;
    checkpoint.marker = marker;
    checkpoint.kind = kind;
    checkpoint.step = step ? step : step_in_name(name_of(path));
    measure(path, checkpoint);
    if (checkpoint.bytes == 0 && !is_folder(path))
      listing_.incomplete.push_back({path, std::string(tr("it is empty"))});
    else
      listing_.whole.push_back(std::move(checkpoint));
  }

  void sort() {
    const bool all_have_steps =
        std::all_of(listing_.whole.begin(), listing_.whole.end(),
                    [](const auto& checkpoint) { return checkpoint.step.has_value(); });
    std::stable_sort(listing_.whole.begin(), listing_.whole.end(), [&](const auto& a, const auto& b) {
      if (all_have_steps && *a.step != *b.step) return *a.step > *b.step;
      return a.modified_ns > b.modified_ns;
    });
  }

  std::string path_;
  const std::optional<std::string>& complete_;
  CheckpointListing listing_;
};

constexpr std::array<std::string_view, 5> kKindNames = {"marked", "trainer", "lightning", "torch",
                                                        "safetensors"};

}  // namespace

Json Checkpoint::to_json() const {
  return Json::object({{"path", path},
                       {"kind", kKindNames[static_cast<std::size_t>(kind)]},
                       {"step", step},
                       {"modified_ns", modified_ns},
                       {"bytes", bytes}});
}

CheckpointListing find_checkpoints(const std::string& path, const std::optional<std::string>& complete) {
  return Finder(path, complete).run();
}

std::optional<std::string> resume_checkpoint(const std::string& path,
                                             const std::optional<std::string>& complete) {
  const auto listing = find_checkpoints(path, complete);
  return listing.whole.empty() ? std::nullopt : std::optional(listing.whole.front().path);
}

Result<std::vector<std::string>> retain_checkpoints(const CheckpointListing& listing, int keep,
                                                    const std::function<bool(const Checkpoint&)>& is_saved) {
  std::vector<std::string> deleted;
  if (keep < 1)
    return make_error(ErrorCode::kInvalidInput, "thin out", "checkpoints",
                      std::string(tr("at least one must be kept")));
  for (std::size_t i = static_cast<std::size_t>(keep); i < listing.whole.size(); ++i) {
    const Checkpoint& checkpoint = listing.whole[i];
    if (!is_saved(checkpoint)) continue;
    const std::string folder = checkpoint.path.substr(0, checkpoint.path.rfind('/'));
    const std::string hidden = fmt::format("{}/.forebay-deleting-{}", folder, name_of(checkpoint.path));
    FOREBAY_CHECK(remove_tree(hidden));
    if (!checkpoint.marker.empty() && ::unlink(checkpoint.marker.c_str()) != 0 && errno != ENOENT)
      return system_error("delete the marker", checkpoint.marker, errno);
    if (std::rename(checkpoint.path.c_str(), hidden.c_str()) != 0)
      return system_error("delete the checkpoint", checkpoint.path, errno);
    FOREBAY_CHECK(remove_tree(hidden));
    deleted.push_back(checkpoint.path);
  }
  return deleted;
}

}  // namespace forebay
