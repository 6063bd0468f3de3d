// What the YAML parser's terse messages mean to the person who wrote the file.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

struct YamlFault {
  std::string_view message;  // the parser's own
  std::string_view line;     // the whole line it points at
  std::size_t column = 0;    // bytes, from 0
  int open_quote_line = 0;   // where a quoted text began that ended just before, over several lines; 0: none
};

// Is it about a backslash in double quotes?
bool is_escape_fault(std::string_view message);
std::string explain_yaml_fault(const YamlFault& fault);

}  // namespace forebay
