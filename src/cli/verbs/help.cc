// forebay help, forebay completion.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/verb_list.h"
#include "spec/schema.h"

namespace forebay {
namespace {

class HelpVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.positional_list("TOPIC", words_, "a verb, or `job` with a field of the job file", false);
  }

  Result<int> run(const Console& console) override {
    if (words_.empty()) {
      console.print(overview_page(console.width));
      return 0;
    }
    const std::string two = words_.size() > 1 ? words_[0] + " " + words_[1] : words_[0];
    for (const std::string& name : {two, words_[0]})
      if (const VerbInfo* verb = find_verb(name); verb != nullptr && *verb->group != '\0') {
        console.print(verb_page(*verb, console.width));
        return 0;
      }
    if (words_[0] == "job") return job_page(console);
    return make_error(ErrorCode::kNotFound, "show help on", words_[0],
                      std::string(tr("there is no such verb")),
                      std::string(tr("`forebay help` lists them.")));
  }

 private:
  Result<int> job_page(const Console& console) const {
    const std::string key = words_.size() > 1 ? words_[1] : "";
    if (const auto page = job_help(key, std::min(console.width, 100))) {
      console.print(*page);
      return 0;
    }
    std::vector<std::string> keys;
    for (const Field& field : job_fields()) keys.emplace_back(field.key);
    const auto near = nearest_word(key, keys);
    return make_error(ErrorCode::kNotFound, "show help on", key,
                      std::string(tr("the job file has no such field")),
                      near ? fmt::format(fmt::runtime(tr("Did you mean {0}?")), *near) : "");
  }

  std::vector<std::string> words_;
};

// Completion scripts list verbs, their options and, for verbs that take a run, the ids of runs.
class CompletionVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { line.positional("SHELL", shell_, "bash, zsh or fish"); }

  Result<int> run(const Console& console) override {
    if (shell_ == "bash")
      console.print(bash());
    else if (shell_ == "zsh")
      console.print("autoload -U +X bashcompinit && bashcompinit\n" + bash());
    else if (shell_ == "fish")
      console.print(fish());
    else
      return make_error(ErrorCode::kInvalidInput, "complete for", shell_,
                        std::string(tr("it is not bash, zsh or fish")));
    return 0;
  }

 private:
  struct Words {
    std::string name, options;
    bool takes_run = false;
    std::vector<OptionInfo> infos;
  };

  static std::vector<std::string> names_of(const OptionInfo& option) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < option.names.size();) {
      const std::size_t comma = std::min(option.names.find(',', at), option.names.size());
      names.push_back(option.names.substr(at, comma - at));
      at = comma + 1;
    }
    return names;
  }

  static std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
  }

  static std::vector<Words> all_words() {
    std::vector<Words> all;
    for (const VerbInfo& info : verb_table()) {
      if (*info.group == '\0') continue;
      const auto verb = info.make();
      CommandLine line;
      CommonOptions common;
      verb->declare(line);
      common.declare(line);
      Words words{info.name, "", false, line.options()};
      for (const OptionInfo& option : line.options())
        words.options += (words.options.empty() ? "" : " ") + joined(names_of(option), " ");
      for (const PositionalInfo& positional : line.positionals())
        if (positional.name == "RUN" || positional.name == "BEFORE" || positional.name == "AFTER")
          words.takes_run = true;
      all.push_back(std::move(words));
    }
    return all;
  }

  // After an option with a closed list of values: these and nothing else. `--name=value` comes as three
  // words.
  static std::string bash_values() {
    std::set<std::string> cases;
    for (const Words& words : all_words())
      for (const OptionInfo& option : words.infos)
        if (!option.choices.empty())
          cases.insert(fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n",
                                   joined(names_of(option), "|"), joined(option.choices, " ")));
    std::string text = "  case \"$before\" in\n";
    for (const std::string& each : cases) text += each;
    return text + "  esac\n";
  }

  static std::string bash() {
    std::string verbs, cases;
    for (const Words& words : all_words()) {
      verbs += (verbs.empty() ? "" : " ") + words.name.substr(0, words.name.find(' '));
      const std::string runs = words.takes_run ? " $(forebay ps --all --quiet 2>/dev/null)" : "";
      cases += fmt::format("    \"{}\") words=\"{}{}\" ;;\n", words.name, words.options, runs);
    }
    return "_forebay() {\n  local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=\n  local "
           "two=\"$verb ${COMP_WORDS[2]}\" before=\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"" +
           verbs +
           "\" -- \"$current\")); return; fi\n"
           "  before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  if [ \"$current\" = = ]; then current=; elif [ \"$before\" = = ]; then "
           "before=${COMP_WORDS[COMP_CWORD-2]}; fi\n" +
           bash_values() +
           "  case \"$verb\" in job) verb=${two% }; [ \"$COMP_CWORD\" -eq 2 ] && { COMPREPLY=($(compgen -W "
           "\"check schema\" -- \"$current\")); return; };;\n"
           "    runs) verb=$two; [ \"$COMP_CWORD\" -eq 2 ] && { COMPREPLY=($(compgen -W \"prune\" -- "
           "\"$current\")); return; };;\n"
           "    debug) verb=$two; [ \"$COMP_CWORD\" -eq 2 ] && { COMPREPLY=($(compgen -W \"bundle\" -- "
           "\"$current\")); return; };;\n  esac\n"
           "  case \"$verb\" in\n" +
           cases +
           "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- "
           "\"$current\"))\n}\ncomplete -o filenames -F _forebay forebay\n";
  }

  // One option of one verb: its names, whether a value follows and which there are.
  static std::string fish_option(const std::string& verb, const OptionInfo& option) {
    std::string line = fmt::format("complete -c forebay -n '__fish_seen_subcommand_from {}'", verb);
    for (const std::string& name : names_of(option))
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.choices.empty())
      line += fmt::format(" -x -a '{}'", joined(option.choices, " "));
    else if (!option.value_name.empty())
      line += " -r";
    return line + "\n";
  }

  static std::string fish() {
    std::string out = "complete -c forebay -f\n";
    for (const Words& words : all_words()) {
      const std::string first = words.name.substr(0, words.name.find(' '));
      out += fmt::format("complete -c forebay -n __fish_use_subcommand -a {}\n", first);
      for (const OptionInfo& option : words.infos) out += fish_option(first, option);
      if (words.takes_run)
        out += fmt::format(
            "complete -c forebay -n '__fish_seen_subcommand_from {}' -a '(forebay ps --all --quiet "
            "2>/dev/null)'\n",
            first);
    }
    return out + "complete -c forebay -n '__fish_seen_subcommand_from run submit' -F\n";
  }

  std::string shell_;
};

}  // namespace

VerbInfo help_verb_info() {
  return {"help",
          "Housekeeping",
          "help on a verb or on the job file",
          "Without a topic: the list of verbs. `forebay help job` is the reference of job files; `forebay "
          "help job policy.budget` one field of it.",
          "$ forebay help run\n$ forebay help job\n$ forebay help job policy.budget",
          make_verb<HelpVerb>};
}

VerbInfo completion_verb_info() {
  return {"completion",
          "Housekeeping",
          "print a shell completion script",
          "Completes verbs, options, values of options where there is a list of them, and ids of runs.",
          "$ source <(forebay completion bash)\n$ forebay completion fish > "
          "~/.config/fish/completions/forebay.fish",
          make_verb<CompletionVerb>};
}

}  // namespace forebay
