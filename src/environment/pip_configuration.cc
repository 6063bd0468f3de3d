#include "environment/pip_configuration.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/file.h"

namespace forebay {
namespace {

constexpr std::size_t kFileLimit = 1 << 20;

std::string value_of(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

std::string lower_with_dashes(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  std::string word;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      result.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) result.push_back(std::move(word));
  return result;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

bool is_true(const std::string& value) {
  const std::string text = lower_with_dashes(value);
  return text == "1" || text == "true" || text == "yes" || text == "on" || text == "t" || text == "y";
}

std::vector<std::string> candidate_files(const std::map<std::string, std::string>& environment,
                                         const std::string& root) {
  const std::string own = value_of(environment, "PIP_CONFIG_FILE");
  if (own == "/dev/null") return {};
  std::vector<std::string> files;
  std::string directories = value_of(environment, "XDG_CONFIG_DIRS");
  if (directories.empty()) directories = root + "/etc/xdg";
  for (std::size_t begin = 0; begin <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', begin), directories.size());
    if (end > begin) files.push_back(directories.substr(begin, end - begin) + "/pip/pip.conf");
    begin = end + 1;
  }
  files.push_back(root + "/etc/pip.conf");
  // As pip has it: a file of PIP_CONFIG_FILE stands in for the person's own ones.
  const bool reads_home = own.empty() || !path_exists(own);
  const std::string home = reads_home ? value_of(environment, "HOME") : std::string();
  if (!home.empty()) files.push_back(home + "/.pip/pip.conf");
  const std::string config = reads_home ? value_of(environment, "XDG_CONFIG_HOME") : std::string();
  if (!config.empty())
    files.push_back(config + "/pip/pip.conf");
  else if (!home.empty())
    files.push_back(home + "/.config/pip/pip.conf");
  if (const std::string venv = value_of(environment, "VIRTUAL_ENV"); !venv.empty())
    files.push_back(venv + "/pip.conf");
  if (!own.empty()) files.push_back(own);
  return files;
}

}  // namespace

std::map<std::string, std::string> parse_pip_file(std::string_view text) {
  std::map<std::string, std::string> global, install;
  std::map<std::string, std::string>* section = nullptr;
  std::string* last = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string line = trimmed(raw);
    if (line.starts_with('#') || line.starts_with(';')) continue;
    if (line.empty()) continue;
    const bool is_continuation = raw.front() == ' ' || raw.front() == '\t';
    if (is_continuation && last != nullptr) {
      *last += "\n" + line;
      continue;
    }
    last = nullptr;
    if (line.starts_with('[')) {
      const std::string name = line.substr(1, std::min(line.find(']'), line.size()) - 1);
      section = name == "global" ? &global : name == "install" ? &install : nullptr;
      continue;
    }
    const std::size_t sign = line.find_first_of("=:");
    if (section == nullptr || sign == std::string::npos || sign == 0) continue;
    last = &((*section)[lower_with_dashes(trimmed(std::string_view(line).substr(0, sign)))] =
                 trimmed(std::string_view(line).substr(sign + 1)));
  }
  for (auto& [name, value] : install) global[name] = value;
  return global;
}

PipConfiguration read_pip_configuration(const std::map<std::string, std::string>& environment,
                                        const std::string& root) {
  PipConfiguration pip;
  for (const auto& path : candidate_files(environment, root)) {
    const auto text = read_file(path, kFileLimit);
    if (!text) continue;
    pip.files.push_back(path);
    for (auto& [name, value] : parse_pip_file(*text)) pip.options[name] = value;
  }
  for (const auto& [name, value] : environment)
    if (name.starts_with("PIP_") && name != "PIP_CONFIG_FILE" && !value.empty())
      pip.options[lower_with_dashes(std::string_view(name).substr(4))] = value;
  return pip;
}

UvSettings uv_settings(const PipConfiguration& pip, const std::map<std::string, std::string>& environment) {
  UvSettings uv;
  const auto option = [&](const char* name) {
    const auto found = pip.options.find(name);
    return found == pip.options.end() ? std::string() : found->second;
  };
  const auto set = [&](const std::string& name, const std::string& value,
                       std::initializer_list<const char*> unless = {}) {
    if (value.empty() || environment.contains(name)) return;
    if (std::any_of(unless.begin(), unless.end(),
                    [&](const char* other) { return environment.contains(other); }))
      return;
    uv.variables[name] = value;
  };
  set("UV_DEFAULT_INDEX", option("index-url"), {"UV_INDEX_URL"});
  set("UV_INDEX", joined(words(option("extra-index-url")), " "), {"UV_EXTRA_INDEX_URL"});
  set("UV_FIND_LINKS", joined(words(option("find-links")), ","));
  set("UV_CONSTRAINT", joined(words(option("constraint")), " "));
  set("UV_BUILD_CONSTRAINT", joined(words(option("build-constraint")), " "));
  set("UV_INSECURE_HOST", joined(words(option("trusted-host")), " "));
  set("SSL_CERT_FILE", option("cert"));
  set("SSL_CLIENT_CERT", option("client-cert"));
  const std::string timeout = option("timeout").empty() ? option("default-timeout") : option("timeout");
  set("UV_HTTP_TIMEOUT", timeout.substr(0, timeout.find('.')));
  for (const char* name : {"HTTPS_PROXY", "HTTP_PROXY"})
    set(name, option("proxy"), {"https_proxy", "http_proxy", "ALL_PROXY", "all_proxy"});
  if (is_true(option("pre"))) set("UV_PRERELEASE", "allow");
  if (is_true(option("no-build-isolation"))) set("UV_NO_BUILD_ISOLATION", "1");
  // pip takes the best version of all its indexes; uv would stop at the first that knows the name.
  set("UV_INDEX_STRATEGY", "unsafe-best-match");
  if (is_true(option("no-index"))) uv.arguments.emplace_back("--no-index");
  for (const char* name : {"no-binary", "only-binary"}) {
    std::string names = option(name);
    std::replace(names.begin(), names.end(), ',', ' ');
    for (const auto& package : words(names))
      if (package != ":none:") uv.arguments.insert(uv.arguments.end(), {std::string("--") + name, package});
  }
  return uv;
}

}  // namespace forebay
