#include "diagnosis/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace forebay {

namespace {
enum class Kind {
  kNumber,
  kName,
  kText,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kNot,
  kMinimum,
  kMaximum,
  kKnown,
  kEither,
  kIs,
};
}  // namespace

struct Expression::Node {
  Kind kind = Kind::kNumber;
  double number = 0;
  std::string name;
  std::vector<std::unique_ptr<Node>> children;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::unique_ptr<Node>;
using Parsed = Result<NodePtr>;
constexpr std::size_t kLongestText = 2000;
constexpr int kMostNodes = 400;
constexpr int kDeepest = 40;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Recursive descent: or < and < not < comparison < sum < product < negation < primary.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Parsed parse() {
    FOREBAY_TRY(NodePtr node, disjunction());
    skip_space();
    if (at_ != text_.size()) return fault("something is left over");
    return node;
  }

 private:
  Error fault(const std::string& what) const {
    return make_error(ErrorCode::kInvalidInput, "read the expression",
                      fmt::format("\"{}\"", text_.substr(0, 80)),
                      fmt::format("{} at character {}", what, at_ + 1));
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    if (is_letter(token[0]) && at_ + token.size() < text_.size()) {
      const char next = text_[at_ + token.size()];
      if (is_letter(next) || is_digit(next)) return false;  // "order" is not "or"
    }
    at_ += token.size();
    return true;
  }
  Parsed make(Kind kind, NodePtr a, NodePtr b = nullptr) {
    if (++nodes_ > kMostNodes) return fault("it is too large");
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->children.push_back(std::move(a));
    if (b) node->children.push_back(std::move(b));
    return node;
  }

  Parsed disjunction() {
    FOREBAY_TRY(NodePtr left, conjunction());
    while (take("or")) {
      FOREBAY_TRY(NodePtr right, conjunction());
      FOREBAY_TRY(left, make(Kind::kOr, std::move(left), std::move(right)));
    }
    return left;
  }
  Parsed conjunction() {
    FOREBAY_TRY(NodePtr left, negation());
    while (take("and")) {
      FOREBAY_TRY(NodePtr right, negation());
      FOREBAY_TRY(left, make(Kind::kAnd, std::move(left), std::move(right)));
    }
    return left;
  }
  Parsed negation() {
    bool inverted = false;
    while (take("not")) inverted = !inverted;
    FOREBAY_TRY(NodePtr node, comparison());
    if (!inverted) return node;
    return make(Kind::kNot, std::move(node));
  }
  Parsed comparison() {
    static constexpr std::pair<std::string_view, Kind> kOperators[] = {
        {"<=", Kind::kLessOrEqual}, {">=", Kind::kGreaterOrEqual},
        {"==", Kind::kEqual},       {"!=", Kind::kNotEqual},
        {"<", Kind::kLess},         {">", Kind::kGreater}};
    FOREBAY_TRY(NodePtr left, sum());
    for (const auto& [token, kind] : kOperators)
      if (take(token)) {
        FOREBAY_TRY(NodePtr right, sum());
        return make(kind, std::move(left), std::move(right));
      }
    return left;
  }
  Parsed sum() {
    FOREBAY_TRY(NodePtr left, product());
    while (true) {
      const Kind kind = take("+") ? Kind::kAdd : take("-") ? Kind::kSubtract : Kind::kNumber;
      if (kind == Kind::kNumber) return left;
      FOREBAY_TRY(NodePtr right, product());
      FOREBAY_TRY(left, make(kind, std::move(left), std::move(right)));
    }
  }
  Parsed product() {
    FOREBAY_TRY(NodePtr left, signed_primary());
    while (true) {
      const Kind kind = take("*") ? Kind::kMultiply : take("/") ? Kind::kDivide : Kind::kNumber;
      if (kind == Kind::kNumber) return left;
      FOREBAY_TRY(NodePtr right, signed_primary());
      FOREBAY_TRY(left, make(kind, std::move(left), std::move(right)));
    }
  }
  Parsed signed_primary() {
    bool negative = false;
    while (take("-")) negative = !negative;
    FOREBAY_TRY(NodePtr node, primary());
    if (!negative) return node;
    return make(Kind::kNegate, std::move(node));
  }
  Parsed primary() {
    if (++nodes_ > kMostNodes) return fault("it is too large");
    skip_space();
    if (at_ >= text_.size()) return fault("a value is missing");
    if (take("(")) {
      if (++depth_ > kDeepest) return fault("it is nested too deeply");
      FOREBAY_TRY(NodePtr inner, disjunction());
      if (!take(")")) return fault("\")\" is missing");
      --depth_;
      return inner;
    }
    if (is_digit(text_[at_])) return number();
    if (is_letter(text_[at_])) return name_or_call();
    return fault("a value is missing");
  }
  Parsed number() {
    auto node = std::make_unique<Node>();
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node->number);
    if (error != std::errc() || !std::isfinite(node->number)) return fault("this is no number");
    at_ += static_cast<std::size_t>(end - begin);
    return node;
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  Parsed name_or_call() {
    const std::size_t begin = at_;
    auto node = std::make_unique<Node>();
    node->name = word();
    node->kind = Kind::kName;
    if (node->name == "true" || node->name == "false") {
      node->kind = Kind::kNumber;
      node->number = node->name == "true" ? 1 : 0;
      return node;
    }
    for (const std::string_view reserved : {"and", "or", "not"})
      if (node->name == reserved) {
        at_ = begin;
        return fault("a value is missing");
      }
    if (!take("(")) return node;
    if (++depth_ > kDeepest) return fault("it is nested too deeply");
    Parsed called = call(std::move(node));
    --depth_;
    return called;
  }
  Parsed call(NodePtr node) {
    struct Function {
      std::string_view name;
      Kind kind;
      std::size_t least, most;
    };
    static constexpr Function kFunctions[] = {{"min", Kind::kMinimum, 1, 9},
                                              {"max", Kind::kMaximum, 1, 9},
                                              {"known", Kind::kKnown, 1, 1},
                                              {"either", Kind::kEither, 2, 2},
                                              {"is", Kind::kIs, 2, 2}};
    const auto* function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                        [&](const Function& f) { return f.name == node->name; });
    if (function == std::end(kFunctions))
      return fault(fmt::format("there is no function \"{}\"", node->name));
    node->kind = function->kind;
    do {
      if (node->kind == Kind::kIs && node->children.size() == 1) {
        FOREBAY_TRY(NodePtr text, quoted());
        node->children.push_back(std::move(text));
      } else {
        FOREBAY_TRY(NodePtr argument, disjunction());
        node->children.push_back(std::move(argument));
      }
    } while (take(","));
    if (!take(")")) return fault("\")\" is missing");
    if (node->children.size() < function->least || node->children.size() > function->most)
      return fault(fmt::format("wrong number of arguments of \"{}\"", node->name));
    if (node->kind == Kind::kIs && node->children[0]->kind != Kind::kName)
      return fault("is() takes the name of a fact");
    return node;
  }
  Parsed quoted() {
    skip_space();
    const std::size_t end =
        at_ < text_.size() && text_[at_] == '"' ? text_.find('"', at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) return fault("a text in quotes is missing");
    auto node = std::make_unique<Node>();
    node->kind = Kind::kText;
    node->name = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int nodes_ = 0, depth_ = 0;
};

using Value = std::optional<double>;
using Missing = std::set<std::string>;

Value truth(bool value) {
  return value ? 1.0 : 0.0;
}

double apply(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::kAdd:
      return a + b;
    case Kind::kSubtract:
      return a - b;
    case Kind::kMultiply:
      return a * b;
    case Kind::kDivide:
      return a / b;
    case Kind::kLess:
      return a < b;
    case Kind::kLessOrEqual:
      return a <= b;
    case Kind::kGreater:
      return a > b;
    case Kind::kGreaterOrEqual:
      return a >= b;
    case Kind::kEqual:
      return a == b;
    case Kind::kNotEqual:
      return a != b;
    case Kind::kMinimum:
      return std::min(a, b);
    case Kind::kMaximum:
      return std::max(a, b);
    default:
      return a;
  }
}

class Evaluator {
 public:
  explicit Evaluator(const MetricSet& metrics) : metrics_(metrics) {}

  Value evaluate(const Node& node, Missing& missing) const {
    switch (node.kind) {
      case Kind::kNumber:
        return node.number;
      case Kind::kText:
        return std::nullopt;
      case Kind::kName:
        return look_up(node, missing);
      case Kind::kAnd:
        return logic(node, 0, missing);
      case Kind::kOr:
        return logic(node, 1, missing);
      case Kind::kKnown: {
        Missing ignored;
        return truth(evaluate(*node.children[0], ignored).has_value() ||
                     (node.children[0]->kind == Kind::kName && metrics_.fact(node.children[0]->name)));
      }
      case Kind::kEither: {
        Missing first;
        if (const Value value = evaluate(*node.children[0], first)) return value;
        const Value value = evaluate(*node.children[1], missing);
        if (!value) missing.merge(first);
        return value;
      }
      case Kind::kIs: {
        const auto fact = metrics_.fact(node.children[0]->name);
        if (!fact) missing.insert(node.children[0]->name);
        return fact ? truth(*fact == node.children[1]->name) : std::nullopt;
      }
      default:
        return arithmetic(node, missing);
    }
  }

 private:
  Value look_up(const Node& node, Missing& missing) const {
    const Value value = metrics_.get(node.name);
    if (!value) missing.insert(node.name);
    return value;
  }
  // Kleene's strong logic: `deciding` is the value that decides alone (0 for and, 1 for or).
  Value logic(const Node& node, double deciding, Missing& missing) const {
    Missing left_missing, right_missing;
    const Value left = evaluate(*node.children[0], left_missing);
    if (left && (*left != 0) == (deciding != 0)) return deciding;
    const Value right = evaluate(*node.children[1], right_missing);
    if (right && (*right != 0) == (deciding != 0)) return deciding;
    missing.merge(left_missing);
    missing.merge(right_missing);
    if (!left || !right) return std::nullopt;
    return 1 - deciding;
  }
  Value arithmetic(const Node& node, Missing& missing) const {
    Value result;
    bool unknown = false;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Value value = evaluate(*node.children[i], missing);
      if (!value)
        unknown = true;
      else if (i == 0)
        result = value;
      else if (!unknown)
        result = apply(node.kind, *result, *value);
    }
    if (unknown || !result) return std::nullopt;
    if (node.kind == Kind::kNegate) return -*result;
    if (node.kind == Kind::kNot) return truth(*result == 0);
    return std::isfinite(*result) ? result : std::nullopt;
  }

  const MetricSet& metrics_;
};

void collect(const Node& node, std::set<std::string>& names) {
  if (node.kind == Kind::kName) names.insert(node.name);
  for (const NodePtr& child : node.children) collect(*child, names);
}

}  // namespace

Expression::Expression(std::string text, std::unique_ptr<Node> root)
    : text_(std::move(text)), root_(std::move(root)) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > kLongestText)
    return make_error(ErrorCode::kInvalidInput, "read the expression",
                      fmt::format("\"{}…\"", text.substr(0, 40)), "it is too long");
  FOREBAY_TRY(NodePtr root, Parser(text).parse());
  return Expression(std::string(text), std::move(root));
}

std::optional<double> Expression::evaluate(const MetricSet& metrics, std::set<std::string>* missing) const {
  Missing found;
  const Value value = Evaluator(metrics).evaluate(*root_, found);
  if (!value && missing) missing->merge(found);
  return value;
}

std::set<std::string> Expression::names() const {
  std::set<std::string> names;
  collect(*root_, names);
  return names;
}

}  // namespace forebay
