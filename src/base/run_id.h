// Names of runs: eight characters that are easy to read aloud and to type, beginning with a letter.
#pragma once

#include <string>

namespace forebay {

// Random; Crockford's base 32 in lower case (no i, l, o, u). 22 × 32^7 ≈ 7.6e11 possibilities: the caller
// still checks for a clash.
std::string new_run_id();

}  // namespace forebay
