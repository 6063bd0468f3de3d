// Errors as values with a story, and Result<T>, the return type of everything that can fail across a room
// border.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace forebay {

// Closed list: what kind of failure it is. The name (error_code_name) is stable and appears in --json and
// outcome files.
enum class ErrorCode {
  kInvalidInput,       // a file, flag or value a person gave is wrong
  kNotFound,           // a run, file, command or key does not exist
  kAlreadyExists,      //
  kPermissionDenied,   // the operating system or a policy said no
  kConflict,           // somebody else changed it first (stale epoch, lock held)
  kUnsupported,        // asked for something this program or machine cannot do
  kResourceExhausted,  // disk full, out of memory, limits of the machine
  kCorrupt,            // data read back fails its checksum or its format
  kUnavailable,        // the other side does not answer; trying again may help
  kCancelled,          // a person or a signal asked to stop
  kTimeout,            //
  kInternal,           // a fault of this program
};
std::string_view error_code_name(ErrorCode code);

// One failure. `tried` is a verb phrase ("read the job file"), `on` what it was tried on (path,
// FILE:LINE:COL, run id), `cause` the reason as far as known, `advice` what to do (may be empty). All four
// are shown to people; never put a secret in.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string tried;
  std::string on;
  std::string cause;
  std::string advice;

  // One sentence for people: "cannot <tried> <on>: <cause>. <advice>"
  std::string sentence() const;
  // The same in the chosen language: its parts are msgids where they are literals of make_error and its like.
  std::string shown() const;
};

// An Error made from errno (or a given error number): code and cause are filled in.
Error system_error(std::string tried, std::string on, int error_number);
Error make_error(ErrorCode code, std::string tried, std::string on, std::string cause,
                 std::string advice = {});

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::unexpected(std::move(error))) {}

  bool has_value() const { return state_.has_value(); }
  explicit operator bool() const { return state_.has_value(); }
  T& value() & { return *state_; }
  const T& value() const& { return *state_; }
  T&& value() && { return *std::move(state_); }
  T& operator*() & { return *state_; }
  const T& operator*() const& { return *state_; }
  T&& operator*() && { return *std::move(state_); }
  T* operator->() { return &*state_; }
  const T* operator->() const { return &*state_; }
  const Error& error() const& { return state_.error(); }
  Error&& error() && { return std::move(state_).error(); }
  T value_or(T fallback) const& { return state_.value_or(std::move(fallback)); }

 private:
  std::expected<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::unexpected(std::move(error))) {}
  bool has_value() const { return state_.has_value(); }
  explicit operator bool() const { return state_.has_value(); }
  const Error& error() const& { return state_.error(); }
  Error&& error() && { return std::move(state_).error(); }

 private:
  std::expected<void, Error> state_;
};

}  // namespace forebay

#define FOREBAY_CONCAT_INNER(a, b) a##b
#define FOREBAY_CONCAT(a, b) FOREBAY_CONCAT_INNER(a, b)

// FOREBAY_TRY(auto x, expression): x is the value, or the enclosing function returns the error.
#define FOREBAY_TRY(declaration, expression) \
  FOREBAY_TRY_INNER(FOREBAY_CONCAT(forebay_try_, __LINE__), declaration, expression)
#define FOREBAY_TRY_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                              \
  if (!temporary) return std::move(temporary).error();        \
  declaration = *std::move(temporary)

// FOREBAY_CHECK(expression): for Result<void>.
#define FOREBAY_CHECK(expression)                                                                      \
  do {                                                                                                 \
    if (auto forebay_check_ = (expression); !forebay_check_) return std::move(forebay_check_).error(); \
  } while (false)
