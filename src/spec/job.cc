#include "spec/job.h"

#include <algorithm>

#include "base/environment_variable.h"
#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

bool is_plain_word(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("-_./:=@%+,").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string shell_quoted(const std::string& word) {
  if (is_plain_word(word)) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

std::string JobCommand::text() const {
  if (script) return *script;
  std::string out;
  for (const std::string& argument : arguments) out += (out.empty() ? "" : " ") + shell_quoted(argument);
  return out;
}

Job job_from_command(std::vector<std::string> arguments) {
  Job job;
  job.run.arguments = std::move(arguments);
  return job;
}

Result<void> set_job_variable(Job& job, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name(assignment.substr(0, equals));
  const auto checked = read_environment_name("--env", name);
  if (!checked) return make_error(ErrorCode::kInvalidInput, "", "", checked.error());
  std::optional<std::string> value;
  if (equals != std::string_view::npos)
    value = std::string(assignment.substr(equals + 1));
  else
    value = environment_variable(name);
  if (!value)
    return make_error(ErrorCode::kInvalidInput, "", "",
                      say(tr("--env {0}: the variable is not set here. Write --env {0}=VALUE."), name));
  auto& variables = job.environment.variables;
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const JobVariable& variable) { return variable.name == name; });
  if (found != variables.end())
    found->value = std::move(value);
  else
    variables.push_back({name, std::move(value)});
  return {};
}

std::vector<std::string> missing_variables(const Job& job) {
  std::vector<std::string> names;
  for (const JobVariable& variable : job.environment.variables)
    if (!variable.value) names.push_back(variable.name);
  return names;
}

}  // namespace forebay
