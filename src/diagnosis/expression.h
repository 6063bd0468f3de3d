// Small expressions over metrics, for rules: numbers, metric names, + - * /, comparisons, and / or / not, and
// a few functions. Three-valued: what was not measured is unknown, and an unknown operand makes the result
// unknown, except where the other operand decides alone (false and x = false; true or x = true). A 0 never
// stands in for an unknown.
//
//   min(a, b, …)  max(a, b, …)   unknown when one is
//   known(x)                     true or false, never unknown
//   either(a, b)                 a, or b where a is unknown
//   is(fact, "text")             whether a fact has that value; unknown when the fact is
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "diagnosis/metrics.h"

namespace forebay {

class Expression {
 public:
  // At most 2,000 characters, 400 nodes and 40 levels; every error names the place.
  static Result<Expression> parse(std::string_view text);

  // The value, booleans as 0 and 1; nothing when unknown (also for a division by zero). The metrics that made
  // it unknown are added to `missing` where one is given.
  std::optional<double> evaluate(const MetricSet& metrics, std::set<std::string>* missing = nullptr) const;
  // All metric and fact names in it, so that a rule with a misspelt name can be refused.
  std::set<std::string> names() const;
  const std::string& text() const { return text_; }

  struct Node;
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

 private:
  Expression(std::string text, std::unique_ptr<Node> root);
  std::string text_;
  std::unique_ptr<Node> root_;
};

}  // namespace forebay
