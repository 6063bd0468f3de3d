// The table of verbs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"

namespace forebay {

// What one verb does, made anew for every use.
class Verb {
 public:
  virtual ~Verb() = default;
  virtual void declare(CommandLine& line) = 0;
  // The process's exit code; an error is printed by the caller and becomes exit_code_for(error).
  virtual Result<int> run(const Console& console) = 0;
};

struct VerbInfo {
  const char* name;         // "run", "job check"
  const char* group;        // msgid of its heading in the overview; "" hides it
  const char* summary;      // msgid, one line
  const char* description;  // msgid, paragraphs
  const char* examples;     // "$ command\n  what it does\n", English commands with msgid comments
  std::unique_ptr<Verb> (*make)();
};

std::span<const VerbInfo> verb_table();
const VerbInfo* find_verb(std::string_view name);

// Pages of help.
std::string overview_page(int width);
std::string verb_page(const VerbInfo& verb, int width);

// Options every verb has.
struct CommonOptions {
  bool json = false;
  std::string colour = "auto";
  std::string language;
  void declare(CommandLine& line);
};

// Parses and runs one command line (without the program's name).
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace forebay
