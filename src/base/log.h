// Forebay's own diagnostic log: a fixed event name and key=value pairs, one line each, to a file or to
// standard error. Not the job's log. Level by who must act: error = a person, warning = a person later, info
// = nobody.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace forebay {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
using LogField = std::pair<std::string_view, std::string>;

// Where lines go: a path to append to, or "" for standard error. Default: nowhere.
// FOREBAY_LOG=debug|info|warning|error sets the lowest level written (default info). Thread-safe.
void open_log(const std::string& path);
void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

}  // namespace forebay
