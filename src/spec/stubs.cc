#include "spec/job_file.h"
#include "spec/schema.h"

namespace forebay {
std::string JobCommand::text() const {
  return script.value_or("");
}
Json Job::to_json() const {
  return {};
}
Result<Job> job_from_json(const Json&) {
  return Job{};
}
Job job_from_command(std::vector<std::string> arguments) {
  Job job;
  job.run.arguments = std::move(arguments);
  return job;
}
Result<void> set_job_variable(Job&, std::string_view) {
  return {};
}
std::vector<std::string> missing_variables(const Job&) {
  return {};
}
std::string Place::text() const {
  return engine;
}
const std::vector<std::string_view>& known_engines() {
  static const std::vector<std::string_view> names;
  return names;
}
std::optional<Place> parse_place(std::string_view) {
  return std::nullopt;
}
std::string JobProblem::text() const {
  return sentence;
}
Json JobProblem::to_json() const {
  return {};
}
JobProblem JobSource::problem_at(std::string_view, std::string, bool) const {
  return {};
}
bool JobParse::ok() const {
  return problems.empty();
}
JobParse parse_job(std::string_view, const std::string&) {
  return {};
}
bool is_skypilot(std::string_view) {
  return false;
}
std::vector<JobProblem> unsupported_locally(const Job&, const JobSource&) {
  return {};
}
std::string explain_job(const Job&) {
  return {};
}
Json job_check_json(const JobParse&) {
  return {};
}
std::span<const Field> job_fields() {
  return {};
}
const Field* find_field(std::string_view) {
  return nullptr;
}
std::vector<const Field*> fields_below(std::string_view) {
  return {};
}
std::string_view leaf_name(const Field& field) {
  return field.key;
}
std::vector<std::string_view> choices_of(const Field&) {
  return {};
}
std::optional<std::string> job_help(std::string_view, int) {
  return std::nullopt;
}
Json job_json_schema() {
  return {};
}
std::string job_reference_markdown() {
  return {};
}
}  // namespace forebay
