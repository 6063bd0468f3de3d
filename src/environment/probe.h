// Asks a Python interpreter what it is and what is installed in it (probe/environment_probe.py).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/units.h"

namespace forebay {

// `interpreter`: the words that run it. `environment` and `cwd`: as the job has them. Passwords in URLs are
// blanked in the answer. Errors: those of run_program; kUnsupported when it is no Python 3.6 or later or says
// nothing readable.
Result<Json> ask_interpreter(const std::vector<std::string>& interpreter, const Json& request,
                             const std::map<std::string, std::string>& environment, const std::string& cwd,
                             Duration deadline);

}  // namespace forebay
