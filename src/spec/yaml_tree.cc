#include "spec/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "spec/sentence.h"
#include "spec/yaml_message.h"

namespace forebay {
namespace {

// Thrown out of an event to end the parse; never leaves this file.
struct StopReading {};

// Lines of the text, to turn the parser's byte columns into characters and to show what it pointed at.
class LineTable {
 public:
  explicit LineTable(const std::string& text) : text_(text) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }
  std::string_view line(int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= starts_.size()) return {};
    const std::size_t start = starts_[static_cast<std::size_t>(index)];
    return std::string_view(text_).substr(start, text_.find('\n', start) - start);
  }
  YamlPosition position(const YAML::Mark& mark) const {
    if (mark.line < 0) return {};
    const std::string_view before =
        line(mark.line).substr(0, static_cast<std::size_t>(std::max(mark.column, 0)));
    const auto continuations =
        std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) == 0x80; });
    return {mark.line + 1, static_cast<int>(before.size()) - static_cast<int>(continuations) + 1};
  }
  std::string_view from(const YAML::Mark& mark) const {
    return std::string_view(text_).substr(
        std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size()));
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> starts_;
};

// Where to point: for a bad escape the parser's own mark may lie lines behind the backslash.
YAML::Mark place_of(const YAML::Exception& fault, const std::string& text) {
  YAML::Mark mark = fault.mark;
  const bool is_escape = is_escape_fault(fault.msg);
  const std::size_t backslash =
      is_escape && mark.pos >= 0 ? text.rfind('\\', static_cast<std::size_t>(mark.pos)) : std::string::npos;
  if (backslash == std::string::npos) return mark;
  mark.pos = static_cast<int>(backslash);
  mark.line = static_cast<int>(std::count(text.begin(), text.begin() + mark.pos, '\n'));
  const std::size_t line_end = text.rfind('\n', backslash);
  mark.column = static_cast<int>(line_end == std::string::npos ? backslash : backslash - line_end - 1);
  return mark;
}

// A quoted scalar as it stands in the file, after its anchor and tag.
struct QuotedText {
  bool is_closed = true;
  int lines = 0;  // line ends inside
};

std::optional<QuotedText> quoted_text_at(std::string_view text) {
  while (text.starts_with('&') || text.starts_with('!')) {
    const std::size_t end = text.find_first_of(" \t\n");
    const std::size_t next = text.find_first_not_of(" \t\n", end);
    if (end == std::string_view::npos || next == std::string_view::npos) return std::nullopt;
    text.remove_prefix(next);
  }
  if (!text.starts_with('"') && !text.starts_with('\'')) return std::nullopt;
  const char quote = text.front();
  QuotedText found{false, 0};
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\n') ++found.lines;
    if (quote == '"' && text[i] == '\\') {
      if (i + 1 < text.size() && text[i + 1] == '\n') ++found.lines;
      ++i;
    } else if (text[i] == quote) {
      if (quote == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
        ++i;
        continue;
      }
      found.is_closed = true;
      break;
    }
  }
  return found;
}

// Builds the tree from the parser's events; every bound is checked here, while the parser is still running.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const LineTable& lines, YamlDocument& document) : lines_(lines), document_(document) {}

  int open_quote_line_ = 0;  // of the last scalar, if it was quoted and spans lines

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    document_.has_more_documents = true;
    const bool is_separated = mark.line > 0 && follows_separator(mark.line);
    if (!is_separated) {
      document_.root = nullptr;
      stop(mark, std::string(tr("This line is indented less than the lines above it. All keys of one level "
                                "begin in the same column.")));
    }
    document_.second_document = lines_.position(mark);
    throw StopReading{};
  }
  void OnDocumentEnd() override { document_.root = std::move(root_); }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) {
      problem(mark, std::string(tr("A key is missing before the colon.")));
      open_.back().key = std::string();
      open_.back().is_key_usable = false;
      open_.back().key_position = lines_.position(mark);
      return;
    }
    auto node = new_node(mark, YamlNode::Kind::kNull);
    add(anchor, std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_quote(mark);
    if (expects_key()) return take_key(mark, value, tag == "?");
    auto node = new_node(mark, YamlNode::Kind::kScalar);
    node->text = value;
    node->is_plain = tag == "?" || is_core_tag(tag, false);
    if (!node->is_plain && tag != "!" && !is_core_tag(tag, true)) {
      refuse_tag(mark, tag);
      node->text = tag + value;  // not empty, so that nothing else is said about it
    }
    add(anchor, std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      stop(mark, std::string(tr("This alias (*) stands inside the very value that it repeats.")));
    if (expects_key()) {
      if (!found->second->is_scalar()) return not_a_word(mark);
      return take_key(mark, found->second->text, false);
    }
    count(found->second->weight, mark);
    add_child(found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, anchor, YamlNode::Kind::kMapping);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    std::optional<std::string> key;  // read, its value not yet
    YamlPosition key_position;
    bool is_key_usable = true;
    bool is_merge = false;
    std::map<std::string, int> first_lines;
    std::vector<YamlNodePtr> merged;
  };

  void problem(const YAML::Mark& mark, std::string sentence) {
    document_.problems.push_back({lines_.position(mark), std::move(sentence)});
  }
  [[noreturn]] void stop(const YAML::Mark& mark, std::string sentence) {
    problem(mark, std::move(sentence));
    throw StopReading{};
  }
  bool follows_separator(int line) const {
    for (int i = line; i >= 0; --i) {
      const std::string_view text = lines_.line(i);
      if (text.starts_with("---") || text.starts_with("...")) return true;
      if (i < line && text.find_first_not_of(" \t") != std::string_view::npos && !text.starts_with('#') &&
          !text.starts_with('%'))
        return false;
    }
    return false;
  }
  bool expects_key() const { return !open_.empty() && open_.back().node->is_mapping() && !open_.back().key; }
  static bool is_core_tag(const std::string& tag, bool is_text) {
    if (is_text) return tag == "tag:yaml.org,2002:str";
    return tag == "tag:yaml.org,2002:int" || tag == "tag:yaml.org,2002:float" ||
           tag == "tag:yaml.org,2002:bool";
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    problem(mark, say(tr("The tag {0} has no meaning in a job file. Remove it, or put the value in quotes."),
                      shown(tag)));
  }
  void check_quote(const YAML::Mark& mark) {
    const auto quoted = quoted_text_at(lines_.from(mark));
    open_quote_line_ = quoted && quoted->lines > 0 ? mark.line + 1 : 0;
    if (quoted && !quoted->is_closed) {
      document_.root = nullptr;
      stop(mark, std::string(tr("The quoted text that begins here is never closed.")));
    }
  }
  std::shared_ptr<YamlNode> new_node(const YAML::Mark& mark, YamlNode::Kind kind) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->position = lines_.position(mark);
    last_mark_ = mark;
    return node;
  }
  void not_a_word(const YAML::Mark& mark) {
    stop(mark, std::string(tr("A key is a single word; a list or a mapping stands here in its place.")));
  }
  void take_key(const YAML::Mark& mark, const std::string& text, bool is_plain) {
    Open& open = open_.back();
    open.key = text;
    open.key_position = lines_.position(mark);
    open.is_merge = is_plain && text == "<<";
    open.is_key_usable = true;
    if (open.is_merge) return;
    const auto [first, is_new] = open.first_lines.try_emplace(text, mark.line + 1);
    if (is_new) return;
    open.is_key_usable = false;
    problem(mark, say(tr("{0} is given twice; the first time in line {1}."), shown(text), first->second));
  }
  void start(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    if (expects_key()) not_a_word(mark);
    if (open_.size() >= kMaximumYamlDepth)
      stop(mark, std::string(tr("This is nested too deeply for a job file.")));
    if (tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:map" && tag != "tag:yaml.org,2002:seq" &&
        !tag.empty())
      refuse_tag(mark, tag);
    Open open;
    open.node = new_node(mark, kind);
    open.anchor = anchor;
    open.mark = mark;
    open_.push_back(std::move(open));
  }
  void end() {
    Open open = std::move(open_.back());
    open_.pop_back();
    for (const YamlNodePtr& merged : open.merged) merge(*open.node, *merged, open.mark);
    last_mark_ = open.mark;
    add(open.anchor, std::move(open.node));
  }
  // YAML's merge key: what is written in the mapping itself wins, then the earlier of the merged ones.
  void merge(YamlNode& node, const YamlNode& from, const YAML::Mark& mark) {
    if (from.is_sequence()) {
      for (const YamlNodePtr& item : from.items) merge(node, *item, mark);
      return;
    }
    if (!from.is_mapping())
      return problem(mark, std::string(tr("\"<<\" takes a mapping, or a list of them.")));
    std::set<std::string_view> present;
    for (const YamlMember& member : node.members) present.insert(member.key);
    std::vector<YamlMember> added;
    for (const YamlMember& member : from.members)
      if (!present.contains(member.key)) added.push_back(member);
    for (YamlMember& member : added) {
      count(member.value->weight, mark);
      node.weight += member.value->weight;
      node.members.push_back(std::move(member));
    }
  }
  void count(std::size_t weight, const YAML::Mark& mark) {
    total_ += weight;
    if (total_ > kMaximumYamlNodes)
      stop(mark, say(tr("This file unfolds to more than {0} values, aliases counted. That is too much for a "
                        "job file."),
                     kMaximumYamlNodes));
  }
  void add(YAML::anchor_t anchor, std::shared_ptr<YamlNode> node) {
    if (anchor != 0) anchors_[anchor] = node;
    count(1, last_mark_);
    add_child(std::move(node));
  }
  void add_child(YamlNodePtr node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& open = open_.back();
    open.node->weight += node->weight;
    if (open.node->is_sequence()) {
      open.node->items.push_back(std::move(node));
      return;
    }
    const std::string key = *std::exchange(open.key, std::nullopt);
    if (open.is_merge) {
      open.merged.push_back(std::move(node));
    } else if (open.is_key_usable) {
      open.node->members.push_back({key, open.key_position, std::move(node)});
    }
  }

  const LineTable& lines_;
  YamlDocument& document_;
  YamlNodePtr root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNodePtr> anchors_;
  YAML::Mark last_mark_;
  std::size_t total_ = 0;
  int documents_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlMember& member : members)
    if (member.key == key) return member.value.get();
  return nullptr;
}

YamlDocument read_yaml(const std::string& text) {
  YamlDocument document;
  const LineTable lines(text);
  TreeBuilder builder(lines, document);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const StopReading&) {
  } catch (const YAML::Exception& fault) {
    document.root = nullptr;
    const YamlFault told{fault.msg, lines.line(fault.mark.line),
                         static_cast<std::size_t>(std::max(fault.mark.column, 0)), builder.open_quote_line_};
    document.problems.push_back({lines.position(place_of(fault, text)), explain_yaml_fault(told)});
  } catch (const std::exception& fault) {
    document.root = nullptr;
    document.problems.push_back({{}, say(tr("This is not YAML: {0}."), fault.what())});
  }
  if (document.problems.empty() && document.root == nullptr) document.root = std::make_shared<YamlNode>();
  return document;
}

}  // namespace forebay
