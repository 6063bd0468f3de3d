// How text for a terminal may look. Decided once by the command line (is it a terminal, NO_COLOR, width);
// honoured here.
#pragma once

#include <string>
#include <string_view>

namespace forebay {

struct TerminalStyle {
  int width = 80;       // columns; lines are never wider (at least 40 is assumed)
  bool colour = false;  // ANSI SGR sequences
  bool unicode =
      true;  // block characters, bullets, arrows; otherwise plain ASCII (translated words stay as they are)
};

// What a piece of text means; the style decides how that looks.
enum class Tone { kPlain, kStrong, kDim, kGood, kWarning, kBad, kAccent };
// The text with SGR sequences around it, or unchanged without colour. `text` must not hold escape sequences
// itself.
std::string paint(std::string_view text, Tone tone, const TerminalStyle& style);

}  // namespace forebay
