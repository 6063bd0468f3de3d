#include "environment/environment_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/hash.h"
#include "environment/pip_configuration.h"

namespace forebay {
namespace {

constexpr std::size_t kInputLimit = 64 << 20;

void add(Sha256& hash, std::string_view label, std::string_view value) {
  hash.update(label);
  hash.update(std::string_view("\0", 1));
  hash.update(std::to_string(value.size()));
  hash.update(std::string_view("\0", 1));
  hash.update(value);
}

std::vector<std::string> strings(const Json& array) {
  std::vector<std::string> result;
  for (const Json& item : array.items()) result.push_back(item.string_or_empty());
  return result;
}

}  // namespace

Json BuildSpecification::to_json() const {
  return Json::object({{"format", 1},
                       {"workdir", workdir},
                       {"cache_folder", cache_folder},
                       {"source", static_cast<int>(source)},
                       {"file", file},
                       {"lines", Json(lines)},
                       {"inputs", Json(inputs)},
                       {"python", python},
                       {"project", project},
                       {"key_of_inputs", key_of_inputs},
                       {"result", result_path},
                       {"lock", lock_path}});
}

Result<BuildSpecification> BuildSpecification::read(const std::string& path) {
  FOREBAY_TRY(const std::string text, read_file(path, 1 << 24));
  FOREBAY_TRY(const Json json, Json::parse(text, path));
  BuildSpecification made;
  const auto source = json["source"].as_integer().value_or(-1);
  if (json["format"].as_integer() != 1 || source < 0 || source > static_cast<int>(RequirementSource::kConda))
    return make_error(ErrorCode::kCorrupt, "read the build's specification", path, "it is damaged");
  made.workdir = json["workdir"].string_or_empty();
  made.cache_folder = json["cache_folder"].string_or_empty();
  made.source = static_cast<RequirementSource>(source);
  made.file = json["file"].string_or_empty();
  made.lines = strings(json["lines"]);
  made.inputs = strings(json["inputs"]);
  made.python = json["python"].as_string();
  made.project = json["project"].as_string();
  made.key_of_inputs = json["key_of_inputs"].string_or_empty();
  made.result_path = json["result"].string_or_empty();
  made.lock_path = json["lock"].string_or_empty();
  if (made.workdir.empty() || made.cache_folder.empty() || made.result_path.empty())
    return make_error(ErrorCode::kCorrupt, "read the build's specification", path, "it is damaged");
  return made;
}

std::string input_key(const BuildSpecification& specification,
                      const std::map<std::string, std::string>& environment) {
  Sha256 hash;
  add(hash, "format", "1");
  utsname machine{};
  if (::uname(&machine) == 0) add(hash, "machine", machine.machine);
  add(hash, "source", requirement_source_name(specification.source));
  add(hash, "python", specification.python.value_or(""));
  // Relative paths and editable installs in a requirements file mean its folder.
  add(hash, "file", specification.file);
  add(hash, "project", specification.project.value_or(""));
  for (const auto& line : specification.lines) add(hash, "line", line);
  for (const auto& path : specification.inputs) {
    const auto content = read_file(path, kInputLimit);
    add(hash, path, content ? *content : "");
  }
  const auto pip = read_pip_configuration(environment);
  for (const auto& [name, value] : pip.options) {
    add(hash, "pip " + name, value);
    if (name != "constraint") continue;
    for (std::size_t begin = 0; begin < value.size();) {
      const std::size_t start = value.find_first_not_of(" \n\t", begin);
      if (start == std::string::npos) break;
      const std::size_t end = std::min(value.find_first_of(" \n\t", start), value.size());
      const auto content = read_file(value.substr(start, end - start), kInputLimit);
      add(hash, "constraint", content ? *content : "");
      begin = end;
    }
  }
  for (const auto& [name, value] : environment)
    if (name.starts_with("UV_") && name != "UV_CACHE_DIR") add(hash, name, value);
  // Without a stated version the interpreter on the path is what gets copied.
  if (!specification.python)
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_VERSION", "PATH"})
      if (const auto found = environment.find(name); found != environment.end())
        add(hash, name, found->second);
  return hash.finish_hex().substr(0, 32);
}

std::optional<Json> EnvironmentCache::ready(const std::string& key) const {
  const auto text = read_file(environment_folder(key) + "/.forebay-ready", 1 << 20);
  if (!text) return std::nullopt;
  auto facts = Json::parse(*text, "environment");
  // An interpreter that was uninstalled since leaves a link to nothing.
  if (!facts || ::access((environment_folder(key) + "/bin/python").c_str(), X_OK) != 0) return std::nullopt;
  return std::move(*facts);
}

Result<void> EnvironmentCache::mark_ready(const std::string& key, const Json& facts) const {
  return write_file_atomic(environment_folder(key) + "/.forebay-ready", facts.dump(1) + "\n");
}

Result<UniqueFd> EnvironmentCache::lock(const std::string& key, bool& had_to_wait) const {
  FOREBAY_CHECK(make_directories(folder_));
  const std::string path = folder_ + "/" + key + ".lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT, 0600));  // not close-on-exec, see the header
  if (!fd.valid()) return system_error("open", path, errno);
  had_to_wait = ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
  while (had_to_wait && ::flock(fd.get(), LOCK_EX) != 0)
    if (errno != EINTR) return system_error("lock", path, errno);
  return fd;
}

std::optional<std::string> EnvironmentCache::environment_for(const std::string& input) const {
  const auto key = read_file(folder_ + "/by-input/" + input, 256);
  if (!key || key->size() < 16 || key->find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  return *key;
}

Result<void> EnvironmentCache::remember(const std::string& input, const std::string& key) const {
  FOREBAY_CHECK(make_directories(folder_ + "/by-input"));
  return write_file_atomic(folder_ + "/by-input/" + input, key);
}

}  // namespace forebay
