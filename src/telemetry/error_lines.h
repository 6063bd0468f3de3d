// Finds the lines of a log that say why a run failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/units.h"

namespace forebay {

// The kind of an error line ("out_of_memory", "exception", "killed", "collective_timeout", "shared_memory",
// "disk_full", "crash"), or nothing. `in_traceback`: the line follows a Python traceback and is not indented.
std::optional<std::string_view> classify_error_line(std::string_view line, bool in_traceback);

// Keeps the first and the last few. Not thread-safe.
class ErrorLines {
 public:
  // True when it was one.
  bool add(std::string_view line, Instant time);
  Json to_json() const;

 private:
  struct Found {
    Instant time;
    std::string_view kind;  // a literal
    std::string line;
  };
  std::vector<Found> first_, last_;
  std::size_t next_ = 0;  // place in last_ of the oldest
  bool in_traceback_ = false;
};

}  // namespace forebay
