// Where a verb prints: knows whether people or programs read, and how wide and colourful it may be.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace forebay {

// Exit codes of Forebay's own (docs/exit-codes.md).
constexpr int kExitUsage = 2;
constexpr int kExitInfrastructure = 125;

struct Console {
  bool json = false;
  bool output_is_terminal = false;
  bool error_is_terminal = false;
  bool colour = false;  // on standard output
  int width = 80;

  // Writes to standard output; when nobody reads any more (EPIPE) the process ends quietly with 141, as under
  // SIGPIPE.
  void print(std::string_view text) const;
  void print_json(const Json& value) const;
  // One line on standard error, prefixed "forebay: ". In --json mode also {"error": …} on standard output.
  void complain(const Error& error) const;
  void remark(std::string_view text) const;
};

// `colour_option`: auto, always, never. NO_COLOR and TERM=dumb mean never in auto.
Console make_console(bool as_json, const std::string& colour_option);
// The exit code for an error that kept a verb from its work: 2 for bad input and unknown runs, 125 otherwise.
int exit_code_for(const Error& error);

}  // namespace forebay
