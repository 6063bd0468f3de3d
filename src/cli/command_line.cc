#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace forebay {

struct CommandLine::Parser {
  CLI::App app;
  std::vector<std::pair<CLI::Option*, std::optional<std::string>*>> optionals;
  std::vector<std::unique_ptr<std::string>> storage;
  struct Choice {
    std::string option;
    std::string* word;                // one of these two
    std::vector<std::string>* words;  // as typed, then split at commas
    std::vector<std::string> choices;
    CLI::Option* given;
  };
  std::vector<Choice> choices;
};

namespace {
// "--last" of "-n,--last".
std::string long_name(const std::string& names) {
  const std::size_t at = names.find("--");
  return at == std::string::npos ? names : names.substr(at, names.find(',', at) - at);
}
}  // namespace

CommandLine::CommandLine() : parser_(std::make_unique<Parser>()) {
  parser_->app.set_help_flag();  // --help is handled before parsing
  parser_->app.allow_extras(false);
}
CommandLine::~CommandLine() = default;

void CommandLine::flag(const std::string& names, bool& target, std::string_view help) {
  parser_->app.add_flag(names, target);
  options_.push_back({names, "", std::string(tr(help)), {}});
}

void CommandLine::option(const std::string& names, std::string& target, const std::string& value_name,
                         std::string_view help, std::vector<std::string> choices) {
  CLI::Option* option = parser_->app.add_option(names, target);
  if (!choices.empty()) parser_->choices.push_back({long_name(names), &target, nullptr, choices, option});
  options_.push_back({names, value_name, std::string(tr(help)), std::move(choices)});
}

void CommandLine::option(const std::string& names, std::optional<std::string>& target,
                         const std::string& value_name, std::string_view help) {
  parser_->storage.push_back(std::make_unique<std::string>());
  CLI::Option* option = parser_->app.add_option(names, *parser_->storage.back());
  parser_->optionals.emplace_back(option, &target);
  options_.push_back({names, value_name, std::string(tr(help)), {}});
}

void CommandLine::option_list(const std::string& names, std::vector<std::string>& target,
                              const std::string& value_name, std::string_view help) {
  parser_->app.add_option(names, target)->expected(1)->allow_extra_args(false)->take_all();
  options_.push_back({names, value_name, std::string(tr(help)), {}});
}

void CommandLine::option_words(const std::string& names, std::vector<std::string>& target,
                               const std::string& value_name, std::string_view help,
                               std::vector<std::string> choices) {
  CLI::Option* option = parser_->app.add_option(names, target);
  option->expected(1)->allow_extra_args(false)->take_all();
  parser_->choices.push_back({long_name(names), nullptr, &target, choices, option});
  options_.push_back({names, value_name, std::string(tr(help)), std::move(choices)});
}

void CommandLine::suggest(std::string_view names, std::vector<std::string> values) {
  for (OptionInfo& option : options_)
    if (option.names == names) option.choices = values;
}

void CommandLine::positional(const std::string& name, std::string& target, std::string_view help,
                             bool required) {
  parser_->app.add_option(name, target)->required(required);
  positionals_.push_back({name, std::string(tr(help)), required, false});
}

void CommandLine::positional_list(const std::string& name, std::vector<std::string>& target,
                                  std::string_view help, bool required) {
  parser_->app.add_option(name, target)->required(required);
  positionals_.push_back({name, std::string(tr(help)), required, true});
}

void CommandLine::command(std::vector<std::string>& target, std::string_view help) {
  command_ = &target;
  positionals_.push_back({"-- COMMAND [ARGUMENT…]", std::string(tr(help)), false, true});
}

namespace {

Error misunderstood(std::string what, std::string cause) {
  return make_error(ErrorCode::kInvalidInput, "understand", std::move(what), std::move(cause));
}

// The parser's complaints in our words; its own only where there are none.
Error explain(const CLI::ParseError& error, const CommandLine& line) {
  const std::string text = error.what();
  const std::string command_line(tr("the command line"));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string word = text.substr(text.rfind(": ") == std::string::npos ? 0 : text.rfind(": ") + 2);
    return word.starts_with('-') ? misunderstood(word, std::string(tr("there is no such option here")))
                                 : misunderstood(word, std::string(tr("there is one word too many")));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    for (const PositionalInfo& positional : line.positionals())
      if (text.starts_with(positional.name))
        return misunderstood(command_line, fmt::format(fmt::runtime(tr("{0} is missing")), positional.name));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    for (const OptionInfo& option : line.options())
      if (!option.value_name.empty() && text.starts_with(option.names.substr(option.names.rfind(',') + 1)))
        return misunderstood(command_line, fmt::format(fmt::runtime(tr("{0} needs a value: {1}")),
                                                       long_name(option.names), option.value_name));
  return misunderstood(command_line, text);
}

std::vector<std::string> split_at_commas(const std::vector<std::string>& typed) {
  std::vector<std::string> words;
  for (const std::string& each : typed)
    for (std::size_t at = 0; at <= each.size();) {
      const std::size_t comma = std::min(each.find(',', at), each.size());
      words.push_back(each.substr(at, comma - at));
      at = comma + 1;
    }
  return words;
}

}  // namespace

Error no_such_value(const std::string& option, const std::string& word,
                    const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  const auto near = nearest_word(word, choices);
  return make_error(ErrorCode::kInvalidInput, "understand", option + " " + (word.empty() ? "\"\"" : word),
                    fmt::format(fmt::runtime(tr("there are only: {0}")), list),
                    near ? fmt::format(fmt::runtime(tr("Did you mean {0}?")), *near) : "");
}

std::vector<std::string> CommandLine::known_names() const {
  std::vector<std::string> known;
  for (const OptionInfo& option : options_)
    for (std::string& name : split_at_commas({option.names})) known.push_back(std::move(name));
  return known;
}

Result<void> CommandLine::check_names(const std::vector<std::string>& arguments) const {
  const std::vector<std::string> known = known_names();
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || argument.size() < 3) continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest_word(name, known);
    return make_error(ErrorCode::kInvalidInput, "understand", name,
                      std::string(tr("there is no such option here")),
                      near ? fmt::format(fmt::runtime(tr("Did you mean {0}?")), *near) : "");
  }
  return {};
}

Result<void> CommandLine::check_values() const {
  for (const Parser::Choice& each : parser_->choices) {
    if (each.given->count() == 0) continue;
    if (each.words != nullptr) *each.words = split_at_commas(*each.words);
    for (const std::string& word : each.words != nullptr ? *each.words : std::vector<std::string>{*each.word})
      if (std::find(each.choices.begin(), each.choices.end(), word) == each.choices.end())
        return no_such_value(each.option, word, each.choices);
  }
  return {};
}

Result<void> CommandLine::parse(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> own(arguments.begin(), command_ != nullptr ? dashes : arguments.end());
  if (command_ != nullptr && dashes != arguments.end()) command_->assign(dashes + 1, arguments.end());
  FOREBAY_CHECK(check_names(own));
  std::reverse(own.begin(), own.end());
  try {
    parser_->app.parse(own);
  } catch (const CLI::ParseError& error) {
    return explain(error, *this);
  }
  for (auto& [option, target] : parser_->optionals)
    if (option->count() > 0) *target = option->as<std::string>();
  return check_values();
}

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  // A word that shares nothing with a candidate was not meant to be it.
  std::size_t best_distance = std::min(std::max<std::size_t>(3, word.size() / 3 + 1), word.size());
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace forebay
