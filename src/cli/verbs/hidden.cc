// Verbs that only Forebay itself starts.
#include "agent/attempt.h"
#include "cli/verb_list.h"
#include "environment/build.h"
#include "telemetry/gpu_reader.h"

namespace forebay {
namespace {

constexpr int kReadyDescriptor = 3;

class AttemptVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { line.positional("DIRECTORY", directory_, "a run record"); }
  Result<int> run(const Console&) override { return run_attempt(directory_, kReadyDescriptor); }

 private:
  std::string directory_;
};

class SaveOutputsVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { line.positional("DIRECTORY", directory_, "a run record"); }
  Result<int> run(const Console&) override { return run_save_outputs(directory_); }

 private:
  std::string directory_;
};

class GpuReaderVerb final : public Verb {
 public:
  void declare(CommandLine& line) override {
    line.option_list("--skip", skipped_, "N", "leave this device alone");
  }
  Result<int> run(const Console&) override {
    std::vector<const char*> arguments;
    for (const std::string& device : skipped_) {
      arguments.push_back("--skip");
      arguments.push_back(device.c_str());
    }
    return run_gpu_reader(static_cast<int>(arguments.size()), arguments.data());
  }

 private:
  std::vector<std::string> skipped_;
};

class EnvironmentBuildVerb final : public Verb {
 public:
  void declare(CommandLine& line) override { line.positional("FILE", file_, "a specification"); }
  Result<int> run(const Console&) override { return build_environment(file_); }

 private:
  std::string file_;
};

}  // namespace

VerbInfo attempt_verb_info() {
  return {"attempt", "", "", "", "", make_verb<AttemptVerb>};
}
VerbInfo save_outputs_verb_info() {
  return {"save-outputs", "", "", "", "", make_verb<SaveOutputsVerb>};
}
VerbInfo gpu_reader_verb_info() {
  return {"gpu-reader", "", "", "", "", make_verb<GpuReaderVerb>};
}
VerbInfo environment_build_verb_info() {
  return {"environment-build", "", "", "", "", make_verb<EnvironmentBuildVerb>};
}

}  // namespace forebay
