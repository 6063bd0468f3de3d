#include "spec/place.h"
#include "spec/read_value.h"
#include "spec/schema.h"
#include "spec/sentence.h"
#include "spec/yaml_tree.h"

namespace forebay {
namespace {

constexpr std::string_view kNamePattern = "^[A-Za-z_][A-Za-z0-9_]*$";

Json strings(std::initializer_list<std::string_view> words) {
  Json list = Json::array();
  for (const std::string_view word : words) list.push(word);
  return list;
}

Json scalar() {
  return Json::object({{"type", strings({"string", "number", "boolean"})}, {"minLength", 1}});
}
Json pattern(std::string_view expression) {
  return Json::object({{"type", "string"}, {"pattern", expression}});
}
Json any_of(Json one, Json other) {
  return Json::object({{"anyOf", Json::array().push(std::move(one)).push(std::move(other))}});
}

Json choices(const Field& field) {
  Json list = Json::array();
  for (const std::string_view choice : choices_of(field)) list.push(choice);
  return list;
}

std::string alternatives(const Field& field) {
  std::string out(field.choices);
  return "(" + out + ")";
}

Json number_json(double value) {
  const Json json(value);
  return json.as_integer() ? Json(*json.as_integer()) : json;
}

Json number(const Field& field, std::string_view type) {
  Json json = Json::object({{"type", type}, {"minimum", number_json(field.minimum)}});
  if (field.maximum < 1e15) json.set("maximum", number_json(field.maximum));
  return json;
}

// The example's YAML as JSON: plain numbers and booleans are such, all else is text.
Json value_of(const YamlNode& node) {
  if (node.is_sequence()) {
    Json list = Json::array();
    for (const YamlNodePtr& item : node.items) list.push(value_of(*item));
    return list;
  }
  if (node.is_mapping()) {
    Json object = Json::object();
    for (const YamlMember& member : node.members) object.set(member.key, value_of(*member.value));
    return object;
  }
  if (!node.is_plain) return Json(node.text);
  if (node.text == "true" || node.text == "false") return Json(node.text == "true");
  if (looks_like_number(node.text))
    if (const auto json = Json::parse(node.text, "example")) return *json;
  return Json(node.text);
}

Json places() {
  std::string engines = "any";
  for (const std::string_view engine : known_engines()) engines += "|" + std::string(engine);
  Json place = pattern(fmt::format("^({})([:/][A-Za-z0-9._@:/-]+)?$", engines));
  return any_of(place, Json::object({{"type", "array"}, {"minItems", 1}, {"items", place}}));
}

Json section(std::string_view key);

Json shape(const Field& field) {
  switch (field.type) {
    case FieldType::kSection:
      return section(field.key);
    case FieldType::kSectionList:
      return Json::object({{"type", "array"}, {"items", section(field.key)}});
    case FieldType::kText:
      return scalar();
    case FieldType::kCommand:
      return any_of(scalar(), Json::object({{"type", "array"}, {"minItems", 1}, {"items", scalar()}}));
    case FieldType::kChoice:
      return Json::object({{"enum", choices(field)}});
    case FieldType::kYesNoAuto:
      return Json::object({{"enum", strings({"auto", "yes", "no"}).push(true).push(false)}});
    case FieldType::kInteger:
      return number(field, "integer");
    case FieldType::kNumber:
      return number(field, "number");
    case FieldType::kNumberOrFloor:
      return any_of(number(field, "number"), pattern("^[0-9]+(\\.[0-9]+)?\\+?$"));
    case FieldType::kParameterCount:
      return pattern("^[0-9]+(\\.[0-9]+)?[KMBT]$");
    case FieldType::kBytesOrFloor:
      return pattern("^[0-9]+(\\.[0-9]+)? *([KMGTP]iB|[kKMGT]B|B)\\+?$");
    case FieldType::kDuration:
      return pattern("^([0-9]+(\\.[0-9]+)? *(ms|s|sec|m|min|h|d) *)+$");
    case FieldType::kMoney:
      return pattern("^([0-9]{1,9}(\\.[0-9]{1,9})? *[A-Z]{3}|[$¥€] *[0-9]{1,9}(\\.[0-9]{1,9})?)$");
    case FieldType::kInstant:
      return pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})$");
    case FieldType::kPythonVersion:
      return pattern("^[23](\\.[0-9]+){0,2}$");
    case FieldType::kGpu:
      return any_of(pattern("^[A-Za-z0-9][A-Za-z0-9._ -]*(:[0-9]+)?$"), section(field.key));
    case FieldType::kArchitecture:
      return pattern(fmt::format("^{}\\+?$", alternatives(field)));
    case FieldType::kPlaces:
      return places();
    case FieldType::kVariables:
      return Json::object({{"type", "object"},
                           {"propertyNames", Json::object({{"pattern", kNamePattern}})},
                           {"additionalProperties",
                            Json::object({{"type", strings({"string", "number", "boolean", "null"})}})}});
    case FieldType::kNames:
      return Json::object({{"type", "array"}, {"items", pattern(kNamePattern)}});
    case FieldType::kObjective:
      return any_of(
          Json::object({{"enum", choices(field)}}),
          Json::object({{"type", "object"},
                        {"propertyNames", Json::object({{"enum", choices(field)}})},
                        {"additionalProperties", Json::object({{"type", "number"}, {"minimum", 0}})}}));
    case FieldType::kSweepParameters:
      return Json::object({{"type", "object"},
                           {"minProperties", 1},
                           {"additionalProperties",
                            any_of(Json::object({{"type", "array"}, {"minItems", 1}, {"items", scalar()}}),
                                   pattern("^-?[0-9]+\\.\\.-?[0-9]+$"))}});
  }
  return Json::object();
}

Json described(const Field& field) {
  Json json = Json::object();
  std::string description(field.meaning);
  if (!field.default_text.empty()) description += fmt::format("\nLeft out: {}.", field.default_text);
  json.set("description", std::move(description));
  const Json details = shape(field);
  for (const auto& [key, value] : details.members()) json.set(key, value);
  if (!field.example.empty()) {
    const YamlDocument document = read_yaml(std::string(field.example) + "\n");
    if (document.root != nullptr) json.set("examples", Json::array().push(value_of(*document.root)));
  }
  return json;
}

Json section(std::string_view key) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field* field : fields_below(key)) {
    properties.set(leaf_name(*field), described(*field));
    if (field->is_required) required.push(leaf_name(*field));
  }
  Json json = Json::object({{"type", "object"}, {"additionalProperties", false}});
  if (required.size() > 0) json.set("required", std::move(required));
  json.set("properties", std::move(properties));
  return json;
}

}  // namespace

Json job_json_schema() {
  Json json = Json::object(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
       {"title", "Forebay job file"},
       {"description",
        "One file says everything about a job; every field may be left out. See docs/job-file.md."}});
  const Json root = section("");
  for (const auto& [key, value] : root.members()) json.set(key, value);
  return json;
}

}  // namespace forebay
