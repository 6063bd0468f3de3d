// A sentence that is kept with its values apart, so that a record written today can be read in any language
// later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace forebay {

// `msgid` is the English text with fields {0}, {1} … ({{ and }} are braces); `args` fill them. Arguments are
// numbers with units that read the same in every language ("38 %", "1.2 s"), names taken from the run, or
// texts that are themselves translated.
struct Text {
  std::string msgid;
  std::vector<std::string> args;

  bool empty() const { return msgid.empty(); }
  bool operator==(const Text&) const = default;
  // {"text": the English sentence, "msgid": …, "args": […]}; a reader of --json needs only "text".
  Json to_json() const;
  static Text from_json(const Json& json);  // tolerant: what is missing is empty
};

// The sentence in the chosen language, or in a stated one. A field without its argument is left as it stands;
// never fails.
std::string render(const Text& text);
std::string render_in(std::string_view language, const Text& text);

}  // namespace forebay
