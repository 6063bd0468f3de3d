// From an output request to the list of what is to be copied, before anything is touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/outputs.h"

namespace forebay {

struct PlannedItem {
  enum class Kind { kFile, kLink, kFolder } kind = Kind::kFile;
  std::string source;       // absolute
  std::string relative;     // below the destination folder, "" when the destination is the file itself
  std::string link_target;  // of a link
  std::int64_t bytes = 0;
};

struct PlannedCopy {
  std::string destination_folder;  // absolute
  std::vector<PlannedItem> items;  // folders before what they hold
  std::vector<std::string> skipped;
  std::int64_t bytes = 0;
};

// $NAME and ${NAME} of `variables`, "$$" for a dollar. kInvalidInput names an unknown one.
Result<std::string> expand_variables(const std::string& text,
                                     const std::map<std::string, std::string>& variables);
// file:///x, file://localhost/x (percent-encoding resolved) or a plain path → absolute path. kUnsupported
// another scheme.
Result<std::string> destination_path(const OutputRequest& request, const OutputSettings& settings);
// Errors: kNotFound nothing matches, kInvalidInput the destination lies inside the source.
Result<PlannedCopy> plan_copy(const OutputRequest& request, const OutputSettings& settings);

}  // namespace forebay
