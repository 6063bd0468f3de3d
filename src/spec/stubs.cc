#include "spec/schema.h"

namespace forebay {
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
