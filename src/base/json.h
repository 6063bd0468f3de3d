// A JSON value. The only way JSON is read or written in this program (nlohmann/json stays behind json.cc).
// Objects keep the order in which keys were added. Integers and reals are kept apart. A value semantic type;
// not thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace forebay {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}
  Json(unsigned value) : value_(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint64_t value) : value_(static_cast<std::int64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  // An unknown value is null, never 0.
  template <typename T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }
  template <typename T>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}

  static Json array() {
    Json j;
    j.value_ = Array{};
    return j;
  }
  static Json object() {
    Json j;
    j.value_ = Object{};
    return j;
  }
  static Json object(std::initializer_list<Member> members) {
    Json j;
    j.value_ = Object(members);
    return j;
  }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_number() const {
    return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<double>(value_);
  }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Typed reads: nothing when the value has another type (a real that is whole reads as integer; integers
  // read as real).
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_double() const;
  std::optional<std::string> as_string() const;
  // Empty when the value is not a string / array / object.
  const std::string& string_or_empty() const;
  const Array& items() const;
  const Object& members() const;

  // Member lookup: a shared null when absent or when this is no object.
  const Json& operator[](std::string_view key) const;
  const Json& at(std::size_t index) const;
  bool contains(std::string_view key) const;
  std::size_t size() const;

  // Sets or replaces a member (a null value becomes an object first). Returns *this.
  Json& set(std::string_view key, Json value);
  Json& push(Json value);

  // Compact when indent is 0. Invalid UTF-8 in strings is replaced by U+FFFD; NaN and infinities are written
  // as null.
  std::string dump(int indent = 0) const;
  // `name` is what the text is called in the error ("run.json"). At most 64 levels deep.
  static Result<Json> parse(std::string_view text, const std::string& name);

  bool operator==(const Json& other) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

}  // namespace forebay
