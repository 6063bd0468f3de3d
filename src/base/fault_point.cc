#include "base/fault_point.h"

#include <signal.h>
#include <unistd.h>

#include "base/environment_variable.h"

namespace forebay {

void fault_point(std::string_view name) {
  const auto wanted = environment_variable("FOREBAY_FAULT");
  if (!wanted || *wanted != name) return;
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

}  // namespace forebay
