// The bytes of a job file before anybody parses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/yaml_tree.h"

namespace forebay {

struct SourceText {
  std::string
      text;  // UTF-8, without a byte order mark, every line end a line feed; empty when there are problems
  std::vector<YamlProblem> problems;
};

// Size, encoding and control characters. CRLF, lone CR and a UTF-8 byte order mark are fine.
SourceText check_source_text(std::string_view bytes);

}  // namespace forebay
