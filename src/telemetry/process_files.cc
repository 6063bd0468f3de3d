// Parsers of the files of one process.
#include "telemetry/process_tree.h"
#include "telemetry/text_cursor.h"

namespace forebay {

// proc(5): "pid (name) S ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime
// cstime priority nice threads itrealvalue starttime vsize rss …"; the name may hold blanks and ')', so the
// last ')' ends it.
std::optional<StatLine> parse_stat_line(std::string_view text) {
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  TextCursor cursor(text.substr(close + 1));
  const std::string_view state = cursor.word();
  const auto parent = cursor.number();
  if (state.size() != 1 || !parent || *parent > INT32_MAX || !cursor.skip_words(9)) return std::nullopt;
  const auto user = cursor.number(), system = cursor.number(), reaped_user = cursor.number(),
             reaped_system = cursor.number();
  if (!user || !system || !reaped_user || !reaped_system || !cursor.skip_words(2)) return std::nullopt;
  const auto threads = cursor.number();
  if (!threads || !cursor.skip_words(1)) return std::nullopt;
  const auto start = cursor.number();
  if (!start || !cursor.skip_words(1)) return std::nullopt;
  const auto resident = cursor.number();
  if (!resident) return std::nullopt;
  return StatLine{.parent = static_cast<std::int64_t>(*parent),
                  .state = state[0],
                  .own_ticks = *user + *system,
                  .reaped_ticks = *reaped_user + *reaped_system,
                  .threads = static_cast<std::int64_t>(*threads & INT32_MAX),
                  .start_ticks = *start,
                  .resident_pages = *resident};
}

std::optional<IoCounts> parse_io(std::string_view text) {
  IoCounts counts;
  int found = 0;
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    TextCursor line(cursor.line());
    const std::string_view key = line.word();
    std::uint64_t* into = key == "rchar:"         ? &counts.read_characters
                          : key == "wchar:"       ? &counts.write_characters
                          : key == "read_bytes:"  ? &counts.read_bytes
                          : key == "write_bytes:" ? &counts.write_bytes
                                                  : nullptr;
    if (into == nullptr) continue;
    const auto value = line.number();
    if (!value) return std::nullopt;
    *into = *value;
    ++found;
  }
  return found == 4 ? std::optional(counts) : std::nullopt;
}

std::optional<std::uint64_t> parse_proportional_size(std::string_view text) {
  TextCursor cursor(text);
  while (!cursor.at_end()) {
    TextCursor line(cursor.line());
    if (line.word() != "Pss:") continue;
    const auto kibibytes = line.number();
    if (!kibibytes || *kibibytes > (1ull << 50)) return std::nullopt;
    return *kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace forebay
