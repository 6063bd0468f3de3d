#include "report/style.h"

namespace forebay {

std::string paint(std::string_view text, Tone tone, const TerminalStyle& style) {
  if (!style.colour || text.empty()) return std::string(text);
  const char* code = "";
  switch (tone) {  // the 16-colour palette follows the person's own theme, light or dark
    case Tone::kPlain:
      return std::string(text);
    case Tone::kStrong:
      code = "1";
      break;
    case Tone::kDim:
      code = "2";
      break;
    case Tone::kGood:
      code = "32";
      break;
    case Tone::kWarning:
      code = "33";
      break;
    case Tone::kBad:
      code = "31";
      break;
    case Tone::kAccent:
      code = "36";
      break;
  }
  std::string painted = "\x1b[";
  painted.append(code).append("m").append(text).append("\x1b[0m");
  return painted;
}

}  // namespace forebay
