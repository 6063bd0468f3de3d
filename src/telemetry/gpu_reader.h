// The hidden verb `forebay gpu-reader`: the process that alone touches the GPU library. A thread stuck in a
// driver cannot be cancelled; a process can be abandoned.
#pragma once

namespace forebay {

// Serves requests from standard input, answers on standard output (gpu_protocol.h), ends when standard input
// does. argv: what follows the verb; "--skip N" leaves a device alone. FOREBAY_NVML names another library
// than libnvidia-ml.so.1 (for tests). Returns the exit code of the process.
int run_gpu_reader(int argc, const char* const* argv);

}  // namespace forebay
