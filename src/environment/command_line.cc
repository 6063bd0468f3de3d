#include "environment/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/file.h"
#include "environment/run_program.h"
#include "environment/shell_words.h"

namespace forebay {
namespace {

constexpr int kDepthLimit = 4;
constexpr std::size_t kScriptLimit = 64 << 10;

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// python, python3, python3.11, python3.13t, pypy3
bool is_python_name(const std::string& name) {
  std::string_view rest = name;
  if (rest.starts_with("python"))
    rest.remove_prefix(6);
  else if (rest.starts_with("pypy"))
    rest.remove_prefix(4);
  else
    return false;
  return std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
    return std::isdigit(c) || c == '.' || c == 't' || c == 'd' || c == 'w';
  });
}

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(word[0])))
    return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

template <std::size_t N>
bool is_one_of(const std::string& word, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

// Programs that run the program named after their own options.
constexpr auto kWrappers = std::to_array<std::string_view>(
    {"env",      "nohup",     "time", "nice",     "ionice", "stdbuf",  "exec", "setsid", "taskset",
     "numactl",  "timeout",   "chrt", "xvfb-run", "sudo",   "command", "srun", "mpirun", "mpiexec",
     "unbuffer", "catchsegv", "nsys", "ncu",      "strace", "ltrace",  "perf", "gdb",    "py-spy"});
constexpr auto kRunners = std::to_array<std::string_view>(
    {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "micromamba", "pixi"});
constexpr auto kShells = std::to_array<std::string_view>({"sh", "bash", "dash", "zsh", "ksh"});
constexpr auto kRunnerValueOptions = std::to_array<std::string_view>({"-n",
                                                                      "--name",
                                                                      "-p",
                                                                      "--prefix",
                                                                      "--python",
                                                                      "--with",
                                                                      "--with-editable",
                                                                      "--with-requirements",
                                                                      "--extra",
                                                                      "--group",
                                                                      "--project",
                                                                      "--directory",
                                                                      "--env-file",
                                                                      "--cwd",
                                                                      "-C",
                                                                      "--env",
                                                                      "-e",
                                                                      "--index",
                                                                      "--default-index",
                                                                      "--package",
                                                                      "--environment"});

// The beginning of a file up to the first NUL: empty for binaries that begin with one, enough to read a first
// line.
std::string first_bytes(const std::string& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 1024> buffer;
  const ssize_t got = fd.valid() ? ::read(fd.get(), buffer.data(), buffer.size()) : -1;
  if (got <= 0) return {};
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  return std::string(text.substr(0, text.find('\0')));
}

class Analysis {
 public:
  Analysis(const std::map<std::string, std::string>& environment, std::string cwd)
      : environment_(environment), cwd_(std::move(cwd)) {
    if (const auto path = environment_.find("PATH"); path != environment_.end()) search_path_ = path->second;
  }

  CommandUse run(const std::vector<std::string>& command, bool is_shell_line) {
    if (command.empty()) return {};
    if (is_shell_line)
      shell_text(command[0], 0);
    else
      words(command, 0);
    return use_;
  }

 private:
  std::string variable(const std::string& name) const {
    const auto found = environment_.find(name);
    return found == environment_.end() ? std::string() : found->second;
  }

  // Looks at each simple command until one uses Python.
  bool shell_text(std::string_view text, int depth) {
    if (depth > kDepthLimit) return false;
    for (const auto& command : split_shell_line(text)) {
      if (command.empty()) continue;
      if (note_activation(command)) continue;
      if (words(command, depth + 1)) return true;
    }
    return false;
  }

  // "source x/bin/activate", "conda activate NAME": what follows finds its programs there.
  bool note_activation(const std::vector<std::string>& command) {
    if (command.size() < 2) return false;
    std::string bin;
    if ((command[0] == "source" || command[0] == ".") && command[1].ends_with("/bin/activate")) {
      bin = folder_of(command[1]);
    } else if ((command[0] == "conda" || command[0] == "mamba" || command[0] == "micromamba") &&
               command[1] == "activate" && command.size() > 2) {
      const std::string& name = command[2];
      // …/condabin/conda or …/bin/conda lies in the base environment, others below envs/.
      const std::string base = folder_of(folder_of(variable("CONDA_EXE")));
      bin = name.find('/') != std::string::npos ? name + "/bin"
            : name == "base"                    ? base + "/bin"
                                                : base + "/envs/" + name + "/bin";
    } else {
      return false;
    }
    if (!bin.starts_with('/')) bin = join_path(cwd_, bin);
    search_path_ = bin + ":" + search_path_;
    is_activated_ = true;
    return true;
  }

  // Whether the words of a simple command run Python.
  bool words(const std::vector<std::string>& command, int depth, std::size_t at = 0) {
    while (at < command.size() && is_assignment(command[at])) ++at;
    if (at >= command.size() || depth > kDepthLimit) return false;
    const std::string name = base_name(command[at]);
    const std::string file = find_program(command[at], search_path_, cwd_);
    if (use_.program.empty()) use_.program = file;
    if (command[at] == "cd" && command.size() > at + 1) {
      cwd_ = command[at + 1].starts_with('/') ? command[at + 1] : join_path(cwd_, command[at + 1]);
      return false;
    }
    if (is_python_name(name)) return python(command, at, file);
    if (is_one_of(name, kShells)) return shell(command, at + 1, depth);
    if (is_one_of(name, kRunners)) return runner(command, at);
    if (is_one_of(name, kWrappers)) return wrapper(command, at + 1, depth);
    return !file.empty() && script_file(command, at, file, depth);
  }

  bool wrapper(const std::vector<std::string>& command, std::size_t at, int depth) {
    // Options and their values are skipped by looking for the first word that is a program which uses Python.
    for (; at < command.size(); ++at) {
      if (command[at].starts_with('-') || is_assignment(command[at]) ||
          command[at].find_first_not_of("0123456789.:,smhd") == std::string::npos)
        continue;
      if (words(command, depth + 1, at)) return true;
      if (!find_program(command[at], search_path_, cwd_).empty()) return false;
    }
    return false;
  }

  bool shell(const std::vector<std::string>& command, std::size_t at, int depth) {
    for (; at < command.size() && command[at].starts_with('-'); ++at)
      if (command[at].ends_with('c') && !command[at].starts_with("--"))
        return at + 1 < command.size() && shell_text(command[at + 1], depth + 1);
    if (at >= command.size()) return false;
    const auto text =
        read_file(command[at].starts_with('/') ? command[at] : join_path(cwd_, command[at]), kScriptLimit);
    return text && shell_text(*text, depth + 1);
  }

  bool runner(const std::vector<std::string>& command, std::size_t at) {
    std::size_t next = at + 1;
    if (next >= command.size() || command[next] != "run") return false;
    for (++next; next < command.size() && command[next].starts_with('-') && command[next] != "--"; ++next)
      if (is_one_of(command[next], kRunnerValueOptions)) ++next;
    use_.interpreter.assign(command.begin() + static_cast<std::ptrdiff_t>(at),
                            command.begin() + static_cast<std::ptrdiff_t>(std::min(next, command.size())));
    // "uv run --script" and "-m" belong to what is run, not to the environment.
    std::erase_if(use_.interpreter, [](const std::string& word) {
      return word == "-m" || word == "--module" || word == "--script" || word == "-s";
    });
    use_.interpreter.push_back("python");
    use_.found_by = "runner";
    if (next < command.size() && command[next] == "--") ++next;
    if (next < command.size() && is_python_name(base_name(command[next])))
      read_arguments(command, next + 1);
    else
      find_script(command, next);
    return true;
  }

  bool python(const std::vector<std::string>& command, std::size_t at, const std::string& file) {
    if (file.empty()) return false;
    use_.interpreter = {file};
    use_.found_by = command[at].find('/') != std::string::npos ? "command" : origin(file);
    read_arguments(command, at + 1);
    return true;
  }

  std::string origin(const std::string& file) const {
    const auto lies_in = [&](const std::string& folder) {
      return !folder.empty() && file.starts_with(folder + "/");
    };
    if (is_activated_) return "activated";
    if (file.find("/shims/") != std::string::npos) return "pyenv";
    if (lies_in(variable("VIRTUAL_ENV"))) return "VIRTUAL_ENV";
    if (lies_in(variable("CONDA_PREFIX"))) return "CONDA_PREFIX";
    if (file.starts_with("/usr/bin/") || file.starts_with("/bin/")) return "system";
    return "PATH";
  }

  // python's own options (python --help), then the script or module.
  void read_arguments(const std::vector<std::string>& command, std::size_t at) {
    for (; at < command.size(); ++at) {
      const std::string& word = command[at];
      if (!word.starts_with('-') || word == "-") {
        if (word != "-") set_script(word);
        return;
      }
      if (word.starts_with("--")) continue;
      for (std::size_t i = 1; i < word.size(); ++i) {
        if (word[i] == 'I' || word[i] == 'E') use_.is_isolated_python = true;
        if (word[i] == 'c') return;
        if (word[i] == 'm') {
          const std::string module = i + 1 < word.size()       ? word.substr(i + 1)
                                     : at + 1 < command.size() ? command[at + 1]
                                                               : "";
          use_.module = module;
          // Launchers run a script of their own arguments.
          if (module.find("torch.distributed") == 0 || module.find("accelerate") == 0 ||
              module.find("deepspeed") == 0)
            find_script(command, at + 1);
          return;
        }
        if (word[i] == 'X' || word[i] == 'W') {
          if (i + 1 == word.size()) ++at;
          break;
        }
      }
    }
  }

  void find_script(const std::vector<std::string>& command, std::size_t at) {
    for (; at < command.size(); ++at)
      if (command[at].ends_with(".py")) return set_script(command[at]);
  }

  void set_script(const std::string& word) {
    const std::string path = word.starts_with('/') ? word : join_path(cwd_, word);
    if (path_exists(path)) use_.script = absolute_path(path);
  }

  // A program that is a text file: its first line names what runs it (torchrun, accelerate, pytest …;
  // ./train.py).
  bool script_file(const std::vector<std::string>& command, std::size_t at, const std::string& file,
                   int depth) {
    const std::string head = first_bytes(file);
    if (!head.starts_with("#!")) return false;
    const auto line = split_shell_line(std::string_view(head).substr(2, head.find('\n') - 2));
    if (line.empty() || line[0].empty()) return false;
    std::vector<std::string> words = line[0];
    if (base_name(words[0]) == "env") {
      words.erase(words.begin());
      std::erase_if(words,
                    [](const std::string& word) { return word.starts_with('-') || is_assignment(word); });
    }
    if (words.empty()) return false;
    const std::string name = base_name(words[0]);
    if (is_python_name(name)) {
      const std::string python = find_program(words[0], search_path_, cwd_);
      if (python.empty()) return false;
      use_.interpreter = {python};
      use_.found_by = "shebang";
    } else if (is_one_of(name, kShells)) {
      if (!shell_script(file, head, command, at, depth)) return false;
    } else {
      return false;
    }
    if (file.ends_with(".py"))
      use_.script = absolute_path(file);
    else if (!use_.script)
      find_script(command, at + 1);
    return true;
  }

  bool shell_script(const std::string& file, const std::string& head, const std::vector<std::string>& command,
                    std::size_t at, int depth) {
    // pip and uv write #!/bin/sh + '''exec' "/long/path/python" "$0" "$@" where a path is too long for the
    // kernel.
    if (const std::size_t exec = head.find("'''exec' "); exec != std::string::npos) {
      const auto line =
          split_shell_line(std::string_view(head).substr(exec + 9, head.find('\n', exec) - exec - 9));
      if (line.empty() || line[0].empty()) return false;
      use_.interpreter = {line[0][0]};
      use_.found_by = "shebang";
      return true;
    }
    if (file.find("/shims/") != std::string::npos && head.find("pyenv") != std::string::npos) {
      const std::string python = folder_of(file) + "/python";
      if (find_program(python, "", cwd_).empty()) return false;
      use_.interpreter = {python};
      use_.found_by = "pyenv";
      return true;
    }
    std::vector<std::string> again = {"sh", file};
    again.insert(again.end(), command.begin() + static_cast<std::ptrdiff_t>(at) + 1, command.end());
    return shell(again, 1, depth + 1);
  }

  const std::map<std::string, std::string>& environment_;
  std::string cwd_;
  std::string search_path_;
  bool is_activated_ = false;
  CommandUse use_;
};

}  // namespace

CommandUse analyse_command(const std::vector<std::string>& command, bool is_shell_line,
                           const std::map<std::string, std::string>& environment, const std::string& cwd) {
  return Analysis(environment, cwd).run(command, is_shell_line);
}

}  // namespace forebay
