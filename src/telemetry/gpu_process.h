// Starts the GPU reader as a child of the calling thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace forebay {

struct GpuReaderProcess {
  pid_t pid = -1;
  UniqueFd process;   // pidfd, invalid on kernels without
  UniqueFd requests;  // to its standard input
  UniqueFd answers;   // from its standard output, does not block
};

// `command` empty = own_program() gpu-reader. In a process group of its own, so that Ctrl-C at the terminal
// does not reach it.
Result<GpuReaderProcess> start_gpu_reader(std::vector<std::string> command,
                                          const std::vector<std::string>& arguments);

}  // namespace forebay
