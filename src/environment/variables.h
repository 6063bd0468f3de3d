// The variables of a job: which Forebay sets and why, which are recorded, and the secrets it takes from the
// caller.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "environment/plan.h"

namespace forebay {

// What Forebay itself sets for the job, with the reason; never what the job or the caller has set:
//   PYTHONUNBUFFERED=1                    so that log lines appear when they are written
//   OMP_NUM_THREADS=N                     only when the job fixes its cores (otherwise the library's own
//   choice stands: thread
//                                         counts change the order of sums, and so results)
//   CUDA_VISIBLE_DEVICES=0,…,N-1          only when the job fixes N GPUs and the machine has more
// Adds a remark for each that was set.
std::map<std::string, std::string> chosen_variables(const EnvironmentRequest& request, bool uses_python,
                                                    std::vector<Remark>& remarks);

// The secrets by name from the caller's environment. kNotFound names all that are missing.
Result<std::map<std::string, std::string>> take_secrets(const EnvironmentRequest& request);

// Whether a variable of the caller belongs in the record with its value (CUDA_, NCCL_, OMP_, TORCH_, PYTHON…,
// HF_, PATH …).
bool is_recorded_variable(const std::string& name);

// {"set": {name: value…}, "inherited": {name: value…}, "other_names": [...]} without secrets.
Json describe_variables(const EnvironmentRequest& request,
                        const std::map<std::string, std::string>& set_for_job);

}  // namespace forebay
