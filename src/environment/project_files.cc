#include "environment/project_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "environment/conda_file.h"

namespace forebay {
namespace {

constexpr std::size_t kFileLimit = 32 << 20;
constexpr std::size_t kIncludeLimit = 200;

struct Known {
  std::string_view name;
  RequirementSource source;
};
// In the order of preference: what is locked first.
constexpr auto kKnown = std::to_array<Known>({{"uv.lock", RequirementSource::kUvLock},
                                              {"poetry.lock", RequirementSource::kPoetryLock},
                                              {"pdm.lock", RequirementSource::kPdmLock},
                                              {"Pipfile.lock", RequirementSource::kPipfileLock},
                                              {"pylock.toml", RequirementSource::kPylock},
                                              {"requirements.txt", RequirementSource::kRequirements},
                                              {"pyproject.toml", RequirementSource::kPyproject},
                                              {"environment.yml", RequirementSource::kConda},
                                              {"environment.yaml", RequirementSource::kConda}});

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

std::optional<RequirementSource> kind_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const auto& known : kKnown)
    if (name == known.name) return known.source;
  if (name.starts_with("pylock.") && name.ends_with(".toml")) return RequirementSource::kPylock;
  if (name.ends_with(".txt") || name.ends_with(".in")) return RequirementSource::kRequirements;
  if (name.ends_with(".yml") || name.ends_with(".yaml")) return RequirementSource::kConda;
  return std::nullopt;
}

Result<void> add_conda(ProjectFiles& files) {
  FOREBAY_TRY(const std::string text, read_file(files.file, kFileLimit));
  FOREBAY_TRY(const CondaFile conda, parse_conda_file(text, files.file));
  files.inputs = {files.file};
  files.lines = conda.pip;
  if (conda.python_version && !files.python_version) {
    files.python_version = conda.python_version;
    files.python_origin = files.file.substr(files.file.rfind('/') + 1);
  }
  files.conda_packages = conda.conda_packages;
  return {};
}

// requires-python = ">=3.9" in [project]; enough of TOML for this one line.
std::optional<std::string> requires_python(const std::string& pyproject) {
  const auto text = read_file(pyproject, kFileLimit);
  if (!text) return std::nullopt;
  std::string_view left = *text;
  bool is_in_project = false;
  while (!left.empty()) {
    const auto end = std::min(left.find('\n'), left.size());
    const std::string line = trimmed(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.starts_with('[')) is_in_project = line.starts_with("[project]");
    if (!is_in_project || !line.starts_with("requires-python")) continue;
    const auto open = line.find_first_of("\"'");
    const auto close = open == std::string::npos ? open : line.find(line[open], open + 1);
    if (close != std::string::npos) return line.substr(open + 1, close - open - 1);
  }
  return std::nullopt;
}

void find_python_version(const std::string& workdir, ProjectFiles& files) {
  if (files.python_version) return;
  if (const auto text = read_file(join_path(workdir, ".python-version"), 4096)) {
    std::string version = trimmed(text->substr(0, text->find('\n')));
    if (version.starts_with("cpython-") || version.starts_with("cpython@")) version = version.substr(8);
    const bool is_version =
        !version.empty() && std::all_of(version.begin(), version.end(),
                                        [](unsigned char c) { return std::isdigit(c) || c == '.'; });
    if (is_version) {
      files.python_version = version;
      files.python_origin = ".python-version";
      return;
    }
  }
  if (const auto version = requires_python(join_path(workdir, "pyproject.toml"))) {
    files.python_version = version;
    files.python_origin = "pyproject.toml";
  }
}

void list_inputs(const std::string& workdir, ProjectFiles& files) {
  if (files.source == RequirementSource::kRequirements)
    files.inputs = included_files(files.file);
  else if (!files.file.empty())
    files.inputs = {files.file};
  const std::string folder = files.file.empty() ? workdir : files.file.substr(0, files.file.rfind('/'));
  for (const char* name : {"pyproject.toml", "uv.toml"}) {
    const std::string path = join_path(folder, name);
    const bool counts =
        files.source != RequirementSource::kRequirements && files.source != RequirementSource::kNone;
    if (counts && path_exists(path) &&
        std::find(files.inputs.begin(), files.inputs.end(), path) == files.inputs.end())
      files.inputs.push_back(path);
  }
}

}  // namespace

std::string_view requirement_source_name(RequirementSource source) {
  switch (source) {
    case RequirementSource::kNone:
      return "none";
    case RequirementSource::kRequirements:
      return "requirements.txt";
    case RequirementSource::kPyproject:
      return "pyproject.toml";
    case RequirementSource::kUvLock:
      return "uv.lock";
    case RequirementSource::kPoetryLock:
      return "poetry.lock";
    case RequirementSource::kPdmLock:
      return "pdm.lock";
    case RequirementSource::kPipfileLock:
      return "Pipfile.lock";
    case RequirementSource::kPylock:
      return "pylock.toml";
    case RequirementSource::kConda:
      return "environment.yml";
  }
  return "none";
}

Result<void> refuse_conda_packages(const ProjectFiles& files) {
  if (files.conda_packages.empty()) return {};
  return make_error(
      ErrorCode::kUnsupported, "build the environment of", files.file,
      fmt::format(
          fmt::runtime(tr("these are conda packages, and only its python and pip parts can be built: {0}")),
          fmt::format("{}", fmt::join(files.conda_packages, ", "))),
      std::string(
          tr("Activate the conda environment and run without --isolate, or name the packages under pip.")));
}

std::vector<std::string> included_files(const std::string& requirements_file) {
  std::vector<std::string> found, queue = {absolute_path(requirements_file)};
  std::set<std::string> seen(queue.begin(), queue.end());
  while (!queue.empty() && found.size() < kIncludeLimit) {
    const std::string path = queue.front();
    queue.erase(queue.begin());
    const auto text = read_file(path, kFileLimit);
    if (!text) continue;
    found.push_back(path);
    std::string_view left = *text;
    while (!left.empty()) {
      const auto end = std::min(left.find('\n'), left.size());
      std::string line = trimmed(left.substr(0, end));
      left.remove_prefix(std::min(end + 1, left.size()));
      std::string name;
      for (const std::string_view option : {"--requirement", "--constraint", "-r", "-c"})
        if (line.starts_with(option)) {
          name = trimmed(std::string_view(line).substr(option.size()));
          if (name.starts_with('=')) name = trimmed(std::string_view(name).substr(1));
          break;
        }
      if (const auto comment = name.find(" #"); comment != std::string::npos)
        name = trimmed(name.substr(0, comment));
      if (name.empty() || name.find("://") != std::string::npos) continue;
      std::string target = name.starts_with('/') ? name : join_path(path.substr(0, path.rfind('/')), name);
      target = absolute_path(target);
      if (seen.insert(target).second) queue.push_back(target);
    }
  }
  return found;
}

Result<ProjectFiles> find_project_files(const std::string& workdir, const std::optional<std::string>& stated,
                                        const std::optional<std::string>& conda,
                                        const std::optional<std::string>& python_version) {
  ProjectFiles files;
  files.python_version = python_version;
  if (python_version) files.python_origin = "job";
  const auto given = stated ? stated : conda;
  if (given) {
    files.file = absolute_path(given->starts_with('/') ? *given : join_path(workdir, *given));
    if (!path_exists(files.file))
      return make_error(ErrorCode::kNotFound, "read the requirements", files.file,
                        std::string(tr("there is no such file")));
    const auto kind = conda && !stated ? RequirementSource::kConda : kind_of(files.file);
    if (!kind)
      return make_error(ErrorCode::kInvalidInput, "read the requirements", files.file,
                        std::string(tr("its name says no known kind of file")),
                        std::string(tr("Known are *.txt, pyproject.toml, uv.lock, poetry.lock, pdm.lock, "
                                       "Pipfile.lock, pylock.toml and *.yml.")));
    files.source = *kind;
  } else {
    for (const auto& known : kKnown) {
      const std::string path = join_path(workdir, known.name);
      if (!path_exists(path)) continue;
      if (files.source != RequirementSource::kNone) {
        files.also_found.emplace_back(known.name);
        continue;
      }
      files.source = known.source;
      files.file = path;
    }
  }
  if (files.source == RequirementSource::kConda) FOREBAY_CHECK(add_conda(files));
  list_inputs(workdir, files);
  find_python_version(workdir, files);
  return files;
}

}  // namespace forebay
