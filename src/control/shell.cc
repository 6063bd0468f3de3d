#include "control/shell.h"

#include "base/file.h"

namespace forebay {

std::vector<std::string> shell_command(const std::string& script) {
  for (const char* path : {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"})
    if (path_exists(path)) return {path, "-c", script};
  return {"/bin/sh", "-c", script};
}

}  // namespace forebay
