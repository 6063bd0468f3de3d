// A shell line taken apart far enough to see which programs it names. Nothing is expanded or run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// Simple commands (separated by newline ; & && || | and parentheses) and their words, quotes and backslashes
// taken away, comments and redirections left out. At most the first 64 KiB and 4,096 words.
std::vector<std::vector<std::string>> split_shell_line(std::string_view line);

// The word as a shell would read it back: quoted only when it must be.
std::string shell_quoted(std::string_view word);

}  // namespace forebay
