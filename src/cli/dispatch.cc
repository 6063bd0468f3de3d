// From an argument list to a verb: global options, help, the nearest verb for a misspelt one.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/verbs.h"
#include "version.h"

namespace forebay {
namespace {

// --lang must be known before any text is made.
void choose_language(const std::vector<std::string>& arguments) {
  set_language(language_from_environment());
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--lang" && i + 1 < arguments.size()) set_language(arguments[i + 1]);
    if (arguments[i].starts_with("--lang=")) set_language(std::string_view(arguments[i]).substr(7));
  }
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

int unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbInfo& verb : verb_table())
    if (*verb.group != '\0') names.emplace_back(verb.name);
  const auto near = nearest_word(word, names);
  const std::string advice =
      near ? fmt::format(fmt::runtime(tr("Did you mean `forebay {0}`?")), *near)
           : std::string(
                 tr("`forebay help` lists the verbs; to run a program write `forebay run -- PROGRAM`."));
  make_console(false, "auto")
      .complain(make_error(ErrorCode::kInvalidInput, "understand", word,
                           std::string(tr("there is no such verb")), advice));
  return kExitUsage;
}

// The verb named by the first one or two words; `rest` gets what follows.
const VerbInfo* match_verb(const std::vector<std::string>& arguments, std::vector<std::string>& rest) {
  for (std::size_t words : {std::size_t{2}, std::size_t{1}}) {
    if (arguments.size() < words) continue;
    const std::string name = words == 2 ? arguments[0] + " " + arguments[1] : arguments[0];
    if (const VerbInfo* verb = find_verb(name)) {
      rest.assign(arguments.begin() + static_cast<std::ptrdiff_t>(words), arguments.end());
      return verb;
    }
  }
  return nullptr;
}

int run_verb(const VerbInfo& info, const std::vector<std::string>& rest) {
  if (asks_for_help(rest)) {
    const Console console = make_console(false, "auto");
    console.print(verb_page(info, console.width));
    return 0;
  }
  const auto verb = info.make();
  CommonOptions common;
  CommandLine line;
  verb->declare(line);
  common.declare(line);
  auto parsed = line.parse(rest);
  const Console console = make_console(common.json, common.colour);
  if (!parsed) {
    Error error = parsed.error();
    if (error.advice.empty())
      error.advice = fmt::format(fmt::runtime(tr("See `forebay {0} --help`.")), info.name);
    console.complain(error);
    return kExitUsage;
  }
  auto code = verb->run(console);
  if (code) return *code;
  console.complain(code.error());
  return exit_code_for(code.error());
}

}  // namespace

void CommonOptions::declare(CommandLine& line) {
  line.flag("--json", json, "print JSON for programs instead of text for people");
  line.option("--color,--colour", colour, "WHEN", "colours: auto, always or never",
              {"auto", "always", "never"});
  line.option("--lang", language, "LANGUAGE",
              "language of texts: en or zh_CN (default: from the environment)");
}

int run_command_line(const std::vector<std::string>& arguments) {
  choose_language(arguments);
  std::vector<std::string> words = arguments;
  // Options before the verb: `forebay --lang zh_CN ps`.
  std::vector<std::string> moved;
  while (!words.empty() && words.front().starts_with("--lang")) {
    const std::size_t count = words.front() == "--lang" && words.size() > 1 ? 2 : 1;
    moved.insert(moved.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const Console console = make_console(false, "auto");
  if (words.empty() || words.front() == "--help" || words.front() == "-h") {
    console.print(overview_page(console.width));
    return words.empty() ? kExitUsage : 0;
  }
  if (words.front() == "--version" || words.front() == "-V" || words.front() == "version") {
    console.print(fmt::format("forebay {}\n", FOREBAY_VERSION));
    return 0;
  }
  std::vector<std::string> rest;
  const VerbInfo* verb = match_verb(words, rest);
  if (verb == nullptr) return unknown_verb(words.front());
  rest.insert(rest.begin(), moved.begin(), moved.end());
  return run_verb(*verb, rest);
}

}  // namespace forebay
