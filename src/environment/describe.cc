#include "environment/describe.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.h"
#include "base/text.h"
#include "environment/probe.h"
#include "environment/redact.h"
#include "environment/shell_words.h"

namespace forebay {
namespace {

constexpr std::size_t kShownItems = 8;

std::string joined(std::vector<std::string> words) {
  const std::size_t more = words.size() > kShownItems ? words.size() - kShownItems : 0;
  if (more > 0) words.resize(kShownItems);
  std::string text = fmt::format("{}", fmt::join(words, ", "));
  if (more > 0) text += fmt::format(fmt::runtime(tr(" and {0} more")), more);
  return text;
}

std::string command_text(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const auto& word : words) quoted.push_back(shell_quoted(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

std::vector<std::string> pip_install(const EnvironmentPlan& plan) {
  std::vector<std::string> words = plan.interpreter;
  for (const char* word : {"-m", "pip", "install"}) words.emplace_back(word);
  return words;
}

void add_requirement_remarks(const EnvironmentPlan& plan, const Json& answer, std::vector<Remark>& remarks) {
  const Json& requirements = answer["requirements"];
  std::vector<std::string> unmet, files;
  for (const Json& item : requirements["unsatisfied"].items()) {
    const std::string have = item["installed"].string_or_empty();
    unmet.push_back(have.empty() ? fmt::format(fmt::runtime(tr("{0} (not installed)")),
                                               item["requirement"].string_or_empty())
                                 : fmt::format(fmt::runtime(tr("{0} (installed: {1})")),
                                               item["requirement"].string_or_empty(), have));
    if (const std::string file = item["from"].string_or_empty();
        std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  }
  if (!unmet.empty()) {
    auto words = pip_install(plan);
    for (const auto& file : files)
      if (file.ends_with(".txt") || file.ends_with(".in")) words.insert(words.end(), {"-r", file});
    const std::string cure =
        words.size() > plan.interpreter.size() + 3
            ? fmt::format(fmt::runtime(tr("Install them with: {0}  or let Forebay build an environment of "
                                          "its own with --isolate.")),
                          command_text(words))
            : std::string(tr("Install them, or let Forebay build an environment of its own with --isolate."));
    remarks.push_back(
        {"requirements-not-met",
         fmt::format(
             fmt::runtime(tr("The active environment does not meet {0} requirements of {1}: {2}. {3}")),
             unmet.size(), joined(files), joined(unmet), cure),
         Json::object({{"unsatisfied", requirements["unsatisfied"]}, {"command", Json(words)}})});
  }
  if (requirements["unknown"].size() > 0) {
    std::vector<std::string> unknown;
    for (const Json& item : requirements["unknown"].items())
      unknown.push_back(
          fmt::format("{} ({})", item["requirement"].string_or_empty(), item["why"].string_or_empty()));
    remarks.push_back(
        {"requirements-unknown",
         fmt::format(fmt::runtime(tr("Whether these requirements are met could not be judged: {0}.")),
                     joined(unknown)),
         Json::object({{"unknown", requirements["unknown"]}})});
  }
}

void add_import_remark(const EnvironmentPlan& plan, const Json& answer, std::vector<Remark>& remarks) {
  std::vector<std::string> modules, distributions;
  for (const Json& item : answer["missing_imports"].items()) {
    const std::string module = item["module"].string_or_empty(),
                      distribution = item["distribution"].string_or_empty();
    modules.push_back(module == distribution ? module : fmt::format("{} ({})", module, distribution));
    distributions.push_back(distribution);
  }
  if (modules.empty()) return;
  auto words = pip_install(plan);
  words.insert(words.end(), distributions.begin(), distributions.end());
  remarks.push_back(
      {"imports-not-installed",
       fmt::format(
           fmt::runtime(tr(
               "The code imports modules that are not installed: {0}. Nothing was installed; to do so: {1}")),
           joined(modules), command_text(words)),
       Json::object({{"missing_imports", answer["missing_imports"]}, {"command", Json(words)}})});
}

}  // namespace

Json describe_environment(const EnvironmentRequest& request, const EnvironmentPlan& plan, Duration deadline) {
  Json description = plan.description;
  std::vector<Remark> remarks = plan.remarks;
  if (!plan.interpreter.empty()) {
    const std::int64_t begin_ns = system_clock().monotonic_ns();
    // Without the secrets: the probe has no need of them.
    auto environment = request.base_environment;
    for (const auto& name : plan.unset) environment.erase(name);
    for (const auto& [name, value] : plan.variables) environment[name] = value;
    const auto answer =
        ask_interpreter(plan.interpreter, plan.probe_request, environment, request.workdir, deadline);
    if (answer) {
      for (const auto& [key, value] : answer->members()) description.set(key, value);
      add_requirement_remarks(plan, *answer, remarks);
      add_import_remark(plan, *answer, remarks);
    } else {
      description.set("probe_error", redact(answer.error().sentence(),
                                            secret_values(request.base_environment, request.secrets)));
      remarks.push_back({"environment-not-described",
                         fmt::format(fmt::runtime(tr("The Python environment could not be described: {0}")),
                                     answer.error().cause),
                         {}});
    }
    description.set("probe_seconds", static_cast<double>(system_clock().monotonic_ns() - begin_ns) * 1e-9);
  }
  Json list = Json::array();
  for (const auto& remark : remarks) list.push(remark.to_json());
  return description.set("remarks", std::move(list));
}

}  // namespace forebay
