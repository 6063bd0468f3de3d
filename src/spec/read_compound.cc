#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/nearest.h"
#include "spec/read_value.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::unexpected<std::string> wrong(std::string sentence) {
  return std::unexpected(std::move(sentence));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_version(std::string_view text) {
  int parts = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      if (i == 0 || text[i - 1] == '.' || i + 1 == text.size()) return false;
      ++parts;
    } else if (!is_digit(text[i])) {
      return false;
    }
  }
  return !text.empty() && text.size() <= 12 && parts <= 3 && (text[0] == '2' || text[0] == '3');
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_gpu_name(std::string_view name) {
  if (name.empty() || !std::isalnum(static_cast<unsigned char>(name.front()))) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) {
                       return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == ' ';
                     }) &&
         name.size() <= 64;
}

bool is_parameter_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 128 && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

Reading<std::string> read_python_version(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  if (node.is_plain && looks_like_number(*text))
    return wrong(say(tr("{0} must be in quotes: write \"{1}\". Without them YAML reads a number, and the "
                        "number 3.10 is 3.1."),
                     key, *text));
  if (!is_version(*text))
    return wrong(say(tr("{0}: {1} is not a Python version. Write for example \"3.11\" or \"3.11.4\"."), key,
                     shown(*text)));
  return *text;
}

Reading<JobGpu> read_gpu_text(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  JobGpu gpu;
  if (whole_number(*text))
    return wrong(
        say(tr("{0} names a GPU, such as A100-80GB:{1}; for {1} of any kind write {0}: {{count: {1}}}."), key,
            *text));
  const std::size_t colon = text->rfind(':');
  gpu.name = text->substr(0, colon);
  if (colon != std::string::npos) {
    gpu.count = whole_number(std::string_view(*text).substr(colon + 1));
    if (!gpu.count || *gpu.count < 1 || *gpu.count > 100000)
      return wrong(
          say(tr("{0}: the count after the colon in {1} must be a whole number from 1."), key, shown(*text)));
  }
  if (!is_gpu_name(*gpu.name))
    return wrong(say(tr("{0}: {1} is not a GPU. Write NAME or NAME:COUNT, for example A100-80GB:8."), key,
                     shown(*text)));
  return gpu;
}

Reading<Place> read_place(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  if (const auto place = parse_place(*text)) return *place;
  const std::string engine = text->substr(0, text->find_first_of("/:"));
  const auto& engines = known_engines();
  const bool is_known = engine == "any" || std::find(engines.begin(), engines.end(), engine) != engines.end();
  if (*text == "ssh" || *text == "ssh:")
    return wrong(
        say(tr("{0}: {1} needs the name of a host after a colon, for example ssh:lab."), key, shown(*text)));
  if (is_known)
    return wrong(say(tr("{0}: {1} is not a place. Write ENGINE, ENGINE/REGION or ENGINE:NAME, for example "
                        "aws/us-east-1 or ssh:lab."),
                     key, shown(*text)));
  std::vector<std::string_view> names = engines;
  names.push_back("any");
  if (const auto nearest = nearest_name(engine, names))
    return wrong(
        say(tr("{0}: {1} is no place that is known. Did you mean {2}?"), key, shown(*text), *nearest));
  return wrong(say(tr("{0}: {1} is no place that is known. It begins with one of {2}."), key, shown(*text),
                   joined(names)));
}

bool is_environment_name(std::string_view name) {
  if (name.empty() || is_digit(name.front()) || name.size() > 256) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

Reading<std::string> read_environment_name(const std::string& key, const std::string& name) {
  if (!is_environment_name(name))
    return wrong(say(tr("{0}: {1} cannot be the name of an environment variable: letters, digits and _ only, "
                        "no digit first."),
                     key, shown(name)));
  static const std::vector<std::string_view> kept{"FOREBAY_RUN", "FOREBAY_RUN_TAG", "FOREBAY_RESUME",
                                                  "FOREBAY_HOOK"};
  if (std::find(kept.begin(), kept.end(), name) != kept.end())
    return wrong(say(tr("{0}: {1} is set by Forebay itself."), key, name));
  return name;
}

Reading<SweepParameter> read_sweep_parameter(const std::string& key, const std::string& name,
                                             const YamlNode& node) {
  SweepParameter parameter{name, {}, std::nullopt};
  if (!is_parameter_name(name))
    return wrong(
        say(tr("sweep.parameters: {0} cannot be the name of a parameter: letters, digits, _, - and . only."),
            shown(name)));
  if (node.is_sequence()) {
    for (const YamlNodePtr& item : node.items) {
      if (!item->is_scalar()) return wrong(say(tr("{0} takes a list of single values."), key));
      parameter.values.push_back(item->text);
    }
    if (parameter.values.empty()) return wrong(say(tr("{0} has no values."), key));
    return parameter;
  }
  const std::size_t dots = node.is_scalar() ? node.text.find("..") : std::string::npos;
  if (dots != std::string::npos) {
    const auto first = whole_number(std::string_view(node.text).substr(0, dots));
    const auto last = whole_number(std::string_view(node.text).substr(dots + 2));
    if (first && last && *first <= *last) {
      parameter.range = {*first, *last};
      return parameter;
    }
  }
  return wrong(
      say(tr("{0} takes a list such as [1, 2, 3], or whole numbers FIRST..LAST such as 1..5."), key));
}

}  // namespace forebay
