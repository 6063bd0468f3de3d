// Where a test may let a process of the supervisor die as by kill -9: FOREBAY_KILL_AT names the point. Does
// nothing otherwise.
#pragma once

#include <string_view>

namespace forebay {

void arm_kill_points();  // reads the environment once
void kill_point(std::string_view name);

}  // namespace forebay
