// code/manifest.json of a run record: what the code was made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "environment/code_listing.h"

namespace forebay {

struct CodeEntry {
  std::string path;
  EntryKind kind = EntryKind::kFile;
  std::uint32_t mode = 0;
  std::int64_t size = 0;
  std::string sha256;         // of a kept file's bytes, or of a link's target
  bool is_in_commit = false;  // not kept as an object: it is as in the git commit
  std::string not_kept;  // else why its bytes are not kept: "large", "data", "secret", "unreadable", "time"
};

struct CodeManifest {
  std::string kind;     // "git" or "files"
  std::string root;     // absolute
  std::string workdir;  // relative to root, "" for root itself
  std::int64_t taken_ns = 0;
  bool is_partial = false;
  std::optional<std::string> commit, branch;
  std::map<std::string, std::string> remotes;
  bool is_dirty = false;
  std::vector<CodeEntry> entries;

  Json to_json() const;
  // Hostile input: paths that are absolute, hold ".." or NUL, or appear below a link are kCorrupt.
  static Result<CodeManifest> from_json(const Json& json, const std::string& name);
};

}  // namespace forebay
