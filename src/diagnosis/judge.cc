// One rule applied to one run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/rule.h"

namespace forebay {
namespace {

// Nothing when an argument is unknown: a sentence with a hole is not said.
std::optional<Text> fill(const RuleText& rule_text, const MetricSet& metrics) {
  if (rule_text.when && rule_text.when->evaluate(metrics).value_or(0) == 0) return std::nullopt;
  Text text{rule_text.msgid, {}};
  for (const RuleArgument& argument : rule_text.args) {
    if (!argument.expression) {
      const auto fact = metrics.fact(argument.fact);
      if (!fact) return std::nullopt;
      text.args.push_back(*fact);
      continue;
    }
    const auto value = argument.expression->evaluate(metrics);
    if (!value) return std::nullopt;
    text.args.push_back(argument.unit == "floor" ? format_measure(std::floor(*value), "1")
                                                 : format_measure(*value, argument.unit));
  }
  return text;
}

std::optional<std::array<double, 3>> evaluate_range(const std::vector<Expression>& range,
                                                    const MetricSet& metrics) {
  if (range.size() != 3) return std::nullopt;
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = range[i].evaluate(metrics);
    if (!value || *value <= 0 || *value > 1e6) return std::nullopt;
    values[i] = *value;
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::optional<Gain> gain_of(const RuleFix& fix, const MetricSet& metrics) {
  const auto now = metrics.get("plain_step_seconds");
  if (const auto step = evaluate_range(fix.step, metrics); step && now) {
    Gain gain{*now / (*step)[2], *now / (*step)[1], *now / (*step)[0], {}};
    gain.predicted_step =
        DurationRange{Duration::from_seconds((*step)[0]), Duration::from_seconds((*step)[1]),
                      Duration::from_seconds((*step)[2])};
    return gain;
  }
  if (const auto factors = evaluate_range(fix.gain, metrics))
    return Gain{(*factors)[0], (*factors)[1], (*factors)[2], {}};
  return std::nullopt;
}

std::vector<Fix> fixes_of(const Rule& rule, const MetricSet& metrics) {
  std::vector<Fix> fixes;
  for (const RuleFix& candidate : rule.fixes) {
    auto text = fill(candidate.text, metrics);
    if (!text) continue;
    Fix fix{std::move(*text), gain_of(candidate, metrics), {}};
    for (const auto& [name, expression] : candidate.settings)
      if (const auto value = expression.evaluate(metrics))
        fix.settings.emplace_back(name, format_measure(std::floor(*value), "1"));
    fixes.push_back(std::move(fix));
  }
  return fixes;
}

bool holds(const std::optional<Expression>& condition, const MetricSet& metrics) {
  return condition && condition->evaluate(metrics).value_or(0) != 0;
}

Finding make_finding(const Rule& rule, std::optional<double> share, const MetricSet& metrics) {
  Finding finding;
  finding.id = rule.id;
  finding.kind = rule.kind;
  finding.title = Text{rule.title, {}};
  if (share) {
    finding.share = Probability{std::clamp(*share, 0.0, 1.0)};
    if (const auto wall = metrics.get("wall_seconds"); wall && *wall < 1e9)
      finding.seconds_lost = Duration::from_seconds(finding.share->value * *wall);
  }
  for (const RuleText& line : rule.evidence)
    if (auto text = fill(line, metrics)) finding.evidence.push_back(std::move(*text));
  finding.fixes = fixes_of(rule, metrics);
  finding.confidence = holds(rule.high, metrics)     ? Confidence::kHigh
                       : holds(rule.medium, metrics) ? Confidence::kMedium
                                                     : Confidence::kLow;
  finding.confidence_reason = fill(rule.reason, metrics).value_or(Text{"little was measured", {}});
  for (const auto* expression : {&rule.when, &rule.share})
    if (*expression)
      for (const std::string& name : (*expression)->names()) {
        const auto value = metrics.get(name);
        const bool there = std::any_of(finding.metrics.begin(), finding.metrics.end(),
                                       [&](const auto& m) { return m.first == name; });
        if (value && !there) finding.metrics.emplace_back(name, *value);
      }
  return finding;
}

NotJudged not_judged(const Rule& rule, const std::set<std::string>& missing, bool too_little) {
  NotJudged result{rule.id, Text{rule.title, {}}, {missing.begin(), missing.end()}, {}};
  if (too_little) {
    result.reason = Text{"not enough evidence: too few training steps were seen", {}};
  } else if (result.missing.empty()) {
    result.reason = Text{"not enough evidence", {}};
  } else {
    result.reason = Text{"not enough evidence: {0} was not measured",
                         {std::string(metric_meaning(result.missing.front()))}};
  }
  return result;
}

}  // namespace

Judgement judge(const Rule& rule, const MetricSet& metrics) {
  std::set<std::string> missing;
  // Whether a rule applies is asked first: what has nothing to say here must not complain about missing
  // measurements.
  if (rule.applies) {
    const auto applies = rule.applies->evaluate(metrics, &missing);
    if (!applies) return {{}, not_judged(rule, missing, false)};
    if (*applies == 0) return {};
  }
  if (rule.needs) {
    const auto enough = rule.needs->evaluate(metrics, &missing);
    if (!enough || *enough == 0) return {{}, not_judged(rule, missing, enough.has_value())};
  }
  const auto stands = rule.when->evaluate(metrics, &missing);
  if (!stands) return {{}, not_judged(rule, missing, false)};
  if (*stands == 0) return {};
  if (!rule.share) return {make_finding(rule, {}, metrics), {}};
  const auto share = rule.share->evaluate(metrics, &missing);
  if (!share) return {{}, not_judged(rule, missing, false)};
  if (*share < rule.floor) return {};
  return {make_finding(rule, share, metrics), {}};
}

}  // namespace forebay
