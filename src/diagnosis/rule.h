// A rule of data/rules/*.yaml. Keys of one rule (all texts are msgids with fields {0}, {1} …):
//
//   id, kind (time, risk, failure), title, source (where thresholds come from): required
//   core: true          without this rule's inputs "nothing wrong" cannot be said
//   needs               expression; false = too little was seen to judge (unknown = not measured)
//   applies             expression; false = the rule has nothing to say here
//   when                expression; true = the finding stands
//   share               expression: share of the wall time it costs (required for kind time)
//   floor               number: silent below this share
//   evidence            list of {text, args, when}; left out when an argument is unknown or `when` is not
//   true fixes               the same, with settings {name: expression}, and either gain {low, likely, high}
//   as factors
//                       or step {low, likely, high} in seconds per plain step
//   confidence          {high, medium: expressions; reason, args}; low when neither is true
//
// An argument is "EXPRESSION | UNIT" (units of format_measure; "floor" for a whole number) or "@FACT".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "diagnosis/expression.h"
#include "diagnosis/finding.h"

namespace forebay {

struct RuleArgument {
  std::optional<Expression> expression;
  std::string unit;
  std::string fact;  // instead of the expression
};

struct RuleText {
  std::string msgid;
  std::vector<RuleArgument> args;
  std::optional<Expression> when;
};

struct RuleFix {
  RuleText text;
  std::vector<std::pair<std::string, Expression>> settings;
  std::vector<Expression> gain;  // low, likely, high; empty = none
  std::vector<Expression> step;
};

struct Rule {
  std::string id;
  FindingKind kind = FindingKind::kTime;
  bool core = false;
  std::string title;
  std::string source;
  std::optional<Expression> needs, applies, when, share;
  double floor = 0;
  std::vector<RuleText> evidence;
  std::vector<RuleFix> fixes;
  std::optional<Expression> high, medium;
  RuleText reason;
};

// Hostile input is refused with the rule and the key in the error: unknown keys, bad expressions, names that
// no metric has, more than 200 rules, more than 256 KiB.
Result<std::vector<Rule>> parse_rules(std::string_view yaml, const std::string& name);

// The rules carried in the binary; parsed at the first call. A rule file that does not parse is a defect of
// the build: it is left out, and built_in_rule_faults() says so.
const std::vector<Rule>& built_in_rules();
const std::vector<Error>& built_in_rule_faults();

// What a rule makes of one run.
struct Judgement {
  std::optional<Finding> finding;
  std::optional<NotJudged> not_judged;
};
Judgement judge(const Rule& rule, const MetricSet& metrics);

}  // namespace forebay
