// The GPU reader alone, for tests: what `forebay gpu-reader` runs.
#include "telemetry/gpu_reader.h"

int main(int argc, char** argv) {
  return forebay::run_gpu_reader(argc - 1, argv + 1);
}
