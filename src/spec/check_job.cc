#include "spec/check_job.h"

#include "base/nearest.h"
#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

YamlPosition position_of(const YamlNode& node, YamlPosition fallback) {
  return node.position.line > 0 ? node.position : fallback;
}

}  // namespace

void JobCheck::add(const std::string& path, YamlPosition position, std::string sentence, bool is_error) {
  parse_.problems.push_back(
      {parse_.source.file, position.line, position.column, path, std::move(sentence), is_error});
}

void JobCheck::note(const std::string& path, YamlPosition position) {
  parse_.source.entries.push_back({path, position.line, position.column});
}

void JobCheck::check(const YamlNode& root) {
  if (root.is_null()) return;
  if (!root.is_mapping()) {
    add("", position_of(root, {1, 1}),
        std::string(tr("A job file is a mapping: lines such as \"run: python train.py\". This is none.")));
    return;
  }
  members("", "", root, {1, 1});
}

void JobCheck::section(std::string_view schema_key, const std::string& path, const YamlNode& node,
                       YamlPosition position) {
  if (!node.is_mapping()) {
    std::vector<std::string> keys;
    for (const Field* field : fields_below(schema_key)) keys.emplace_back(leaf_name(*field));
    add(path, position, say(tr("{0} takes a mapping; its keys are {1}."), path, joined(keys)));
    return;
  }
  members(schema_key, path, node, position);
}

void JobCheck::section_list(const Field& field, const std::string& path, const YamlNode& node,
                            YamlPosition position) {
  if (!node.is_sequence()) {
    std::vector<std::string> keys;
    for (const Field* row : fields_below(field.key)) keys.emplace_back(leaf_name(*row));
    add(path, position,
        say(tr("{0} takes a list: each entry begins with \"- \" and has the keys {1}."), path, joined(keys)));
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = *node.items[i];
    const std::string item_path = fmt::format("{}[{}]", path, i);
    note(item_path, position_of(item, position));
    section(field.key, item_path, item, position_of(item, position));
  }
}

void JobCheck::members(std::string_view schema_prefix, const std::string& path, const YamlNode& node,
                       YamlPosition position) {
  const auto fields = fields_below(schema_prefix);
  for (const YamlMember& member : node.members) {
    const Field* known = nullptr;
    for (const Field* field : fields)
      if (leaf_name(*field) == member.key) known = field;
    if (known == nullptr) {
      unknown_key(schema_prefix, path, member);
      continue;
    }
    const std::string member_path = below(path, member.key);
    note(member_path, member.position);
    value(*known, member_path, member);
  }
  for (const Field* field : fields)
    if (field->is_required && node.find(leaf_name(*field)) == nullptr)
      add(below(path, leaf_name(*field)), position,
          say(tr("{0} needs the key {1}, for example {1}: {2}"), path, leaf_name(*field), field->example));
}

void JobCheck::unknown_key(std::string_view schema_prefix, const std::string& path,
                           const YamlMember& member) {
  add(below(path, member.key), member.position, unknown_key_sentence(schema_prefix, member.key));
}

void JobCheck::value(const Field& field, const std::string& path, const YamlMember& member) {
  const YamlNode& node = *member.value;
  const YamlPosition position = position_of(node, member.position);
  if (node.is_null()) {
    if (field.is_required)
      add(path, member.position, say(tr("{0} is empty. Leave it out, or say something."), path));
    else
      add(path, member.position, say(tr("{0} is empty and counts as left out."), path), false);
    return;
  }
  switch (field.type) {
    case FieldType::kSection:
      return section(field.key, path, node, position);
    case FieldType::kSectionList:
      return section_list(field, path, node, position);
    case FieldType::kGpu:
      return gpu(field, path, node, position);
    case FieldType::kCommand:
      return command(path, node, position);
    case FieldType::kPlaces:
      return places(path, node, position);
    case FieldType::kVariables:
      return variables(path, node, position);
    case FieldType::kNames:
      return names(path, node, position);
    case FieldType::kObjective:
      return objective(field, path, node, position);
    case FieldType::kSweepParameters:
      return sweep_parameters(path, node, position);
    default:
      return scalar(field, path, node, position);
  }
}

void JobCheck::scalar(const Field& field, const std::string& path, const YamlNode& node,
                      YamlPosition position) {
  const auto report = [&](const auto& reading) {
    if (!reading) add(path, position, reading.error());
  };
  switch (field.type) {
    case FieldType::kChoice:
      return report(read_choice(path, node, choices_of(field)));
    case FieldType::kYesNoAuto:
      return report(read_yes_no_auto(path, node));
    case FieldType::kInteger:
      return report(read_integer(path, node, field.minimum, field.maximum));
    case FieldType::kNumber:
      return report(read_number(path, node, field.minimum, field.maximum));
    case FieldType::kNumberOrFloor:
      return report(read_number_or_floor(path, node, field.minimum, field.maximum));
    case FieldType::kParameterCount:
      return report(read_parameter_count(path, node));
    case FieldType::kBytesOrFloor:
      return report(read_bytes_or_floor(path, node));
    case FieldType::kDuration:
      return report(read_duration(path, node));
    case FieldType::kMoney:
      return report(read_money(path, node));
    case FieldType::kInstant:
      return report(read_instant(path, node));
    case FieldType::kPythonVersion:
      return report(read_python_version(path, node));
    case FieldType::kArchitecture:
      return report(read_architecture(path, node, choices_of(field)));
    default:
      return report(read_text(path, node));
  }
}

void JobCheck::gpu(const Field& field, const std::string& path, const YamlNode& node, YamlPosition position) {
  if (node.is_mapping()) return section(field.key, path, node, position);
  if (const auto reading = read_gpu_text(path, node); !reading) add(path, position, reading.error());
}

void JobCheck::command(const std::string& path, const YamlNode& node, YamlPosition position) {
  if (!node.is_sequence()) {
    if (const auto reading = read_text(path, node); !reading) add(path, position, reading.error());
    return;
  }
  if (node.items.empty()) add(path, position, say(tr("{0} is empty. Leave it out, or say something."), path));
  for (const YamlNodePtr& item : node.items) {
    if (!item->is_scalar())
      add(path, position_of(*item, position),
          say(tr("{0} as a list takes the words of one command, each a single value."), path));
    else if (item->text.find('\0') != std::string::npos)
      add(path, position_of(*item, position),
          say(tr("{0} contains a NUL character, which no command can receive."), path));
  }
}

void JobCheck::places(const std::string& path, const YamlNode& node, YamlPosition position) {
  const auto one = [&](const std::string& item_path, const YamlNode& item, YamlPosition at) {
    if (const auto reading = read_place(item_path, item); !reading) add(item_path, at, reading.error());
  };
  if (!node.is_sequence()) return one(path, node, position);
  if (node.items.empty()) add(path, position, say(tr("{0} is empty. Leave it out, or say something."), path));
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item_path = fmt::format("{}[{}]", path, i);
    note(item_path, position_of(*node.items[i], position));
    one(item_path, *node.items[i], position_of(*node.items[i], position));
  }
}

}  // namespace forebay
