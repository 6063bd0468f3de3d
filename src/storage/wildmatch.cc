#include "storage/wildmatch.h"

#include <cctype>
#include <cstddef>

namespace forebay {
namespace {

// kNeverHere: no later position of the enclosing "*" can match either. kNeverBeforeSlash: only a "**" further
// out can help.
enum class Match { kYes, kNo, kNeverHere, kNeverBeforeSlash };

constexpr int kStepLimit = 200'000;

bool in_class(std::string_view name, unsigned char c, bool& is_known) {
  is_known = true;
  if (name == "alnum") return std::isalnum(c) != 0;
  if (name == "alpha") return std::isalpha(c) != 0;
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return std::iscntrl(c) != 0;
  if (name == "digit") return std::isdigit(c) != 0;
  if (name == "graph") return std::isgraph(c) != 0;
  if (name == "lower") return std::islower(c) != 0;
  if (name == "print") return std::isprint(c) != 0;
  if (name == "punct") return std::ispunct(c) != 0;
  if (name == "space") return std::isspace(c) != 0;
  if (name == "upper") return std::isupper(c) != 0;
  if (name == "xdigit") return std::isxdigit(c) != 0;
  is_known = false;
  return false;
}

class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text, bool paths)
      : pattern_(pattern), text_(text), paths_(paths) {}
  bool run() { return match(0, 0) == Match::kYes; }

 private:
  // The byte, or NUL after the end: patterns and paths hold no NUL.
  unsigned char pattern_at(std::size_t i) const {
    return i < pattern_.size() ? static_cast<unsigned char>(pattern_[i]) : 0;
  }
  unsigned char text_at(std::size_t i) const {
    return i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0;
  }

  Match match(std::size_t p, std::size_t t) {
    for (; p < pattern_.size(); ++p, ++t) {
      if (++steps_ > kStepLimit) return Match::kNeverHere;
      const unsigned char want = pattern_at(p);
      if (want == '*') {
        bool goes_on = false;
        const Match result = match_star(p, t, goes_on);
        if (!goes_on) return result;
        continue;
      }
      if (t >= text_.size()) return Match::kNeverHere;
      if (want == '?') {
        if (paths_ && text_at(t) == '/') return Match::kNo;
      } else if (want == '[') {
        const Match result = match_set(p, text_at(t));
        if (result != Match::kYes) return result;
      } else {
        const unsigned char literal = want == '\\' ? pattern_at(++p) : want;
        if (literal != text_at(t)) return Match::kNo;
      }
    }
    return t == text_.size() ? Match::kYes : Match::kNo;
  }

  // At pattern[p] == '*'. When "*/" consumed a whole component, sets goes_on with p and t on the two slashes.
  Match match_star(std::size_t& p, std::size_t& t, bool& goes_on) {
    const std::size_t first = p;
    while (pattern_at(p) == '*') ++p;
    bool crosses_slash = !paths_;
    if (paths_ && p - first >= 2) {
      const bool opens = first == 0 || pattern_at(first - 1) == '/';
      const bool closes =
          p >= pattern_.size() || pattern_at(p) == '/' || (pattern_at(p) == '\\' && pattern_at(p + 1) == '/');
      if (opens && closes) {
        // "**/" may stand for nothing.
        if (pattern_at(p) == '/' && match(p + 1, t) == Match::kYes) return Match::kYes;
        crosses_slash = true;
      }
    }
    if (p >= pattern_.size()) {
      if (!crosses_slash && text_.find('/', t) != std::string_view::npos) return Match::kNeverBeforeSlash;
      return Match::kYes;
    }
    if (!crosses_slash && pattern_at(p) == '/') {
      const std::size_t slash = text_.find('/', t);
      if (slash == std::string_view::npos) return Match::kNeverHere;
      t = slash;
      goes_on = true;
      return Match::kNo;
    }
    for (; t < text_.size(); ++t) {
      const Match result = match(p, t);
      if (result != Match::kNo) {
        if (!crosses_slash || result != Match::kNeverBeforeSlash) return result;
      } else if (!crosses_slash && text_at(t) == '/') {
        return Match::kNeverBeforeSlash;
      }
    }
    return Match::kNeverHere;
  }

  // At pattern[p] == '['; leaves p on the closing bracket.
  Match match_set(std::size_t& p, unsigned char c) {
    ++p;
    const bool is_negated = pattern_at(p) == '!' || pattern_at(p) == '^';
    if (is_negated) ++p;
    bool is_in = false;
    unsigned char previous = 0;
    bool is_first = true;
    for (; is_first || pattern_at(p) != ']'; ++p, is_first = false) {
      if (p >= pattern_.size()) return Match::kNeverHere;
      unsigned char member = pattern_at(p);
      if (member == '\\') {
        member = pattern_at(++p);
        if (member == 0) return Match::kNeverHere;
        is_in |= c == member;
      } else if (member == '-' && previous != 0 && pattern_at(p + 1) != 0 && pattern_at(p + 1) != ']') {
        member = pattern_at(++p);
        if (member == '\\') member = pattern_at(++p);
        if (member == 0) return Match::kNeverHere;
        is_in |= c >= previous && c <= member;
        member = 0;
      } else if (member == '[' && pattern_at(p + 1) == ':') {
        const std::size_t end = pattern_.find(']', p + 2);
        if (end == std::string_view::npos) return Match::kNeverHere;
        if (end < p + 3 || pattern_at(end - 1) != ':') {
          is_in |= c == '[';  // no ":]": an ordinary set
        } else {
          bool is_known = false;
          is_in |= in_class(pattern_.substr(p + 2, end - p - 3), c, is_known);
          if (!is_known) return Match::kNeverHere;
          p = end;
          member = 0;
        }
      } else {
        is_in |= c == member;
      }
      previous = member;
    }
    if (is_in == is_negated || (paths_ && c == '/')) return Match::kNo;
    return Match::kYes;
  }

  std::string_view pattern_, text_;
  bool paths_;
  int steps_ = 0;
};

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view text, bool paths) {
  return Matcher(pattern, text, paths).run();
}

}  // namespace forebay
