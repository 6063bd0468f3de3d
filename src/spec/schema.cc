#include "spec/schema.h"

namespace forebay {
namespace {

// "outputs[].to" is below "outputs"; "resources.gpu.count" below "resources.gpu".
std::string_view parent_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string_view parent = key.substr(0, dot);
  if (parent.ends_with("[]")) parent.remove_suffix(2);
  return parent;
}

}  // namespace

const Field* find_field(std::string_view key) {
  for (const Field& field : job_fields())
    if (field.key == key) return &field;
  return nullptr;
}

std::vector<const Field*> fields_below(std::string_view section) {
  std::vector<const Field*> fields;
  for (const Field& field : job_fields())
    if (parent_of(field.key) == section) fields.push_back(&field);
  return fields;
}

std::string_view leaf_name(const Field& field) {
  const std::size_t dot = field.key.rfind('.');
  return dot == std::string_view::npos ? field.key : field.key.substr(dot + 1);
}

std::vector<std::string_view> choices_of(const Field& field) {
  std::vector<std::string_view> choices;
  std::string_view rest = field.choices;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    choices.push_back(rest.substr(0, bar));
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return choices;
}

}  // namespace forebay
