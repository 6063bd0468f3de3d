#include "spec/sentence.h"

#include <fmt/format.h>

namespace forebay {
namespace {

constexpr std::size_t kMaximumShown = 60;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string say_with(std::string_view translated_format, fmt::format_args arguments) {
  try {
    return fmt::vformat(translated_format, arguments);
  } catch (const fmt::format_error&) {
    return std::string(translated_format);
  }
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  return joined(std::vector<std::string_view>(words.begin(), words.end()));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 controls are two bytes in UTF-8: C2 80 … C2 9F.
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (is_c1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string shown(std::string_view text) {
  std::size_t characters = 0;
  std::size_t end = 0;
  while (end < text.size() && (is_continuation(text[end]) || ++characters <= kMaximumShown)) ++end;
  return fmt::format("\"{}{}\"", escaped(text.substr(0, end)), end < text.size() ? "…" : "");
}

std::string listed_or(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? std::string(tr(" or ")) : std::string(tr(", "));
    out += words[i];
  }
  return out;
}

}  // namespace forebay
