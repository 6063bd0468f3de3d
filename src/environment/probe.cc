#include "environment/probe.h"

#include "base/embedded.h"
#include "base/text.h"
#include "environment/redact.h"
#include "environment/run_program.h"

namespace forebay {

Result<Json> ask_interpreter(const std::vector<std::string>& interpreter, const Json& request,
                             const std::map<std::string, std::string>& environment, const std::string& cwd,
                             Duration deadline) {
  const auto script = embedded_file("src/environment/probe/environment_probe.py");
  if (!script)
    return make_error(ErrorCode::kInternal, "ask the interpreter", interpreter.empty() ? "" : interpreter[0],
                      "the probe is missing");
  std::vector<std::string> argv = interpreter;
  // Isolated: neither PYTHONPATH nor the folder the job starts in can put another module in the way.
  for (const char* word : {"-I", "-c"}) argv.emplace_back(word);
  argv.emplace_back(*script);
  ProgramSettings settings;
  settings.cwd = cwd;
  settings.environment = environment;
  settings.environment.erase("PYTHONHOME");
  settings.deadline = deadline;
  settings.input = request.dump();
  settings.output_limit = 32u << 20;
  FOREBAY_TRY(const ProgramResult result, run_program(argv, settings));
  constexpr std::string_view kMark = "\nFOREBAY-PROBE ";
  const std::size_t mark = result.output.rfind(kMark);
  if (result.exit_code != 0 || mark == std::string::npos)
    return make_error(ErrorCode::kUnsupported, "ask the interpreter", interpreter[0],
                      std::string(tr("it did not answer as Python 3.6 or later does")));
  return Json::parse(redact_urls(std::string_view(result.output).substr(mark + kMark.size())),
                     interpreter[0]);
}

}  // namespace forebay
