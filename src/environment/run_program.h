// Runs a short-lived tool (git, a Python interpreter) and reads what it says. Not for jobs: those belong to
// the supervisor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace forebay {

struct ProgramSettings {
  std::string cwd;                                 // "" = ours
  std::map<std::string, std::string> environment;  // the whole environment; PATH in it finds the program
  Duration deadline = Duration::from_seconds(10);
  std::size_t output_limit = 64u << 20;  // bytes of standard output kept; more is an error
  std::string input;  // given on standard input (at most 64 KiB: it is written before reading)
  bool errors_to_output = false;
};

struct ProgramResult {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string output;
};

// The child has its own session, default signals and the descriptors 0–2 (ours are close-on-exec); it is
// killed with its session at the deadline and always reaped by its pid. Errors: kNotFound no such program,
// kTimeout, kResourceExhausted too much output. Thread-safe.
Result<ProgramResult> run_program(const std::vector<std::string>& argv, const ProgramSettings& settings);

// The file that a shell would run for `name` with this PATH ("" when there is none); names with "/" are taken
// from `cwd`.
std::string find_program(const std::string& name, const std::string& search_path, const std::string& cwd);

}  // namespace forebay
