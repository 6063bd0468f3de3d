#include <csignal>

#include "cli/verbs.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error value here, not a death
  return forebay::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
