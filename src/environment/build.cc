#include "environment/build.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/embedded.h"
#include "base/environment_variable.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "environment/environment_cache.h"
#include "environment/pip_configuration.h"
#include "environment/redact.h"
#include "environment/run_program.h"
#include "environment/uv.h"

namespace forebay {
namespace {

constexpr std::size_t kLockLimit = 64 << 20;

void say(const std::string& sentence) {
  fmt::print(stderr, "forebay: {}\n", sentence);
}

struct Interpreter {
  std::string path;
  std::string identity;  // version, build and platform: what compiled packages depend on
  std::string version;
};

class Build {
 public:
  Build(const BuildSpecification& specification, Uv uv)
      : specification_(specification), uv_(std::move(uv)), cache_(specification.cache_folder) {}

  Result<Json> run() {
    begin_ns_ = system_clock().monotonic_ns();
    FOREBAY_CHECK(find_interpreter());
    FOREBAY_TRY(const std::string lock, resolve());
    FOREBAY_CHECK(write_file_atomic(specification_.lock_path, lock));
    const std::string key = environment_key(lock);
    bool had_to_wait = false, from_cache = true;
    if (!cache_.ready(key)) {
      say(fmt::format(fmt::runtime(tr("building the environment {0} (Python {1})")), key.substr(0, 12),
                      interpreter_.version));
      FOREBAY_TRY(const UniqueFd held, cache_.lock(key, had_to_wait));
      // Somebody else may have built it while we waited.
      if (!cache_.ready(key)) {
        FOREBAY_CHECK(build(key, lock));
        from_cache = false;
      }
    }
    FOREBAY_CHECK(cache_.remember(specification_.key_of_inputs, key));
    auto facts = cache_.ready(key);
    if (!facts) return make_error(ErrorCode::kInternal, "build the environment", key, "it is not ready");
    return facts->set("from_cache", from_cache)
        .set("seconds", static_cast<double>(system_clock().monotonic_ns() - begin_ns_) * 1e-9);
  }

 private:
  Result<void> find_interpreter() {
    std::vector<std::string> question = {"python", "find", "--no-project"};
    if (specification_.python) question.push_back(*specification_.python);
    auto path = uv_.ask(question, specification_.workdir);
    if (!path && specification_.python) {
      say(fmt::format(fmt::runtime(tr("Python {0} is not installed; uv fetches it")),
                      *specification_.python));
      FOREBAY_CHECK(uv_.run({"python", "install", *specification_.python}, specification_.workdir, false));
      path = uv_.ask(question, specification_.workdir);
    }
    if (!path)
      return make_error(ErrorCode::kNotFound, "find Python", specification_.python.value_or("3"),
                        std::string(tr("uv finds no such interpreter")));
    interpreter_.path = *path;
    ProgramSettings settings;
    settings.environment = uv_.environment();
    FOREBAY_TRY(const ProgramResult told,
                run_program({interpreter_.path, "-I", "-c",
                             "import sys, sysconfig, os; print('.'.join(map(str, sys.version_info[:3])), "
                             "sys.implementation.cache_tag, "
                             "sysconfig.get_config_var('SOABI'), sysconfig.get_platform(), "
                             "os.path.realpath(sys.base_prefix), sep='\\n')"},
                            settings));
    if (told.exit_code != 0)
      return make_error(ErrorCode::kUnsupported, "ask", interpreter_.path, "it does not answer");
    interpreter_.identity = told.output;
    interpreter_.version = told.output.substr(0, told.output.find('\n'));
    return {};
  }

  // The lock as requirement lines with hashes.
  Result<std::string> resolve() {
    if (specification_.file.empty() && specification_.lines.empty()) return std::string();
    const std::string name = specification_.file.substr(specification_.file.rfind('/') + 1);
    say(fmt::format(fmt::runtime(tr("resolving {0} with uv {1}")), name, uv_.version()));
    const std::string folder = specification_.file.substr(0, specification_.file.rfind('/'));
    const std::string output = specification_.lock_path + ".new";
    (void)remove_tree(output);
    const RequirementSource source = specification_.source;
    if (source == RequirementSource::kPylock) return read_file(specification_.file, kLockLimit);
    if (source == RequirementSource::kPoetryLock || source == RequirementSource::kPdmLock ||
        source == RequirementSource::kPipfileLock)
      return translate_lock(folder);
    if (source == RequirementSource::kRequirements)
      if (const auto pinned = hashed_requirements()) return *pinned;
    if (source == RequirementSource::kUvLock) {
      FOREBAY_CHECK(uv_.run({"export", "--frozen", "--format", "requirements-txt", "--no-emit-project",
                             "--no-header", "--quiet", "--project", folder, "-o", output},
                            folder, false));
    } else {
      const bool has_lines = !specification_.lines.empty();
      const std::string file = has_lines ? specification_.lock_path + ".in" : specification_.file;
      if (has_lines) FOREBAY_CHECK(write_lines(file, folder));
      FOREBAY_CHECK(uv_.run({"pip", "compile", file, "--generate-hashes", "--no-header", "--no-annotate",
                             "--quiet", "--python", interpreter_.path, "-o", output},
                            folder));
      if (has_lines) (void)remove_tree(file);
    }
    FOREBAY_TRY(std::string lock, read_file(output, kLockLimit));
    (void)remove_tree(output);
    return redact_urls(lock) == lock ? lock : keep_private(lock);
  }

  // Requirements that carry hashes are a lock already, and their hashes are the person's word on what may be
  // installed: resolving them anew would replace these by what the index says today.
  std::optional<std::string> hashed_requirements() const {
    std::string lock;
    for (const auto& path : specification_.inputs) {
      const auto text = read_file(path, kLockLimit);
      std::string_view left = text ? std::string_view(*text) : std::string_view();
      while (!left.empty()) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        const std::string_view line = left.substr(0, end);
        if (!line.starts_with("-r") && !line.starts_with("--requirement")) lock += fmt::format("{}\n", line);
        left.remove_prefix(std::min(end + 1, left.size()));
      }
    }
    if (lock.find("--hash=") == std::string::npos) return std::nullopt;
    return lock;
  }

  // A lock that names passwords in URLs is used as it is but written to the record without them.
  std::string keep_private(const std::string& lock) {
    private_lock_ = lock;
    return redact_urls(lock);
  }

  // The pip part of an environment.yml as a file of its own; paths in it are relative to the environment.yml.
  Result<void> write_lines(const std::string& path, const std::string& folder) {
    std::string text;
    for (std::string line : specification_.lines) {
      std::size_t value = 0;
      for (const std::string_view option :
           {"-r ", "-c ", "-e ", "--requirement ", "--constraint ", "--editable "})
        if (line.starts_with(option)) value = option.size();
      const bool is_path = value > 0 || line.starts_with("./") || line.starts_with("../");
      if (is_path && line.find("://") == std::string::npos && line[value] != '/')
        line.insert(value, folder + "/");
      text += line + "\n";
    }
    return write_file_atomic(path, text);
  }

  Result<std::string> translate_lock(const std::string& folder) {
    const auto script = embedded_file("src/environment/probe/lock_to_requirements.py");
    if (!script)
      return make_error(ErrorCode::kInternal, "read", specification_.file, "the translator is missing");
    std::string python = interpreter_.path;
    if (auto newer = uv_.ask({"python", "find", "--no-project", ">=3.11"}, "/")) python = *newer;
    ProgramSettings settings;
    settings.environment = uv_.environment();
    settings.cwd = folder;
    settings.deadline = Duration::from_seconds(60);
    settings.errors_to_output = true;
    FOREBAY_TRY(ProgramResult told, run_program({python, "-I", "-c", std::string(*script),
                                                 specification_.file, folder + "/pyproject.toml"},
                                                settings));
    if (told.exit_code == 0) return std::move(told.output);
    const std::size_t reason = told.output.rfind("# cannot: ");
    return make_error(ErrorCode::kInvalidInput, "read", specification_.file,
                      reason == std::string::npos
                          ? std::string(tr("it is damaged or of an unknown format"))
                          : told.output.substr(reason + 10, told.output.find('\n', reason) - reason - 10));
  }

  std::string environment_key(const std::string& lock) const {
    std::string identity = lock + '\0' + interpreter_.identity + '\0' + specification_.project.value_or("");
    if (specification_.project)
      for (const char* name : {"pyproject.toml", "setup.py", "setup.cfg"})
        if (const auto text = read_file(join_path(*specification_.project, name), kLockLimit))
          identity += *text;
    return sha256_hex(identity).substr(0, 32);
  }

  Result<void> build(const std::string& key, const std::string& lock) {
    const std::string folder = cache_.environment_folder(key), python = folder + "/bin/python";
    // What a killed build left is of no use.
    FOREBAY_CHECK(remove_tree(folder));
    FOREBAY_CHECK(
        uv_.run({"venv", "--no-project", "--quiet", "--python", interpreter_.path, folder}, "/", false));
    const std::string& text = private_lock_.empty() ? lock : private_lock_;
    if (text.find_first_not_of(" \r\n\t") != std::string::npos) {
      const bool is_pylock = specification_.source == RequirementSource::kPylock;
      const std::string file = folder + (is_pylock ? "/pylock.toml" : "/forebay-lock.txt");
      FOREBAY_CHECK(write_file_atomic(file, text));
      const std::string base = specification_.file.empty()
                                   ? specification_.workdir
                                   : specification_.file.substr(0, specification_.file.rfind('/'));
      std::vector<std::string> arguments = {"pip", "sync", file, "--python", python};
      if (text.find("--hash=") != std::string::npos &&
          specification_.source == RequirementSource::kRequirements &&
          text.find("\n-e ") == std::string::npos && text.find(" @ ") == std::string::npos)
        arguments.emplace_back("--require-hashes");
      FOREBAY_CHECK(uv_.run(arguments, base));
    }
    if (specification_.project)
      FOREBAY_CHECK(
          uv_.run({"pip", "install", "--no-deps", "--editable", *specification_.project, "--python", python},
                  *specification_.project));
    const auto pip = read_pip_configuration(current_environment());
    return cache_.mark_ready(key, Json::object({{"key", key},
                                                {"path", folder},
                                                {"python", interpreter_.version},
                                                {"base_interpreter", interpreter_.path},
                                                {"uv", uv_.version()},
                                                {"source", requirement_source_name(specification_.source)},
                                                {"file", specification_.file},
                                                {"lock_sha256", sha256_hex(lock)},
                                                {"lock", lock},
                                                {"pip_configuration", Json(pip.files)},
                                                {"built_ns", system_clock().now().nanoseconds}}));
  }

  const BuildSpecification& specification_;
  Uv uv_;
  EnvironmentCache cache_;
  Interpreter interpreter_;
  std::string private_lock_;
  std::int64_t begin_ns_ = 0;
};

Result<void> build(const std::string& path) {
  FOREBAY_TRY(const BuildSpecification specification, BuildSpecification::read(path));
  auto environment = current_environment();
  // The environment that is active has no say in the one that is built.
  for (const char* name :
       {"PYTHONHOME", "PYTHONPATH", "UV_PROJECT_ENVIRONMENT", "UV_SYSTEM_PYTHON", "UV_PYTHON"})
    environment.erase(name);
  environment["UV_NO_PROGRESS"] = "1";
  FOREBAY_TRY(Uv uv, Uv::find(specification.cache_folder, std::move(environment)));
  FOREBAY_TRY(const Json facts, Build(specification, std::move(uv)).run());
  return write_file_atomic(specification.result_path, facts.dump(1) + "\n");
}

}  // namespace

int build_environment(const std::string& specification) {
  const auto done = build(specification);
  if (done) return 0;
  say(redact_urls(done.error().sentence()));
  return 1;
}

}  // namespace forebay
