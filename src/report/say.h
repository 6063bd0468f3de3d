// A translated sentence with its values, in a stated language: how every text of a report is made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace forebay {

// `msgid` must be a literal (scripts/check_translations.py finds it); `arguments` fill {0}, {1} … and are
// translated themselves where the catalogue knows them.
inline std::string say(std::string_view language, std::string_view msgid,
                       std::vector<std::string> arguments = {}) {
  return render_in(language, Text{std::string(msgid), std::move(arguments)});
}

}  // namespace forebay
