// Any bytes as a job file: no crash, no hang, and what is accepted survives the round trip through JSON.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "spec/job_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  forebay::JobParse parse = forebay::parse_job(text, "job.yaml");
  (void)forebay::is_skypilot(text);
  (void)forebay::job_check_json(parse).dump();
  if (parse.ok()) {
    (void)forebay::explain_job(parse.job);
    const auto again = forebay::job_from_json(parse.job.to_json());
    if (!again || !(*again == parse.job)) {
      std::fprintf(stderr, "round trip: %s\n%s\n", again ? "differs" : again.error().sentence().c_str(),
                   parse.job.to_json().dump(1).c_str());
      std::abort();
    }
  }
  forebay::add_local_problems(parse);
  for (const forebay::JobProblem& problem : parse.problems)
    if (problem.sentence.empty() || problem.line < 0 || problem.column < 0) std::abort();
  return 0;
}
