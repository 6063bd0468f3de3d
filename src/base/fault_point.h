// Named places at which a test can have this process killed (kill -9), to prove that every state survives it.
#pragma once

#include <string_view>
#include <vector>

namespace forebay {

// Dies at once by SIGKILL when FOREBAY_FAULT names this point ("attempt:after-outcome"); costs one getenv
// otherwise.
void fault_point(std::string_view name);

}  // namespace forebay
