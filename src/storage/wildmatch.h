// Glob patterns with git's meaning: * and ? do not cross "/", ** does, [a-z], [!a-z], [[:alpha:]], backslash
// escapes.
#pragma once

#include <string_view>

namespace forebay {

// Whether the whole of `text` matches. `paths`: "/" is special (git's WM_PATHNAME); else * crosses it. Linear
// memory; the number of steps is bounded, a pathological pattern counts as no match.
bool wildmatch(std::string_view pattern, std::string_view text, bool paths = true);

}  // namespace forebay
