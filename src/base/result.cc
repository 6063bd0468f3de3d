#include "base/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace forebay {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return "invalid-input";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kAlreadyExists:
      return "already-exists";
    case ErrorCode::kPermissionDenied:
      return "permission-denied";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kResourceExhausted:
      return "resource-exhausted";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

std::string Error::sentence() const {
  std::string text = on.empty() ? fmt::format("cannot {}", tried) : fmt::format("cannot {} {}", tried, on);
  if (tried.empty()) text = on;
  if (!cause.empty()) text += (text.empty() ? "" : ": ") + cause;
  if (!advice.empty()) {
    if (!text.empty() && text.back() != '.') text += '.';
    text += " " + advice;
  }
  return text;
}

std::string Error::shown() const {
  const Error in_language{code, std::string(tr(tried)), on, std::string(tr(cause)), std::string(tr(advice))};
  if (current_language() == "en" || tried.empty()) return in_language.sentence();
  std::string text = fmt::format(fmt::runtime(tr("cannot {0}")), in_language.tried);
  if (!on.empty()) text += " " + on;
  if (!cause.empty()) text += fmt::format(fmt::runtime(tr(": {0}")), in_language.cause);
  if (!advice.empty()) text += fmt::format(fmt::runtime(tr(". {0}")), in_language.advice);
  return text;
}

namespace {
ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return ErrorCode::kResourceExhausted;
    case ETIMEDOUT:
      return ErrorCode::kTimeout;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case EAGAIN:
      return ErrorCode::kUnavailable;
    case EINTR:
    case ECANCELED:
      return ErrorCode::kCancelled;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorCode::kInvalidInput;
    default:
      return ErrorCode::kInternal;
  }
}
}  // namespace

namespace {
// What the operating system says most; looked up where it is shown.
[[maybe_unused]] constexpr std::string_view kSystemMessages[] = {
    msgid("No such file or directory"),
    msgid("Permission denied"),
    msgid("No space left on device"),
    msgid("Read-only file system"),
    msgid("Not a directory"),
    msgid("Is a directory"),
    msgid("File exists"),
    msgid("Operation not permitted"),
    msgid("Free some disk space and try again."),
};
}  // namespace

Error system_error(std::string tried, std::string on, int error_number) {
  std::string advice;
  if (error_number == ENOSPC || error_number == EDQUOT) advice = "Free some disk space and try again.";
  return Error{code_of(error_number), std::move(tried), std::move(on), std::strerror(error_number),
               std::move(advice)};
}

Error make_error(ErrorCode code, std::string tried, std::string on, std::string cause, std::string advice) {
  return Error{code, std::move(tried), std::move(on), std::move(cause), std::move(advice)};
}

}  // namespace forebay
