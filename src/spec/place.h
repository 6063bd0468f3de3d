// Where a run may execute: "local", "any", "aws/us-east-1", "ssh:lab".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

struct Place {
  std::string engine;  // one of known_engines(), or "any"
  std::string name;    // after ":" — a host, a cluster ("lab"); may be empty
  std::string region;  // after "/" — a region, or region/zone; may be empty
  std::string text() const;
  bool operator==(const Place&) const = default;
};

// Engine names a job file may use, also those this release cannot run on yet.
const std::vector<std::string_view>& known_engines();
// Nothing when the text does not have the shape of a place or names no known engine.
std::optional<Place> parse_place(std::string_view text);

}  // namespace forebay
