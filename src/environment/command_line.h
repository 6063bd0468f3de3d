// Which Python interpreter a command will run, judged from its words, PATH and the first bytes of files; no
// process is started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace forebay {

struct CommandUse {
  // Words that run the job's own interpreter when arguments for it are added: {"/venv/bin/python"}, {"uv",
  // "run", "python"}. Empty: no Python is seen.
  std::vector<std::string> interpreter;
  // How it was found: "command" (named by path), "VIRTUAL_ENV", "CONDA_PREFIX", "pyenv", "system", "PATH",
  // "shebang", "runner" (uv run, poetry run …), "activated" (a shell line that activates an environment
  // first).
  std::string found_by;
  std::optional<std::string> script;  // absolute path of the Python file it runs
  std::optional<std::string> module;  // python -m MODULE
  bool is_isolated_python = false;    // python -I or -E: no hook, no PYTHONPATH
  std::string program;                // the resolved file of the first word, "" when there is none
};

CommandUse analyse_command(const std::vector<std::string>& command, bool is_shell_line,
                           const std::map<std::string, std::string>& environment, const std::string& cwd);

}  // namespace forebay
