#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/environment_variable.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

namespace forebay {

void Console::print(std::string_view text) const {
  if (const auto written = write_all(STDOUT_FILENO, text, "standard output"); !written) {
    if (errno == EPIPE) std::_Exit(141);
    complain(written.error());
    std::_Exit(kExitInfrastructure);
  }
}

void Console::print_json(const Json& value) const {
  print(value.dump(2) + "\n");
}

void Console::complain(const Error& error) const {
  if (json) {
    const Json story = Json::object({{"code", error_code_name(error.code)},
                                     {"tried", error.tried},
                                     {"on", error.on},
                                     {"cause", error.cause},
                                     {"advice", error.advice},
                                     {"sentence", error.sentence()}});
    (void)write_all(STDOUT_FILENO, Json::object({{"error", story}}).dump(2) + "\n", "standard output");
  }
  remark(error.shown());
}

void Console::remark(std::string_view text) const {
  const char* red = error_is_terminal && !environment_variable("NO_COLOR") ? "\033[1m" : "";
  const char* plain = *red != '\0' ? "\033[0m" : "";
  (void)write_all(STDERR_FILENO, fmt::format("{}forebay:{} {}\n", red, plain, text), "standard error");
}

Console make_console(bool as_json, const std::string& colour_option) {
  Console console;
  console.json = as_json;
  console.output_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  console.error_is_terminal = ::isatty(STDERR_FILENO) != 0;
  const auto no_colour = environment_variable("NO_COLOR");
  const bool plain =
      (no_colour && !no_colour->empty()) || environment_variable("TERM").value_or("") == "dumb";
  console.colour =
      colour_option == "always" || (colour_option != "never" && console.output_is_terminal && !plain);
  winsize size{};
  if (console.output_is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    console.width = size.ws_col;
  else if (const auto columns = environment_variable("COLUMNS"))
    console.width = static_cast<int>(whole_integer(*columns).value_or(80));
  if (console.width < 20) console.width = 80;
  return console;
}

int exit_code_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kNotFound:
    case ErrorCode::kUnsupported:
      return kExitUsage;
    default:
      return kExitInfrastructure;
  }
}

}  // namespace forebay
