// The known name nearest to a mistyped one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace forebay {

// Edits (insert, delete, replace, swap of neighbours) that turn one into the other, letter case ignored.
std::size_t edit_distance(std::string_view one, std::string_view other);
// The nearest of `known`, if it is near enough to be what was meant: at most a third of the longer name's
// letters.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& known);

}  // namespace forebay
