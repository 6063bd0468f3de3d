#include "environment/isolate.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/installation.h"
#include "base/text.h"
#include "base/units.h"
#include "environment/environment_cache.h"
#include "environment/variables.h"

namespace forebay {
namespace {

// A pyproject.toml with a build system is a package: it is installed itself, editable, so that its own
// imports work.
std::optional<std::string> project_to_install(const ProjectFiles& files) {
  if (files.source == RequirementSource::kNone || files.source == RequirementSource::kRequirements ||
      files.source == RequirementSource::kConda)
    return std::nullopt;
  std::string folder = files.file.substr(0, files.file.rfind('/'));
  const auto text = read_file(folder + "/pyproject.toml", 1 << 22);
  if (!text || ("\n" + *text).find("\n[build-system]") == std::string::npos) return std::nullopt;
  return folder;
}

BuildSpecification specification_for(const EnvironmentRequest& request, const ProjectFiles& files) {
  BuildSpecification made;
  made.workdir = request.workdir;
  made.cache_folder = request.cache_folder;
  made.source = files.source;
  made.file = files.file;
  made.lines = files.lines;
  made.inputs = files.inputs;
  made.python = files.python_version;
  made.project = project_to_install(files);
  // conda lists without a pip part ask for Python alone.
  if (files.source == RequirementSource::kConda && files.lines.empty()) made.file.clear();
  made.result_path = join_path(request.record_folder, "environment-built.json");
  made.lock_path = join_path(request.record_folder, "environment.lock");
  return made;
}

void point_at(const EnvironmentRequest& request, const Json& facts, EnvironmentPlan& plan) {
  const std::string folder = facts["path"].string_or_empty();
  auto path = request.variables.find("PATH");
  std::string search = path != request.variables.end() ? path->second : std::string();
  if (const auto inherited = request.base_environment.find("PATH");
      search.empty() && inherited != request.base_environment.end())
    search = inherited->second;
  plan.variables["VIRTUAL_ENV"] = folder;
  plan.variables["PATH"] = search.empty() ? folder + "/bin" : folder + "/bin:" + search;
  for (const char* name : {"PYTHONHOME", "PYTHONPATH", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_VERSION",
                           "PYENV_VIRTUAL_ENV"})
    if (!request.variables.contains(name)) plan.unset.emplace_back(name);
  plan.interpreter = {folder + "/bin/python"};
  plan.probe_request.set("python_path", Json::array());
  plan.description.set("isolated", true);
  plan.description.set("uses_python", true);
  plan.description.set("found_by", "isolated");
  plan.description.set("command", Json(plan.interpreter));
  plan.description.set("variables", describe_variables(request, plan.variables));
  plan.description.set("lock", facts);
}

}  // namespace

Result<void> plan_isolated(const EnvironmentRequest& request, const ProjectFiles& files,
                           EnvironmentPlan& plan) {
  BuildSpecification specification = specification_for(request, files);
  for (const auto& other : files.also_found)
    plan.remarks.push_back({"other-requirements",
                            fmt::format(fmt::runtime(tr("{0} is used; {1} beside it is not.")),
                                        requirement_source_name(files.source), other),
                            {}});
  if (files.source == RequirementSource::kNone)
    plan.remarks.push_back(
        {"no-requirements",
         std::string(tr("No requirements file was found: the environment holds Python alone.")),
         {}});
  auto environment = request.base_environment;
  for (const auto& [name, value] : request.variables) environment[name] = value;
  const EnvironmentCache cache(request.cache_folder);
  specification.key_of_inputs = input_key(specification, environment);
  if (const auto key = cache.environment_for(specification.key_of_inputs)) {
    if (auto facts = cache.ready(*key)) {
      if (auto kept = write_file_atomic(specification.lock_path, (*facts)["lock"].string_or_empty()); !kept)
        return kept;
      facts->set("from_cache", true);
      const std::string built = format_instant(Instant{(*facts)["built_ns"].as_integer().value_or(0)});
      plan.remarks.push_back(
          {"environment-from-cache",
           fmt::format(
               fmt::runtime(
                   tr("The environment comes from the cache (resolved {0}); to resolve anew, delete {1}.")),
               built, (*facts)["path"].string_or_empty()),
           Json::object({{"path", (*facts)["path"]}})});
      point_at(request, *facts, plan);
      return {};
    }
  }
  const std::string path = join_path(request.record_folder, "environment-build.json");
  FOREBAY_CHECK(write_file_atomic(path, specification.to_json().dump(1) + "\n"));
  plan.isolated_result = specification.result_path;
  PreparationCommand command;
  command.argv = {own_program(), "environment-build", path};
  command.cwd = request.workdir;
  command.variables = request.variables;  // an index or a proxy may be named there
  command.purpose = files.source == RequirementSource::kNone
                        ? std::string(tr("builds an isolated Python environment"))
                        : fmt::format(fmt::runtime(tr("builds an isolated Python environment from {0}")),
                                      files.file.substr(files.file.rfind('/') + 1));
  plan.commands.push_back(std::move(command));
  return {};
}

Result<void> finish_isolated(const EnvironmentRequest& request, EnvironmentPlan& plan) {
  FOREBAY_TRY(const std::string text, read_file(plan.isolated_result, 64 << 20));
  FOREBAY_TRY(const Json facts, Json::parse(text, plan.isolated_result));
  if (!path_exists(facts["path"].string_or_empty() + "/bin/python"))
    return make_error(ErrorCode::kNotFound, "use the environment", facts["path"].string_or_empty(),
                      std::string(tr("it is gone")));
  point_at(request, facts, plan);
  return {};
}

}  // namespace forebay
