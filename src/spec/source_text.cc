#include "spec/source_text.h"

#include "spec/job_file.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

// Length of the UTF-8 sequence at `bytes`, 0 if it is none (overlong forms, surrogates and more than U+10FFFF
// included).
std::size_t sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (at(i) & 0xC0u) == 0x80u; };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && at(1) < 0xA0) return 0;
    if (first == 0xED && at(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && at(1) < 0x90) return 0;
    if (first == 0xF4 && at(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

SourceText refused(YamlPosition position, std::string sentence) {
  return {{}, {{position, std::move(sentence)}}};
}

}  // namespace

SourceText check_source_text(std::string_view bytes) {
  if (bytes.size() > kMaximumJobFileSize)
    return refused({}, say(tr("This file has {0} bytes; a job file has at most {1}. Is it the right file?"),
                           bytes.size(), kMaximumJobFileSize));
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    return refused({1, 1}, std::string(tr("This file is in UTF-16. Save it as UTF-8.")));
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  SourceText source;
  source.text.reserve(bytes.size());
  YamlPosition position{1, 1};
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = sequence_length(bytes.substr(i));
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (length == 0)
      return refused(position,
                     say(tr("The byte 0x{0:02X} here is not UTF-8 text. Save the file as UTF-8."), byte));
    if (byte == '\r' || byte == '\n') {
      if (byte == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n') ++i;
      source.text += '\n';
      position = {position.line + 1, 1};
      ++i;
      continue;
    }
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
      return refused(position, say(tr("There is a control character (0x{0:02X}) here. Remove it, or write it "
                                      "as \"\\x{0:02X}\" in double quotes."),
                                   byte));
    source.text.append(bytes.substr(i, length));
    i += length;
    ++position.column;
  }
  return source;
}

}  // namespace forebay
