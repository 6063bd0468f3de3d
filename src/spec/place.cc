#include "spec/place.h"

#include <algorithm>
#include <cctype>

namespace forebay {
namespace {

bool is_place_name(std::string_view name, std::string_view also) {
  return !name.empty() && name.size() <= 128 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [&](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.' ||
                  also.find(static_cast<char>(c)) != std::string_view::npos;
         });
}

}  // namespace

std::string Place::text() const {
  if (!name.empty()) return engine + ":" + name;
  return region.empty() ? engine : engine + "/" + region;
}

const std::vector<std::string_view>& known_engines() {
  static const std::vector<std::string_view> engines{
      "local",  "ssh",    "aws",    "gcp",   "azure",      "alibaba", "tencent",   "volcengine", "autodl",
      "lambda", "runpod", "nebius", "slurm", "kubernetes", "ray",     "aws-batch", "cloud-run"};
  return engines;
}

std::optional<Place> parse_place(std::string_view text) {
  const std::size_t end = text.find_first_of("/:");
  Place place;
  place.engine = std::string(text.substr(0, end));
  const auto& engines = known_engines();
  if (place.engine != "any" && std::find(engines.begin(), engines.end(), place.engine) == engines.end())
    return std::nullopt;
  const bool is_bare = place.engine == "any" || place.engine == "local";
  if (end == std::string_view::npos) {
    if (place.engine == "ssh") return std::nullopt;
    return place;
  }
  const std::string_view rest = text.substr(end + 1);
  if (is_bare) return std::nullopt;
  // A host may carry its user and port: ssh:me@lab:2222.
  if (text[end] == ':' && is_place_name(rest, "@:")) {
    place.name = std::string(rest);
    return place;
  }
  if (text[end] == '/' && is_place_name(rest, "/") && rest.back() != '/') {
    place.region = std::string(rest);
    return place;
  }
  return std::nullopt;
}

}  // namespace forebay
