// What a project's files say it needs: which of them counts, the Python version asked for, and all files that
// a change of which would change the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace forebay {

enum class RequirementSource {
  kNone,
  kRequirements,
  kPyproject,
  kUvLock,
  kPoetryLock,
  kPdmLock,
  kPipfileLock,
  kPylock,
  kConda
};
std::string_view requirement_source_name(RequirementSource source);

struct ProjectFiles {
  RequirementSource source = RequirementSource::kNone;
  std::string file;                 // absolute path of the one that counts, "" for none
  std::vector<std::string> inputs;  // every file read: file, what it includes, pyproject beside a lock …
  std::vector<std::string>
      lines;  // requirement lines that come from inside another file (pip part of environment.yml)
  std::optional<std::string>
      python_version;                   // a version or a specifier (">=3.9"), from where python_origin says
  std::string python_origin;            // "job", ".python-version", "environment.yml", "pyproject.toml" …
  std::vector<std::string> also_found;  // others beside it that were not used
  std::vector<std::string> conda_packages;  // of an environment.yml: what only conda could install
};

// `stated` and `conda`: paths the job file gives (relative to workdir), else the folder is searched in the
// order uv.lock, poetry.lock, pdm.lock, Pipfile.lock, pylock.toml, requirements.txt, pyproject.toml,
// environment.yml. Errors: kNotFound a stated file is missing; kInvalidInput it is of no known kind or cannot
// be read.
Result<ProjectFiles> find_project_files(const std::string& workdir, const std::optional<std::string>& stated,
                                        const std::optional<std::string>& conda,
                                        const std::optional<std::string>& python_version);

// kUnsupported, naming all of them, when the files ask for conda packages.
Result<void> refuse_conda_packages(const ProjectFiles& files);

// The requirements file and everything it includes with -r or -c, each once; missing ones are left out.
std::vector<std::string> included_files(const std::string& requirements_file);

}  // namespace forebay
