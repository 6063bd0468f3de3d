#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/environment_variable.h"

namespace forebay {
namespace {

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool needs_quotes(const std::string& value) {
  return value.empty() || value.find_first_of(" \"=\n\t\r") != std::string::npos;
}

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

void open_log(const std::string& path) {
  try {
    if (path.empty())
      logger() = spdlog::stderr_logger_mt("forebay");
    else
      logger() = spdlog::basic_logger_mt("forebay", path);
    spdlog::drop("forebay");
    logger()->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger()->set_level(spdlog::level::from_str(environment_variable("FOREBAY_LOG").value_or("info")));
    logger()->flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex&) {
    logger().reset();  // a log that cannot be written must not stop a run
  }
}

void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!logger()) return;
  std::string line(event);
  for (const auto& [key, value] : fields) {
    line += ' ';
    line += key;
    line += '=';
    line += needs_quotes(value) ? quoted(value) : value;
  }
  logger()->log(level_of(level), line);
}

}  // namespace forebay
