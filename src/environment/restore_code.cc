// The other direction of code.cc: from a run record back to files.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "environment/code.h"
#include "environment/code_manifest.h"
#include "environment/git_tree.h"
#include "environment/object_folder.h"

namespace forebay {
namespace {

constexpr std::size_t kManifestLimit = 1u << 30;

Result<CodeManifest> read_manifest(const RunDirectory& record) {
  const std::string path = join_path(record.code(), "manifest.json");
  if (!path_exists(path))
    return make_error(ErrorCode::kNotFound, "restore the code of", record.path(),
                      std::string(tr("its code was not kept")));
  FOREBAY_TRY(const std::string text, read_file(path, kManifestLimit));
  FOREBAY_TRY(const Json json, Json::parse(text, path));
  return CodeManifest::from_json(json, path);
}

Error damaged(const std::string& path, std::string cause) {
  return make_error(ErrorCode::kCorrupt, "restore", path, std::move(cause),
                    std::string(tr("The kept code is damaged; start from the project's folder instead.")));
}

class Restorer {
 public:
  Restorer(const CodeManifest& manifest, ObjectFolder& objects, const std::string& target)
      : manifest_(manifest), objects_(objects), target_(target), environment_(current_environment()) {}

  Result<RestoredCode> run() {
    RestoredCode restored;
    for (const auto& entry : manifest_.entries) {
      if (!entry.not_kept.empty()) {
        restored.missing.push_back(entry.path);
        continue;
      }
      FOREBAY_CHECK(restore(entry));
      if (entry.kind == EntryKind::kFile) ++restored.files;
    }
    restored.workdir = manifest_.workdir.empty() ? target_ : join_path(target_, manifest_.workdir);
    // A run started in a folder without code of its own still starts there.
    FOREBAY_CHECK(make_directories(restored.workdir, 0755));
    return restored;
  }

 private:
  Result<void> restore(const CodeEntry& entry) {
    const std::string path = join_path(target_, entry.path);
    const std::string parent = path.substr(0, path.rfind('/'));
    if (made_.insert(parent).second) FOREBAY_CHECK(make_directories(parent, 0755));
    if (entry.kind == EntryKind::kFolder) {
      FOREBAY_CHECK(make_directories(path, 0755));
      ::chmod(path.c_str(), entry.mode);
      return {};
    }
    FOREBAY_TRY(const std::string bytes, content_of(entry));
    if (entry.kind == EntryKind::kLink) {
      if (::symlink(bytes.c_str(), path.c_str()) != 0) return system_error("make the link", path, errno);
      return {};
    }
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) return system_error("create", path, errno);
    FOREBAY_CHECK(write_all(fd.get(), bytes, path));
    if (::fchmod(fd.get(), entry.mode) != 0) return system_error("set the mode of", path, errno);
    return {};
  }

  Result<std::string> content_of(const CodeEntry& entry) {
    if (entry.is_in_commit) {
      auto bytes = read_git_file(manifest_.root, manifest_.commit.value_or("HEAD"), entry.path, environment_);
      if (!bytes)
        return damaged(entry.path, fmt::format(fmt::runtime(tr("it is not in the repository {0} any more")),
                                               manifest_.root));
      if (static_cast<std::int64_t>(bytes->size()) != entry.size)
        return damaged(entry.path, std::string(tr("its size in the commit differs")));
      return bytes;
    }
    auto bytes = read_file(objects_.path_of(entry.sha256),
                           static_cast<std::size_t>(std::max<std::int64_t>(entry.size, 4096)) + 1);
    if (!bytes) return damaged(entry.path, std::string(tr("its bytes are gone")));
    if (sha256_hex(*bytes) != entry.sha256)
      return damaged(entry.path, std::string(tr("its bytes do not match their checksum")));
    return bytes;
  }

  const CodeManifest& manifest_;
  ObjectFolder& objects_;
  const std::string& target_;
  std::map<std::string, std::string> environment_;
  std::set<std::string> made_;
};

}  // namespace

Result<RestoredCode> restore_code(const RunDirectory& record, const std::string& state_folder,
                                  const std::string& target) {
  FOREBAY_TRY(const CodeManifest manifest, read_manifest(record));
  if (manifest.is_partial)
    return make_error(ErrorCode::kUnsupported, "restore the code of", record.path(),
                      std::string(tr("only a part of it was kept")),
                      std::string(tr("Start from the project's folder instead.")));
  FOREBAY_TRY(ObjectFolder objects,
              ObjectFolder::open(join_path(state_folder, "objects"), ObjectFolder::Use::kKeep));
  FOREBAY_CHECK(make_directories(target));
  FOREBAY_TRY(const auto present, list_directory(target));
  if (!present.empty())
    return make_error(ErrorCode::kAlreadyExists, "restore the code into", target,
                      std::string(tr("the folder is not empty")));
  return Restorer(manifest, objects, target).run();
}

Result<std::int64_t> prune_code_objects(const std::string& state_folder) {
  const std::string folder = join_path(state_folder, "objects");
  if (!path_exists(folder)) return std::int64_t{0};
  FOREBAY_TRY(ObjectFolder objects, ObjectFolder::open(folder, ObjectFolder::Use::kRemove));
  std::set<std::string> wanted;
  const std::string runs = join_path(state_folder, "runs");
  if (path_exists(runs)) {
    FOREBAY_TRY(const auto names, list_directory(runs));
    for (const auto& name : names) {
      const RunDirectory record(join_path(runs, name));
      const auto manifest = read_manifest(record);
      // One that cannot be read may still name objects: nothing is removed then.
      if (!manifest && manifest.error().code != ErrorCode::kNotFound) return manifest.error();
      if (manifest)
        for (const auto& entry : manifest->entries) wanted.insert(entry.sha256);
    }
  }
  return objects.remove_unwanted([&](const std::string& sha256) { return wanted.contains(sha256); });
}

}  // namespace forebay
