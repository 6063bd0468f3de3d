// What the schema table says in words, for the help page (in the chosen language) and the reference page
// (English).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "spec/schema.h"

namespace forebay {

using Translate = std::function<std::string_view(std::string_view)>;

// How the value is written: "a size with its unit, such as 32GiB, …"; empty for sections.
std::string notation_of(const Field& field, const Translate& translate);
// "policy:\n  idle_stop: 15m\n" for "policy.idle_stop": a whole job file with the example in its place.
std::string example_file(const Field& field);
// Breaks text into lines of at most `width` columns (wide characters count two), each after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace forebay
