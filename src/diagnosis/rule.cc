#include "diagnosis/rule.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/embedded.h"
#include "base/json.h"

namespace forebay {
namespace {

constexpr std::size_t kLargestFile = 256u << 10;
constexpr std::size_t kMostRules = 200;
constexpr std::size_t kMostEntries = 40;
constexpr std::size_t kMostNesting = 24;
constexpr std::size_t kMostNodes = 20'000;

// Names that expressions may use beside those of metric_descriptions().
bool is_known_name(std::string_view name) {
  for (const MetricDescription& description : metric_descriptions())
    if (description.name == name) return true;
  return false;
}

class RuleReader {
 public:
  RuleReader(const Json& node, const std::string& file) : node_(node), where_(file) {}

  Result<Rule> read() {
    if (!node_.is_object()) return fault("", "a rule must be a mapping");
    FOREBAY_CHECK(check_keys(node_,
                             {"id", "kind", "core", "title", "needs", "applies", "when", "share", "floor",
                              "evidence", "fixes", "confidence", "source"},
                             ""));
    Rule rule;
    FOREBAY_TRY(rule.id, text(node_, "id"));
    where_ += ": " + rule.id;
    FOREBAY_TRY(const std::string kind, text(node_, "kind"));
    if (kind != "time" && kind != "risk" && kind != "failure")
      return fault("kind", "it must be time, risk or failure");
    rule.kind = kind == "time"   ? FindingKind::kTime
                : kind == "risk" ? FindingKind::kRisk
                                 : FindingKind::kFailure;
    FOREBAY_TRY(rule.title, text(node_, "title"));
    FOREBAY_TRY(rule.source, text(node_, "source"));
    rule.core = node_["core"].string_or_empty() == "true";
    FOREBAY_TRY(rule.needs, optional_expression(node_, "needs"));
    FOREBAY_TRY(rule.applies, optional_expression(node_, "applies"));
    FOREBAY_TRY(rule.when, optional_expression(node_, "when"));
    FOREBAY_TRY(rule.share, optional_expression(node_, "share"));
    if (!rule.when) return fault("when", "it is missing");
    if (rule.kind == FindingKind::kTime && !rule.share)
      return fault("share", "a finding about time must say what it costs");
    FOREBAY_TRY(rule.floor, floor());
    FOREBAY_TRY(rule.evidence, texts(node_["evidence"]));
    FOREBAY_CHECK(read_fixes(rule));
    FOREBAY_CHECK(read_confidence(rule));
    return rule;
  }

 private:
  Error fault(const std::string& key, const std::string& cause) const {
    return make_error(ErrorCode::kInvalidInput, "read the rule",
                      key.empty() ? where_ : fmt::format("{}: {}", where_, key), cause);
  }

  Result<void> check_keys(const Json& map, std::initializer_list<std::string_view> allowed,
                          const std::string& key) const {
    for (const auto& [name, value] : map.members())
      if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
        return fault(key, fmt::format("there is no key \"{}\"", name));
    return {};
  }
  Result<std::string> text(const Json& map, const char* key) const {
    const std::string value = map[key].string_or_empty();
    if (value.empty()) return fault(key, "it is missing");
    if (value.size() > 1000) return fault(key, "it is too long");
    return value;
  }
  Result<Expression> expression(const std::string& source, const std::string& key) const {
    auto parsed = Expression::parse(source);
    if (!parsed) return fault(key, parsed.error().sentence());
    for (const std::string& name : parsed->names())
      if (!is_known_name(name)) return fault(key, fmt::format("no metric has the name \"{}\"", name));
    return parsed;
  }
  Result<std::optional<Expression>> optional_expression(const Json& map, const char* key) const {
    if (map[key].is_null()) return std::optional<Expression>();
    auto parsed = expression(map[key].string_or_empty(), key);
    if (!parsed) return std::move(parsed).error();
    return std::optional<Expression>(std::move(*parsed));
  }
  Result<double> floor() const {
    if (node_["floor"].is_null()) return 0.0;
    auto parsed = expression(node_["floor"].string_or_empty(), "floor");
    if (!parsed) return std::move(parsed).error();
    const auto value = parsed->evaluate(MetricSet());
    if (!value || *value < 0 || *value > 1) return fault("floor", "it must be a number from 0 to 1");
    return *value;
  }
  Result<RuleArgument> argument(const std::string& source) const {
    RuleArgument argument;
    if (source.starts_with('@')) {
      argument.fact = source.substr(1);
      if (!is_known_name(argument.fact))
        return fault("args", fmt::format("no fact has the name \"{}\"", argument.fact));
      return argument;
    }
    const std::size_t bar = source.rfind('|');
    if (bar == std::string::npos)
      return fault("args", fmt::format("\"{}\" has no unit (EXPRESSION | UNIT)", source));
    argument.unit = source.substr(bar + 1);
    argument.unit.erase(0, argument.unit.find_first_not_of(' '));
    auto parsed = expression(source.substr(0, bar), "args");
    if (!parsed) return std::move(parsed).error();
    argument.expression = std::move(*parsed);
    return argument;
  }
  Result<void> read_arguments(const Json& list, RuleText& into) const {
    if (list.is_null()) return {};
    if (!list.is_array() || list.size() > 9) return fault("args", "it must be a list of at most nine");
    for (const Json& each : list.items()) {
      FOREBAY_TRY(RuleArgument one, argument(each.string_or_empty()));
      into.args.push_back(std::move(one));
    }
    return {};
  }
  Result<RuleText> rule_text(const Json& map, const char* key) const {
    RuleText result;
    if (!map.is_object()) return fault(key, "each entry must be a mapping with a text");
    FOREBAY_TRY(result.msgid, text(map, key));
    FOREBAY_CHECK(read_arguments(map["args"], result));
    FOREBAY_TRY(result.when, optional_expression(map, "when"));
    // Every field needs its argument.
    for (std::size_t n = 0; n < 10; ++n)
      if (result.msgid.find(fmt::format("{{{}}}", n)) != std::string::npos && n >= result.args.size())
        return fault(key, fmt::format("the field {{{}}} has no argument", n));
    return result;
  }
  Result<std::vector<RuleText>> texts(const Json& list) const {
    std::vector<RuleText> result;
    if (list.is_null()) return result;
    if (!list.is_array() || list.size() > kMostEntries) return fault("evidence", "it must be a list");
    for (const Json& each : list.items()) {
      FOREBAY_TRY(RuleText one, rule_text(each, "text"));
      FOREBAY_CHECK(check_keys(each, {"text", "args", "when"}, "evidence"));
      result.push_back(std::move(one));
    }
    return result;
  }
  Result<std::vector<Expression>> range(const Json& map, const char* key) const {
    std::vector<Expression> result;
    if (map.is_null()) return result;
    if (!map.is_object()) return fault(key, "it must have low, likely and high");
    FOREBAY_CHECK(check_keys(map, {"low", "likely", "high"}, key));
    for (const char* bound : {"low", "likely", "high"}) {
      auto parsed = expression(map[bound].string_or_empty(), fmt::format("{}.{}", key, bound));
      if (!parsed) return std::move(parsed).error();
      result.push_back(std::move(*parsed));
    }
    return result;
  }
  Result<void> read_fixes(Rule& rule) const {
    const Json& list = node_["fixes"];
    if (!list.is_array() || list.size() == 0 || list.size() > kMostEntries)
      return fault("fixes", "a rule must say what to do");
    for (const Json& each : list.items()) {
      RuleFix fix;
      FOREBAY_TRY(fix.text, rule_text(each, "text"));
      FOREBAY_CHECK(check_keys(each, {"text", "args", "when", "settings", "gain", "step"}, "fixes"));
      FOREBAY_TRY(fix.gain, range(each["gain"], "gain"));
      FOREBAY_TRY(fix.step, range(each["step"], "step"));
      if (!each["settings"].is_null() && !each["settings"].is_object())
        return fault("settings", "it must be a mapping");
      for (const auto& [name, value] : each["settings"].members()) {
        auto parsed = expression(value.string_or_empty(), "settings");
        if (!parsed) return std::move(parsed).error();
        fix.settings.emplace_back(name, std::move(*parsed));
      }
      rule.fixes.push_back(std::move(fix));
    }
    return {};
  }
  Result<void> read_confidence(Rule& rule) const {
    const Json& map = node_["confidence"];
    if (!map.is_object()) return fault("confidence", "it is missing");
    FOREBAY_CHECK(check_keys(map, {"high", "medium", "reason", "args"}, "confidence"));
    FOREBAY_TRY(rule.high, optional_expression(map, "high"));
    FOREBAY_TRY(rule.medium, optional_expression(map, "medium"));
    FOREBAY_TRY(rule.reason, rule_text(map, "reason"));
    return {};
  }

  const Json& node_;
  std::string where_;
};

// yaml-cpp recurses for every level of nesting, so that a file of "[[[[…" would end the process: counted
// before it is parsed. Block nesting needs a growing indent on every line, which the size of the file bounds
// to far less than the stack.
bool nests_too_deeply(std::string_view yaml) {
  std::size_t depth = 0, deepest = 0, indent = 0;
  bool at_line_start = true;
  for (const char c : yaml) {
    if (c == '\n') {
      at_line_start = true;
      indent = 0;
      continue;
    }
    if (at_line_start && (c == ' ' || c == '-' || c == '?'))
      deepest = std::max(deepest, ++indent / 2);
    else
      at_line_start = false;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest > kMostNesting;
}

// Every scalar as its text: what it means is for the reader of the rule. Aliases can make a small file an
// endless tree, which is cut off with null.
class TreeCopy {
 public:
  std::optional<Json> copy(const YAML::Node& root) {
    Json result = node(root, 0);
    if (is_too_large_) return std::nullopt;
    return result;
  }

 private:
  Json node(const YAML::Node& from, std::size_t depth) {
    if (is_too_large_ || depth > kMostNesting || ++count_ > kMostNodes) {
      is_too_large_ = true;
      return {};
    }
    if (from.IsScalar()) return from.Scalar();
    Json result;
    if (from.IsSequence()) {
      result = Json::array();
      for (const auto& each : from) result.push(node(each, depth + 1));
    } else if (from.IsMap()) {
      result = Json::object();
      for (const auto& entry : from)
        result.set(entry.first.IsScalar() ? entry.first.Scalar() : std::string(),
                   node(entry.second, depth + 1));
    }
    return result;
  }

  std::size_t count_ = 0;
  bool is_too_large_ = false;
};

Result<std::vector<Rule>> read_rules(const Json& root, const std::string& name) {
  const auto refuse = [&](std::string cause) {
    return make_error(ErrorCode::kInvalidInput, "read the rules", name, std::move(cause));
  };
  if (!root.is_array()) return refuse("it must be a list of rules");
  if (root.size() > kMostRules) return refuse("it has too many rules");
  std::vector<Rule> rules;
  for (const Json& each : root.items()) {
    FOREBAY_TRY(Rule rule, RuleReader(each, name).read());
    for (const Rule& known : rules)
      if (known.id == rule.id) return refuse(fmt::format("the id \"{}\" is there twice", rule.id));
    rules.push_back(std::move(rule));
  }
  return rules;
}

// The build has made JSON of the YAML (cmake/yaml_to_json.cc): yaml-cpp takes 5 ms for them, at every start.
Result<std::vector<Rule>> read_embedded(std::string_view path) {
  FOREBAY_TRY(const Json root, Json::parse(*embedded_file(path), std::string(path)));
  return read_rules(root, std::string(path));
}

struct BuiltIn {
  std::vector<Rule> rules;
  std::vector<Error> faults;
};

const BuiltIn& built_in() {
  static const BuiltIn loaded = [] {
    BuiltIn result;
    for (const std::string_view path : embedded_files("data/rules/")) {
      auto rules = read_embedded(path);
      if (!rules)
        result.faults.push_back(rules.error());
      else
        for (Rule& rule : *rules) result.rules.push_back(std::move(rule));
    }
    return result;
  }();
  return loaded;
}

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view yaml, const std::string& name) {
  const auto refuse = [&](std::string cause) {
    return make_error(ErrorCode::kInvalidInput, "read the rules", name, std::move(cause));
  };
  if (yaml.size() > kLargestFile) return refuse("the file is too large");
  if (nests_too_deeply(yaml)) return refuse("it is nested too deeply");
  try {
    const auto root = TreeCopy().copy(YAML::Load(std::string(yaml)));
    return root ? read_rules(*root, name) : refuse("it holds too much");
  } catch (const YAML::Exception& exception) {
    return refuse(exception.what());
  }
}

const std::vector<Rule>& built_in_rules() {
  return built_in().rules;
}
const std::vector<Error>& built_in_rule_faults() {
  return built_in().faults;
}

}  // namespace forebay
