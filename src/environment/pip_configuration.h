// pip's configuration, told to uv: uv does not read pip.conf itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

struct PipConfiguration {
  std::map<std::string, std::string> options;  // "index-url" → value, as pip would use it for an installation
  std::vector<std::string> files;              // that were read, in pip's order
};

// As `pip config list` does: the files of XDG_CONFIG_DIRS, /etc/pip.conf, ~/.pip/pip.conf and
// ~/.config/pip/pip.conf (not when PIP_CONFIG_FILE names a file), the virtual environment's, PIP_CONFIG_FILE,
// then PIP_… variables; sections [global] and [install]. `root` is put before /etc paths, for tests.
PipConfiguration read_pip_configuration(const std::map<std::string, std::string>& environment,
                                        const std::string& root = {});

// name → value of [global] and [install] in a pip.conf (the format of Python's RawConfigParser). Malformed
// lines are skipped.
std::map<std::string, std::string> parse_pip_file(std::string_view text);

struct UvSettings {
  std::map<std::string, std::string> variables;  // UV_DEFAULT_INDEX, UV_INDEX, UV_FIND_LINKS, SSL_CERT_FILE …
  std::vector<std::string> arguments;            // what has no variable: --no-index, --no-binary NAME …
};
// What the person has set for uv (UV_…) or for TLS and proxies stands.
UvSettings uv_settings(const PipConfiguration& pip, const std::map<std::string, std::string>& environment);

}  // namespace forebay
