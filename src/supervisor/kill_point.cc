#include "supervisor/kill_point.h"

#include <signal.h>
#include <unistd.h>

#include <string>

#include "base/environment_variable.h"

namespace forebay {
namespace {
std::string& armed() {
  static std::string name;
  return name;
}
}  // namespace

void arm_kill_points() {
  armed() = environment_variable("FOREBAY_KILL_AT").value_or("");
}

void kill_point(std::string_view name) {
  if (!armed().empty() && armed() == name) ::kill(::getpid(), SIGKILL);
}

}  // namespace forebay
