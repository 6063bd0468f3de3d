#include "spec/read_value.h"

#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::unexpected<std::string> wrong(std::string sentence) {
  return std::unexpected(std::move(sentence));
}

std::string range_text(double minimum, double maximum) {
  if (maximum >= 1e5) return say(tr("at least {0}"), minimum);
  return say(tr("from {0} to {1}"), minimum, maximum);
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string> strings(const std::vector<std::string_view>& views) {
  return {views.begin(), views.end()};
}

}  // namespace

bool looks_like_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return to_number(text).has_value();
}

Reading<std::string> read_text(const std::string& key, const YamlNode& node) {
  if (node.is_sequence()) return wrong(say(tr("{0} takes one value, not a list."), key));
  if (node.is_mapping()) return wrong(say(tr("{0} takes one value, not a mapping."), key));
  if (node.text.find('\0') != std::string::npos)
    return wrong(say(tr("{0} contains a NUL character, which no command can receive."), key));
  if (node.text.find_first_not_of(" \t\n") == std::string::npos)
    return wrong(say(tr("{0} is empty. Leave it out, or say something."), key));
  return node.text;
}

Reading<double> read_number(const std::string& key, const YamlNode& node, double minimum, double maximum) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  const auto value = to_number(*text);
  if (!value) return wrong(say(tr("{0} must be a number, not {1}."), key, shown(*text)));
  if (*value < minimum || *value > maximum)
    return wrong(
        say(tr("{0} must be a number {1}, not {2}."), key, range_text(minimum, maximum), shown(*text)));
  return *value;
}

Reading<std::int64_t> read_integer(const std::string& key, const YamlNode& node, double minimum,
                                   double maximum) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool is_whole = error == std::errc() && end == text->data() + text->size();
  if (!is_whole || static_cast<double>(value) < minimum || static_cast<double>(value) > maximum)
    return wrong(
        say(tr("{0} must be a whole number {1}, not {2}."), key, range_text(minimum, maximum), shown(*text)));
  return value;
}

Reading<Amount<double>> read_number_or_floor(const std::string& key, const YamlNode& node, double minimum,
                                             double maximum) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  const bool is_floor = text->ends_with('+');
  const auto value = to_number(std::string_view(*text).substr(0, text->size() - (is_floor ? 1 : 0)));
  if (!value || *value < minimum || *value > maximum)
    return wrong(say(tr("{0} must be a number {1}, such as 8, or 8+ for at least 8; not {2}."), key,
                     range_text(minimum, maximum), shown(*text)));
  return Amount<double>{*value, is_floor};
}

Reading<double> read_parameter_count(const std::string& key, const YamlNode& node) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  if (const std::size_t x = text->find_first_of("xX"); x != std::string::npos && x > 0)
    return wrong(say(tr("{0}: {1} does not say how many parameters there are in all, shared ones counted "
                        "once. Write the total, for example 46.7B."),
                     key, shown(*text)));
  if (to_number(*text))
    return wrong(
        say(tr("{0} needs a unit: write {1}B (billions) or {1}M (millions) instead of {1}."), key, *text));
  const auto value = to_number(std::string_view(*text).substr(0, text->size() - 1));
  double factor = 0;
  switch (text->back()) {
    case 'K':
      factor = 1e3;
      break;
    case 'M':
      factor = 1e6;
      break;
    case 'B':
      factor = 1e9;
      break;
    case 'T':
      factor = 1e12;
      break;
    default:
      break;
  }
  if (!value || factor == 0 || *value <= 0 || *value * factor > 1e16)
    return wrong(
        say(tr("{0}: {1} is not a number of parameters. Write for example 7B or 350M."), key, shown(*text)));
  return *value * factor;
}

Reading<std::string> read_choice(const std::string& key, const YamlNode& node,
                                 const std::vector<std::string_view>& choices) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  for (const std::string_view choice : choices)
    if (*text == choice) return *text;
  if (const auto nearest = nearest_name(*text, choices))
    return wrong(say(tr("{0} cannot be {1}. Did you mean {2}? It is one of {3}."), key, shown(*text),
                     *nearest, listed_or(strings(choices))));
  return wrong(
      say(tr("{0} cannot be {1}. It is one of {2}."), key, shown(*text), listed_or(strings(choices))));
}

Reading<std::string> read_yes_no_auto(const std::string& key, const YamlNode& node) {
  if (node.is_scalar() && (node.text == "true" || node.text == "True")) return "yes";
  if (node.is_scalar() && (node.text == "false" || node.text == "False")) return "no";
  return read_choice(key, node, {"auto", "yes", "no"});
}

Reading<Amount<std::string>> read_architecture(const std::string& key, const YamlNode& node,
                                               const std::vector<std::string_view>& choices) {
  const auto text = read_text(key, node);
  if (!text) return wrong(text.error());
  YamlNode without_plus = node;
  const bool is_floor = text->ends_with('+');
  if (is_floor) without_plus.text.pop_back();
  const auto name = read_choice(key, without_plus, choices);
  if (!name) return wrong(name.error());
  return Amount<std::string>{*name, is_floor};
}

}  // namespace forebay
