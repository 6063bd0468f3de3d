#include "environment/shell_words.h"

#include <algorithm>
#include <cctype>

namespace forebay {
namespace {

constexpr std::size_t kTextLimit = 64 << 10;
constexpr std::size_t kWordLimit = 4096;

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text.substr(0, kTextLimit)) {}

  std::vector<std::vector<std::string>> run() {
    while (at_ < text_.size() && words_ < kWordLimit) step();
    end_command();
    return std::move(commands_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
      end_command();
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      ++at_;
    } else if (c == '#' && !in_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '\\') {
      if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') word_ += text_[at_ + 1], in_word_ = true;
      at_ += 2;
    } else if (c == '<' || c == '>') {
      redirection();
    } else {
      word_ += c;
      in_word_ = true;
      ++at_;
    }
  }

  void quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
          std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string_view::npos)
        ++at_;
      word_ += text_[at_];
    }
    ++at_;
  }

  // "2>&1", "> file", "<<EOF": neither the sign nor the number before it nor the name after it is a word.
  void redirection() {
    if (std::all_of(word_.begin(), word_.end(), [](unsigned char c) { return std::isdigit(c); }))
      word_.clear(), in_word_ = false;
    end_word();
    while (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>' || text_[at_] == '&')) ++at_;
    skip_word_ = true;
  }

  void end_word() {
    if (!in_word_) return;
    if (skip_word_)
      skip_word_ = false;
    else
      command_.push_back(std::move(word_)), ++words_;
    word_.clear();
    in_word_ = false;
  }

  void end_command() {
    end_word();
    skip_word_ = false;
    if (!command_.empty()) commands_.push_back(std::move(command_));
    command_.clear();
  }

  std::string_view text_;
  std::size_t at_ = 0, words_ = 0;
  std::string word_;
  bool in_word_ = false, skip_word_ = false;
  std::vector<std::string> command_;
  std::vector<std::vector<std::string>> commands_;
};

}  // namespace

std::vector<std::vector<std::string>> split_shell_line(std::string_view line) {
  return Splitter(line).run();
}

std::string shell_quoted(std::string_view word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == '=' ||
           c == '+' || c == ',' || c == '@' || c == '%';
  });
  if (is_plain) return std::string(word);
  std::string text = "'";
  for (char c : word)
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  return text + "'";
}

}  // namespace forebay
