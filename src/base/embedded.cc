#include "base/embedded.h"

extern "C" {
struct ForebayEmbeddedEntry {
  const char* name;
  const char* data;
  const char* end;
};
extern const ForebayEmbeddedEntry
    forebay_embedded_table[];  // made by cmake/Knowledge.cmake, ends with a null entry
}

namespace forebay {

std::optional<std::string_view> embedded_file(std::string_view path) {
  for (const ForebayEmbeddedEntry* entry = forebay_embedded_table; entry->name != nullptr; ++entry)
    if (path == entry->name)
      return std::string_view(entry->data, static_cast<std::size_t>(entry->end - entry->data));
  return std::nullopt;
}

std::vector<std::string_view> embedded_files(std::string_view prefix) {
  std::vector<std::string_view> found;
  for (const ForebayEmbeddedEntry* entry = forebay_embedded_table; entry->name != nullptr; ++entry)
    if (std::string_view(entry->name).starts_with(prefix)) found.emplace_back(entry->name);
  return found;
}

}  // namespace forebay
