// The tool that resolves and installs: uv, found or fetched once into Forebay's own tools folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace forebay {

class Uv {
 public:
  // `uv` on PATH; else the one in <cache>/tools; else `python3 -m uv`; else it is installed into
  // <cache>/tools with pip, and said. `environment`: what children get; pip's configuration is translated
  // into it. kNotFound when there is no way.
  static Result<Uv> find(const std::string& cache_folder, std::map<std::string, std::string> environment);

  // Runs it with our standard output and error, in `cwd`. kUnavailable with the exit code when it fails.
  // `use_index`: adds the arguments that come from pip's configuration.
  Result<void> run(std::vector<std::string> arguments, const std::string& cwd, bool use_index = true) const;
  // Its standard output, trimmed.
  Result<std::string> ask(std::vector<std::string> arguments, const std::string& cwd) const;

  const std::string& version() const { return version_; }
  const std::map<std::string, std::string>& environment() const { return environment_; }

 private:
  std::vector<std::string> program_;
  std::vector<std::string> index_arguments_;
  std::map<std::string, std::string> environment_;
  std::string version_;
};

// Runs a program with our standard output and error and waits for it; its exit code (128+n for a signal).
Result<int> run_in_sight(const std::vector<std::string>& argv, const std::string& cwd,
                         const std::map<std::string, std::string>& environment);

}  // namespace forebay
