#include "base/message.h"

#include "base/text.h"

namespace forebay {
namespace {

// Length of a field "{12}" at the front of `text` and its number; 0 when there is none. Own substitution
// instead of fmt: a text read back from a record may come from anywhere, and a field like {0:>999999999} must
// not be obeyed.
std::size_t field_length(std::string_view text, std::size_t& number) {
  std::size_t at = 1;
  number = 0;
  while (at < text.size() && at < 4 && text[at] >= '0' && text[at] <= '9')
    number = number * 10 + static_cast<std::size_t>(text[at++] - '0');
  return at > 1 && at < text.size() && text[at] == '}' ? at + 1 : 0;
}

}  // namespace

std::string render_in(std::string_view language, const Text& text) {
  std::string_view pattern = tr_in(language, text.msgid);
  std::string out;
  while (!pattern.empty()) {
    std::size_t number = 0;
    if (pattern.starts_with("{{") || pattern.starts_with("}}")) {
      out += pattern[0];
      pattern.remove_prefix(2);
    } else if (const std::size_t length = pattern[0] == '{' ? field_length(pattern, number) : 0;
               length > 0 && number < text.args.size()) {
      out += tr_in(language, text.args[number]);
      pattern.remove_prefix(length);
    } else {
      out += pattern[0];
      pattern.remove_prefix(1);
    }
  }
  return out;
}

std::string render(const Text& text) {
  return render_in(current_language(), text);
}

Json Text::to_json() const {
  Json json = Json::object({{"text", render_in("en", *this)}, {"msgid", msgid}});
  if (!args.empty()) json.set("args", Json(args));
  return json;
}

Text Text::from_json(const Json& json) {
  Text text{json["msgid"].string_or_empty(), {}};
  if (text.msgid.empty()) text.msgid = json["text"].string_or_empty();
  for (const Json& argument : json["args"].items()) text.args.push_back(argument.string_or_empty());
  return text;
}

}  // namespace forebay
