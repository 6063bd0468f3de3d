// What a bug report needs of one run, in one archive, without secrets.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "record/run_directory.h"

namespace forebay {

struct DebugBundle {
  std::string path;
  std::int64_t bytes = 0;
  std::vector<std::string> files;     // in the archive
  std::vector<std::string> left_out;  // what and why
};

// Writes a .tar.gz (by the system's tar) with the record's small files, events, the end of the log (1 MiB),
// samples and steps. Left out: code, outputs. Every text passes the redaction of environment/redact.h with
// the values of secrets known to this process's environment.
Result<DebugBundle> write_debug_bundle(const RunDirectory& directory, const std::string& target);

}  // namespace forebay
