// Declaring and parsing the options of one verb. CLI11 stays behind command_line.cc. The same declarations
// make --help and shell completion.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace forebay {

struct OptionInfo {
  std::string names;       // "-f,--follow"
  std::string value_name;  // "DURATION", empty for a flag
  std::string help;        // translated
  std::vector<std::string> choices;
};

struct PositionalInfo {
  std::string name;  // "RUN"
  std::string help;
  bool required = false;
  bool many = false;
};

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Targets must outlive parse(). Help texts are English msgids.
  void flag(const std::string& names, bool& target, std::string_view help);
  void option(const std::string& names, std::string& target, const std::string& value_name,
              std::string_view help, std::vector<std::string> choices = {});
  void option(const std::string& names, std::optional<std::string>& target, const std::string& value_name,
              std::string_view help);
  void option_list(const std::string& names, std::vector<std::string>& target, const std::string& value_name,
                   std::string_view help);
  // Words of a closed list, separated by commas and repeatable: "failed,running".
  void option_words(const std::string& names, std::vector<std::string>& target, const std::string& value_name,
                    std::string_view help, std::vector<std::string> choices);
  // Values that completion offers for an option whose values somebody else judges.
  void suggest(std::string_view names, std::vector<std::string> values);
  void positional(const std::string& name, std::string& target, std::string_view help, bool required = true);
  void positional_list(const std::string& name, std::vector<std::string>& target, std::string_view help,
                       bool required = true);
  // Everything after "--", untouched.
  void command(std::vector<std::string>& target, std::string_view help);

  // `arguments` without the program and verb. kInvalidInput names the option and the nearest known one.
  Result<void> parse(const std::vector<std::string>& arguments);

  const std::vector<OptionInfo>& options() const { return options_; }
  const std::vector<PositionalInfo>& positionals() const { return positionals_; }
  bool takes_command() const { return command_ != nullptr; }

 private:
  std::vector<std::string> known_names() const;
  Result<void> check_names(const std::vector<std::string>& arguments) const;
  Result<void> check_values() const;
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::vector<OptionInfo> options_;
  std::vector<PositionalInfo> positionals_;
  std::vector<std::string>* command_ = nullptr;
};

// The word is none of `choices`: says which there are, and which is near.
Error no_such_value(const std::string& option, const std::string& word,
                    const std::vector<std::string>& choices);

// The candidate with the smallest edit distance to `word`, when it is close enough to be meant.
std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace forebay
