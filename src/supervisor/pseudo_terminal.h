// A pseudo-terminal pair and the few things asked of it. No state.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "supervisor/child.h"

namespace forebay {

struct PseudoTerminal {
  UniqueFd master;  // non-blocking
  UniqueFd slave;
};

Result<PseudoTerminal> open_pseudo_terminal(std::optional<WindowSize> size);
void set_window_size(int terminal, WindowSize size);

// The keys that mean something to a person while a program reads whole lines. Absent while a program reads
// single keys (an editor, a debugger, a prompt with history): then every key is the program's own.
struct LineKeys {
  char interrupt = 3;
  char suspend = 26;
  char end_of_input = 4;
};
std::optional<LineKeys> line_keys(int master);
// The group in the foreground of the terminal; 0 when there is none.
pid_t foreground_group(int master);

}  // namespace forebay
