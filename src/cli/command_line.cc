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
};

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
  if (!choices.empty()) option->check(CLI::IsMember(choices));
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

Error CommandLine::explain(const std::string& what) const {
  return make_error(ErrorCode::kInvalidInput, "understand", "the command line", what);
}

Result<void> CommandLine::parse(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> own(arguments.begin(), command_ != nullptr ? dashes : arguments.end());
  if (command_ != nullptr && dashes != arguments.end()) command_->assign(dashes + 1, arguments.end());
  std::vector<std::string> known;
  for (const OptionInfo& option : options_)
    for (std::size_t at = 0; at != std::string::npos && at < option.names.size();) {
      const std::size_t comma = option.names.find(',', at);
      known.push_back(option.names.substr(at, comma == std::string::npos ? comma : comma - at));
      at = comma == std::string::npos ? comma : comma + 1;
    }
  for (const std::string& argument : own) {
    if (argument == "--") break;
    if (!argument.starts_with("--") || argument.size() < 3) continue;
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest_word(name, known);
    return make_error(ErrorCode::kInvalidInput, "understand", name,
                      std::string(tr("there is no such option here")),
                      near ? fmt::format(fmt::runtime(tr("Did you mean {0}?")), *near) : "");
  }
  std::reverse(own.begin(), own.end());
  try {
    parser_->app.parse(own);
  } catch (const CLI::ParseError& error) {
    return explain(error.what());
  }
  for (auto& [option, target] : parser_->optionals)
    if (option->count() > 0) *target = option->as<std::string>();
  return {};
}

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
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
