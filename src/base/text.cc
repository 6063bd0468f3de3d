#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/embedded.h"
#include "base/environment_variable.h"

namespace forebay {
namespace {

struct Language {
  std::string_view name;
  std::string_view catalogue;
};
constexpr std::array<Language, 2> kLanguages{{{"en", ""}, {"zh_CN", "po/zh_CN.mo"}}};
std::string_view chosen = "en";

// Reads one number of a .mo file (GNU gettext manual, "The Format of GNU MO Files"); ours are little-endian.
std::uint32_t word(std::string_view catalogue, std::size_t offset) {
  std::uint32_t value = 0;
  if (offset + 4 <= catalogue.size()) std::memcpy(&value, catalogue.data() + offset, 4);
  return value;
}

std::string_view entry(std::string_view catalogue, std::uint32_t table, std::uint32_t index) {
  const std::uint32_t length = word(catalogue, table + index * 8);
  const std::uint32_t offset = word(catalogue, table + index * 8 + 4);
  if (static_cast<std::size_t>(offset) + length > catalogue.size()) return {};
  return catalogue.substr(offset, length);
}

std::string_view look_up(std::string_view catalogue, std::string_view text) {
  if (word(catalogue, 0) != 0x950412de) return text;
  const std::uint32_t originals = word(catalogue, 12), translations = word(catalogue, 16);
  std::uint32_t low = 0, high = word(catalogue, 8);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::string_view found = entry(catalogue, originals, middle);
    if (found == text) {
      const std::string_view translated = entry(catalogue, translations, middle);
      return translated.empty() ? text : translated;
    }
    if (found < text)
      low = middle + 1;
    else
      high = middle;
  }
  return text;
}

}  // namespace

std::string_view supported_language(std::string_view requested) {
  if (requested.starts_with("zh")) return "zh_CN";
  return "en";
}

std::optional<std::string_view> language_named(std::string_view requested) {
  std::string name(requested.substr(0, requested.find_first_of(".@")));
  std::ranges::replace(name, '-', '_');
  for (const std::string_view simplified : {"zh", "zh_CN", "zh_SG", "zh_Hans"})
    if (name == simplified || (simplified == "zh_Hans" && name.starts_with("zh_Hans_"))) return "zh_CN";
  if (name == "en" || name.starts_with("en_")) return "en";
  return std::nullopt;
}

std::vector<std::string> languages() {
  std::vector<std::string> names;
  for (const Language& language : kLanguages) names.emplace_back(language.name);
  return names;
}

std::string_view language_from_environment() {
  for (const char* name : {"FOREBAY_LANG", "LC_ALL", "LC_MESSAGES", "LANG"})
    if (const auto value = environment_variable(name); value && !value->empty())
      return supported_language(*value);
  return "en";
}

void set_language(std::string_view language) {
  chosen = supported_language(language);
}
std::string_view current_language() {
  return chosen;
}

std::string_view tr_in(std::string_view language, std::string_view text) {
  for (const Language& known : kLanguages) {
    if (known.name != language || known.catalogue.empty() || text.empty()) continue;
    const auto catalogue = embedded_file(known.catalogue);
    return catalogue ? look_up(*catalogue, text) : text;
  }
  return text;
}

std::string_view tr(std::string_view text) {
  return tr_in(chosen, text);
}

}  // namespace forebay
