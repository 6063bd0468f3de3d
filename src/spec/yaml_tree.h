// YAML as a bounded tree with positions; yaml-cpp stays behind yaml_tree.cc. Stricter than YAML where people
// are bitten: duplicate keys, unclosed quotes, tags and keys that are no plain words are problems.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

struct YamlPosition {
  int line = 0;    // from 1; 0: nowhere
  int column = 0;  // in characters, from 1
};

struct YamlNode;
// Shared because an alias is the same node again.
using YamlNodePtr = std::shared_ptr<const YamlNode>;

struct YamlMember {
  std::string key;
  YamlPosition position;  // of the key
  YamlNodePtr value;      // never null
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  Kind kind = Kind::kNull;
  bool is_plain = false;  // a scalar that is not quoted, so that 3.10 is a number to YAML
  std::string text;       // of a scalar, as written
  std::vector<YamlNodePtr> items;
  std::vector<YamlMember> members;  // unique keys, merge keys resolved
  YamlPosition position;
  std::size_t weight = 1;  // nodes below and including this one, aliases counted each time

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_mapping() const { return kind == Kind::kMapping; }
  const YamlNode* find(std::string_view key) const;
};

struct YamlProblem {
  YamlPosition position;
  std::string sentence;
};

struct YamlDocument {
  YamlNodePtr root;  // null when the text could not be read to the end of the first document
  bool has_more_documents = false;
  YamlPosition second_document;
  std::vector<YamlProblem> problems;
};

inline constexpr std::size_t kMaximumYamlDepth = 32;
inline constexpr std::size_t kMaximumYamlNodes = 20'000;

// `text` must be UTF-8 with line feeds only, as check_source_text gives it.
YamlDocument read_yaml(const std::string& text);

}  // namespace forebay
