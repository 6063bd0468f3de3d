// From an argument list to a verb: global options, help, the nearest verb for a misspelt one.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "cli/verbs.h"
#include "version.h"

namespace forebay {
namespace {

// The arguments that are ours: up to "--".
std::span<const std::string> own_arguments(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  return {arguments.begin(), dashes};
}

// --lang must be known before any text is made. A language of the environment that we lack is passed over;
// one that was asked for is not.
Result<void> choose_language(const std::vector<std::string>& arguments) {
  set_language(language_from_environment());
  const auto own = own_arguments(arguments);
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::string name;
    if (own[i] == "--lang" && i + 1 < own.size())
      name = own[++i];
    else if (own[i].starts_with("--lang="))
      name = own[i].substr(7);
    else
      continue;
    const auto language = language_named(name);
    if (!language) return no_such_value("--lang", name, languages());
    set_language(*language);
  }
  return {};
}

// Known before parsing, so that a command line which cannot be parsed is answered in JSON too.
bool asks_for_json(const std::vector<std::string>& arguments) {
  return std::ranges::find(own_arguments(arguments), "--json") != own_arguments(arguments).end();
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

int unknown_verb(const std::string& word, const Console& console) {
  std::vector<std::string> names;
  for (const VerbInfo& verb : verb_table())
    if (*verb.group != '\0') names.emplace_back(verb.name);
  const auto near = nearest_word(word, names);
  const std::string advice =
      near ? fmt::format(fmt::runtime(tr("Did you mean `forebay {0}`?")), *near)
           : std::string(
                 tr("`forebay help` lists the verbs; to run a program write `forebay run -- PROGRAM`."));
  console.complain(make_error(ErrorCode::kInvalidInput, "understand", word,
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
  const Console console = make_console(common.json || asks_for_json(rest), common.colour);
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
  line.suggest("--lang", languages());
}

namespace {

// Options that every verb has may stand before it: `forebay --lang zh_CN --json ps`. They move behind it.
std::vector<std::string> take_leading_options(std::vector<std::string>& words) {
  std::vector<std::string> moved;
  while (!words.empty()) {
    const std::string name = words.front().substr(0, words.front().find('='));
    const bool has_value = name == "--lang" || name == "--color" || name == "--colour";
    if (!has_value && words.front() != "--json") break;
    const std::size_t count = has_value && name == words.front() && words.size() > 1 ? 2 : 1;
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
    moved.insert(moved.end(), words.begin(), end);
    words.erase(words.begin(), end);
  }
  return moved;
}

int no_verb(const Console& console) {
  if (console.json)
    console.complain(make_error(ErrorCode::kInvalidInput, "understand", std::string(tr("the command line")),
                                std::string(tr("it names no verb")),
                                std::string(tr("`forebay help` lists the verbs; to run a program write "
                                               "`forebay run -- PROGRAM`."))));
  else
    console.print(overview_page(console.width));
  return kExitUsage;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  const auto language = choose_language(arguments);
  const Console console = make_console(asks_for_json(arguments), "auto");
  if (!language) {
    console.complain(language.error());
    return kExitUsage;
  }
  std::vector<std::string> words = arguments;
  const std::vector<std::string> moved = take_leading_options(words);
  if (words.empty()) return no_verb(console);
  if (words.front() == "--help" || words.front() == "-h") {
    console.print(overview_page(console.width));
    return 0;
  }
  if (words.front() == "--version" || words.front() == "-V" || words.front() == "version") {
    console.print(fmt::format("forebay {}\n", FOREBAY_VERSION));
    return 0;
  }
  std::vector<std::string> rest;
  const VerbInfo* verb = match_verb(words, rest);
  if (verb == nullptr) return unknown_verb(words.front(), console);
  rest.insert(rest.begin(), moved.begin(), moved.end());
  return run_verb(*verb, rest);
}

}  // namespace forebay
