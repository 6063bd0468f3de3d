// The values of a job file with rules of their own: variables, secrets, weights, sweep parameters.
#include <algorithm>
#include <array>
#include <set>

#include "spec/check_job.h"
#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

// The kernel's limit for one string of an environment (MAX_ARG_STRLEN), "NAME=" and the end included.
constexpr std::size_t kLongestVariable = 131072;

bool looks_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kWords{"API_KEY",  "APIKEY", "SECRET",     "TOKEN",
                                                          "PASSWORD", "PASSWD", "ACCESS_KEY", "PRIVATE_KEY"};
  static constexpr std::array<std::string_view, 3> kHarmless{"TOKENIZER", "TOKENS", "_TOKEN_LIMIT"};
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto has = [&](std::string_view word) { return upper.find(word) != std::string::npos; };
  return std::any_of(kWords.begin(), kWords.end(), has) &&
         std::none_of(kHarmless.begin(), kHarmless.end(), has);
}

YamlPosition position_of(const YamlNode& node, YamlPosition fallback) {
  return node.position.line > 0 ? node.position : fallback;
}

}  // namespace

void JobCheck::variables(const std::string& path, const YamlNode& node, YamlPosition position) {
  if (!node.is_mapping())
    return add(path, position,
               say(tr("{0} takes a mapping of names to values, such as {{NCCL_DEBUG: WARN}}."), path));
  for (const YamlMember& member : node.members) {
    const std::string key = fmt::format("{}.{}", path, member.key);
    note(key, member.position);
    if (const auto name = read_environment_name(path, member.key); !name) {
      add(key, member.position, name.error());
      continue;
    }
    const YamlNode& value = *member.value;
    if (value.is_sequence() || value.is_mapping()) {
      add(key, position_of(value, member.position),
          say(tr("{0} takes one value, not a list or a mapping. Put it in quotes if it is text."), key));
    } else if (value.text.find('\0') != std::string::npos) {
      add(key, position_of(value, member.position),
          say(tr("{0} contains a NUL character, which no command can receive."), key));
    } else if (member.key.size() + value.text.size() + 2 > kLongestVariable) {
      add(key, position_of(value, member.position),
          say(tr("{0} has {1} bytes; the operating system passes at most {2} in one variable."), key,
              value.text.size(), kLongestVariable));
    } else if (value.is_scalar() && !value.text.empty() && looks_secret(member.key)) {
      add(key, member.position,
          say(tr("{0} looks like a secret. Its value is kept with the run; to keep it out, name it under "
                 "environment.secrets and set it where you start forebay."),
              key),
          false);
    }
  }
}

// Never shows what stands here unless it is a plain name: people paste the secret itself.
void JobCheck::names(const std::string& path, const YamlNode& node, YamlPosition position) {
  if (node.is_mapping())
    return add(path, position,
               say(tr("{0} takes names only, such as [WANDB_API_KEY]; a secret's value must not be in a "
                      "file. Remove the values here, and set them where you start forebay."),
                   path));
  if (!node.is_sequence())
    return add(path, position, say(tr("{0} takes a list of names, such as [WANDB_API_KEY]."), path));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = *node.items[i];
    const std::string key = fmt::format("{}[{}]", path, i);
    note(key, position_of(item, position));
    if (!item.is_scalar() || !is_environment_name(item.text)) {
      add(key, position_of(item, position),
          say(tr("{0} is not the name of an environment variable. Only names go here, never values; what "
                 "stands here is not shown."),
              key));
    } else if (!seen.insert(item.text).second) {
      add(key, position_of(item, position), say(tr("{0} names {1} a second time."), key, item.text), false);
    }
  }
}

void JobCheck::objective(const Field& field, const std::string& path, const YamlNode& node,
                         YamlPosition position) {
  if (!node.is_mapping()) {
    if (const auto reading = read_choice(path, node, choices_of(field)); !reading)
      add(path, position, reading.error());
    return;
  }
  double sum = 0;
  bool is_clean = true;
  for (const YamlMember& member : node.members) {
    const std::string key = fmt::format("{}.{}", path, member.key);
    note(key, member.position);
    YamlNode name;
    name.kind = YamlNode::Kind::kScalar;
    name.text = member.key;
    if (const auto known = read_choice(path, name, choices_of(field)); !known) {
      add(key, member.position, known.error());
      is_clean = false;
      continue;
    }
    const auto weight = read_number(key, *member.value, 0, 1e6);
    if (!weight) add(key, position_of(*member.value, member.position), weight.error());
    is_clean = is_clean && weight;
    sum += weight.value_or(0);
  }
  if (is_clean && sum <= 0)
    add(path, position, say(tr("{0}: at least one weight must be more than 0."), path));
}

void JobCheck::sweep_parameters(const std::string& path, const YamlNode& node, YamlPosition position) {
  if (!node.is_mapping() || node.members.empty())
    return add(
        path, position,
        say(tr("{0} takes a mapping of names to values, such as {{lr: [1e-4, 3e-4], seed: 1..5}}."), path));
  for (const YamlMember& member : node.members) {
    const std::string key = fmt::format("{}.{}", path, member.key);
    note(key, member.position);
    if (const auto reading = read_sweep_parameter(key, member.key, *member.value); !reading)
      add(key, position_of(*member.value, member.position), reading.error());
  }
}

}  // namespace forebay
