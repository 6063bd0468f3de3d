// Where a supervisor's socket lies, however long the run's path is: in the run's directory where that works,
// else in a private folder of the user under $XDG_RUNTIME_DIR or /tmp.
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "record/run_directory.h"

namespace forebay {

struct ListeningSocket {
  UniqueFd fd;
  std::string path;
};

// Replaces a socket that a dead supervisor left.
Result<ListeningSocket> listen_for_clients(const RunDirectory& directory);
// kUnavailable when nobody listens there.
Result<UniqueFd> connect_to_socket(const std::string& path);

}  // namespace forebay
