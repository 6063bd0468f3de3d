// Translated texts. Every sentence a person reads goes through tr(); the msgid is the English text itself.
// Catalogues are gettext .po files under po/, compiled by msgfmt and carried inside the binary, so that they
// work in the bare "C" locale of a container too (glibc's own gettext is silent there). See
// docs/decisions/0003-translations.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

// "en" or "zh_CN". Chosen once at start: --lang, else FOREBAY_LANG, LC_ALL, LC_MESSAGES, LANG. Not
// thread-safe to change later.
void set_language(std::string_view language);
std::string_view current_language();
// The supported language for a value like "zh_CN.UTF-8", "zh-Hans", "zh", "en_US"; "en" when none fits.
std::string_view supported_language(std::string_view requested);
std::string_view language_from_environment();
// What a person asked for by name: "en", "en_US.UTF-8", "zh", "zh-CN", "zh_Hans" …; nothing for a language
// (or a script, zh_TW) that there is no catalogue of.
std::optional<std::string_view> language_named(std::string_view requested);
std::vector<std::string> languages();

// The translation of an English text, or the text itself. `text` must be a literal so that the catalogue
// check finds it. Texts with values use fmt's numbered fields, filled with fmt::format(fmt::runtime(tr("… {0}
// …")), value).
std::string_view tr(std::string_view text);
// Translation into a stated language (for a page that is written in another language than the terminal's).
std::string_view tr_in(std::string_view language, std::string_view text);

// Marks a literal that is translated later (in a table), so that scripts/check_translations.py finds it.
// Returns it unchanged.
constexpr std::string_view msgid(std::string_view text) {
  return text;
}

}  // namespace forebay
