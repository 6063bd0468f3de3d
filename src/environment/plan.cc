#include "environment/plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text.h"
#include "environment/command_line.h"
#include "environment/isolate.h"
#include "environment/probe.h"
#include "environment/project_files.h"
#include "environment/variables.h"

namespace forebay {
namespace {

std::vector<std::string> split_search_path(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The files whose requirements the probe compares with what is installed. A lock holds the packages of every
// platform, so the ranges beside it are what an active environment must meet.
std::vector<std::string> files_to_check(const EnvironmentRequest& request, const ProjectFiles& files) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (path_exists(path) && std::find(paths.begin(), paths.end(), path) == paths.end())
      paths.push_back(path);
  };
  if (files.source == RequirementSource::kRequirements || files.source == RequirementSource::kPyproject)
    add(files.file);
  const std::string folder =
      files.file.empty() ? request.workdir : files.file.substr(0, files.file.rfind('/'));
  const bool is_stated = request.requirements || request.conda;
  if (!is_stated ||
      (files.source != RequirementSource::kRequirements && files.source != RequirementSource::kConda))
    add(folder + "/pyproject.toml");
  return paths;
}

Json probe_request_for(const EnvironmentRequest& request, const ProjectFiles& files, const CommandUse& use) {
  const auto variable = [&](const std::string& name) {
    if (const auto own = request.variables.find(name); own != request.variables.end()) return own->second;
    const auto found = request.base_environment.find(name);
    return found == request.base_environment.end() ? std::string() : found->second;
  };
  Json lines = Json::array();
  for (const auto& line : files.lines) lines.push(Json::object({{"line", line}, {"from", files.file}}));
  Json probe = Json::object({{"workdir", request.workdir},
                             {"files", Json(files_to_check(request, files))},
                             {"lines", std::move(lines)}});
  if (use.script) probe.set("script", *use.script);
  if (!use.is_isolated_python) {
    Json folders = Json::array();
    for (const auto& folder : split_search_path(variable("PYTHONPATH")))
      folders.push(folder.starts_with('/') ? folder : join_path(request.workdir, folder));
    probe.set("python_path", std::move(folders));
  }
  probe.set("no_user_site", use.is_isolated_python || !variable("PYTHONNOUSERSITE").empty());
  if (request.python_version) probe.set("python", *request.python_version);
  return probe;
}

// How the active environment answers what the job file states: met, not met (what), or nothing when it cannot
// be judged.
struct Verdict {
  std::optional<bool> is_met;
  std::vector<std::string> unmet;
};

Verdict judge_active(const EnvironmentRequest& request, const EnvironmentPlan& plan) {
  Verdict verdict;
  if (plan.interpreter.empty()) {
    verdict.is_met = false;
    verdict.unmet.push_back("python");
    return verdict;
  }
  auto probe = plan.probe_request;
  probe.set("script", Json());
  const auto answer = ask_interpreter(plan.interpreter, probe, apply_plan(request.base_environment, plan),
                                      request.workdir, Duration::from_seconds(10));
  if (!answer) return verdict;
  verdict.is_met = (*answer)["requirements"]["satisfied"].as_bool();
  for (const Json& item : (*answer)["requirements"]["unsatisfied"].items())
    verdict.unmet.push_back(item["requirement"].string_or_empty());
  return verdict;
}

Result<void> refuse_own_interpreter(const EnvironmentRequest& request, const CommandUse& use) {
  if (use.found_by != "command" && use.found_by != "runner" && use.found_by != "activated") return {};
  return make_error(ErrorCode::kInvalidInput, "isolate", request.command[0],
                    fmt::format(fmt::runtime(tr("the command chooses its own interpreter ({0})")),
                                fmt::format("{}", fmt::join(use.interpreter, " "))),
                    std::string(tr("Write \"python\" in its place, or leave --isolate out.")));
}

void describe_start(const EnvironmentRequest& request, const ProjectFiles& files, const CommandUse& use,
                    EnvironmentPlan& plan) {
  plan.description.set("uses_python", !use.interpreter.empty());
  plan.description.set("found_by", use.found_by.empty() ? Json() : Json(use.found_by));
  plan.description.set("command", Json(use.interpreter));
  plan.description.set("isolated", false);
  plan.description.set("requirements_source", files.source == RequirementSource::kNone
                                                  ? Json()
                                                  : Json(requirement_source_name(files.source)));
  plan.description.set("variables", describe_variables(request, plan.variables));
  plan.description.set("secrets", Json(request.secrets));
}

Result<ProjectFiles> files_of(const EnvironmentRequest& request, bool must_be_sound,
                              std::vector<Remark>& remarks) {
  auto files =
      find_project_files(request.workdir, request.requirements, request.conda, request.python_version);
  if (files || must_be_sound) return files;
  remarks.push_back({"requirements-unreadable", files.error().sentence(), {}});
  ProjectFiles none;
  none.python_version = request.python_version;
  return none;
}

}  // namespace

Json Remark::to_json() const {
  return Json::object({{"code", code}, {"sentence", sentence}, {"details", details}});
}

Result<EnvironmentPlan> plan_environment(const EnvironmentRequest& request) {
  EnvironmentPlan plan;
  FOREBAY_TRY(plan.secrets, take_secrets(request));
  auto seen = request.base_environment;
  for (const auto& [name, value] : request.variables) seen[name] = value;
  const CommandUse use = analyse_command(request.command, request.shell, seen, request.workdir);
  plan.interpreter = use.interpreter;
  plan.variables = chosen_variables(request, !use.interpreter.empty(), plan.remarks);
  for (const auto& [name, value] : request.variables) plan.variables[name] = value;
  const bool is_stated = request.requirements || request.conda || request.python_version;
  ProjectFiles files;
  if (!use.interpreter.empty() || is_stated || request.isolate) {
    FOREBAY_TRY(files, files_of(request, is_stated || request.isolate, plan.remarks));
    plan.probe_request = probe_request_for(request, files, use);
  }
  describe_start(request, files, use, plan);
  bool builds_own = request.isolate;
  if (!builds_own && is_stated) {
    const Verdict verdict = judge_active(request, plan);
    builds_own = verdict.is_met == false;
    if (builds_own)
      plan.remarks.push_back({"active-environment-does-not-satisfy",
                              fmt::format(fmt::runtime(tr("The active environment does not meet what the job "
                                                          "file states ({0}); one is built for this run.")),
                                          fmt::format("{}", fmt::join(verdict.unmet, ", "))),
                              Json::object({{"unsatisfied", Json(verdict.unmet)}})});
  }
  if (builds_own) {
    FOREBAY_CHECK(refuse_own_interpreter(request, use));
    FOREBAY_CHECK(refuse_conda_packages(files));
    FOREBAY_CHECK(plan_isolated(request, files, plan));
  }
  return plan;
}

Result<void> finish_plan(const EnvironmentRequest& request, EnvironmentPlan& plan) {
  if (plan.isolated_result.empty()) return {};
  return finish_isolated(request, plan);
}

std::map<std::string, std::string> apply_plan(const std::map<std::string, std::string>& base,
                                              const EnvironmentPlan& plan) {
  auto result = base;
  for (const auto& name : plan.unset) result.erase(name);
  for (const auto& [name, value] : plan.variables) result[name] = value;
  for (const auto& [name, value] : plan.secrets) result[name] = value;
  return result;
}

}  // namespace forebay
