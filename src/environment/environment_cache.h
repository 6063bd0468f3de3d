// Isolated environments in the cache, and what one is built from.
//
//   <cache>/environments/<key>/             the environment; counts only with its .forebay-ready
//   <cache>/environments/<key>.lock         held (flock) by whoever builds it, and by its children
//   <cache>/environments/by-input/<key>     which environment these inputs led to last time
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "environment/project_files.h"

namespace forebay {

struct BuildSpecification {
  std::string workdir;
  std::string cache_folder;
  RequirementSource source = RequirementSource::kNone;
  std::string file;                   // the file that counts, absolute; "" = no requirements
  std::vector<std::string> lines;     // requirement lines instead of a file
  std::vector<std::string> inputs;    // files whose content decides
  std::optional<std::string> python;  // version or specifier
  std::optional<std::string>
      project;                // folder to be installed itself (pyproject.toml with a build system), editable
  std::string key_of_inputs;  // input_key of all this
  std::string result_path;
  std::string lock_path;  // where the record keeps the lock

  Json to_json() const;
  static Result<BuildSpecification> read(const std::string& path);
};

// Changes when anything that decides the result does: the files, the Python asked for, the machine, pip's and
// uv's settings.
std::string input_key(const BuildSpecification& specification,
                      const std::map<std::string, std::string>& environment);

class EnvironmentCache {
 public:
  explicit EnvironmentCache(const std::string& cache_folder) : folder_(cache_folder + "/environments") {}
  std::string environment_folder(const std::string& key) const { return folder_ + "/" + key; }
  // The ready-marker's content; nothing when the environment is not there or not finished.
  std::optional<Json> ready(const std::string& key) const;
  Result<void> mark_ready(const std::string& key, const Json& facts) const;
  // Waits until nobody else builds `key`. The descriptor is inherited by child processes on purpose: a build
  // whose parent was killed keeps the lock until its last process has ended.
  Result<UniqueFd> lock(const std::string& key, bool& had_to_wait) const;
  std::optional<std::string> environment_for(const std::string& input_key) const;
  Result<void> remember(const std::string& input_key, const std::string& key) const;

 private:
  std::string folder_;
};

}  // namespace forebay
