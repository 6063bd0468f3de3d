#include "base/json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace forebay {
namespace {

constexpr std::size_t kMaximumDepth = 64;

const Json& null_json() {
  static const Json value;
  return value;
}

// Builds our value from nlohmann's parser events, so that no second tree is made.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return put(Json()); }
  bool boolean(bool value) override { return put(Json(value)); }
  bool number_integer(number_integer_t value) override { return put(Json(static_cast<std::int64_t>(value))); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return put(Json(static_cast<double>(value)));
    return put(Json(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(Json(value)); }
  bool string(string_t& value) override { return put(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(string_t& value) override {
    keys_.back() = std::move(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& exception) override {
    position_ = position;
    cause_ = exception.what();
    if (const auto colon = cause_.rfind("; "); colon != std::string::npos) cause_ = cause_.substr(colon + 2);
    return false;
  }

  Json result_;
  std::string cause_ = "it is nested too deeply";
  std::size_t position_ = 0;

 private:
  bool put(Json value) {
    if (stack_.empty()) {
      result_ = std::move(value);
    } else if (stack_.back().is_object()) {
      stack_.back().set(keys_.back(), std::move(value));
    } else {
      stack_.back().push(std::move(value));
    }
    return true;
  }
  bool open(Json value) {
    if (stack_.size() >= kMaximumDepth) return false;
    stack_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json value = std::move(stack_.back());
    stack_.pop_back();
    keys_.pop_back();
    return put(std::move(value));
  }

  std::vector<Json> stack_;
  std::vector<std::string> keys_;
};

void append_escaped(std::string& out, const std::string& text) {
  // nlohmann's serializer knows UTF-8 and every escape.
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_newline(std::string& out, int indent, int depth) {
  if (indent == 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
}

void append(std::string& out, const Json& value, int indent, int depth) {
  if (value.is_string()) return append_escaped(out, value.string_or_empty());
  if (value.is_object()) {
    if (value.members().empty()) {
      out += "{}";
      return;
    }
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.members()) {
      if (!first) out += ',';
      first = false;
      append_newline(out, indent, depth + 1);
      append_escaped(out, key);
      out += indent == 0 ? ":" : ": ";
      append(out, member, indent, depth + 1);
    }
    append_newline(out, indent, depth);
    out += '}';
    return;
  }
  if (value.is_array()) {
    if (value.items().empty()) {
      out += "[]";
      return;
    }
    out += '[';
    bool first = true;
    for (const Json& item : value.items()) {
      if (!first) out += ',';
      first = false;
      append_newline(out, indent, depth + 1);
      append(out, item, indent, depth + 1);
    }
    append_newline(out, indent, depth);
    out += ']';
    return;
  }
  if (const auto truth = value.as_bool()) {
    out += *truth ? "true" : "false";
    return;
  }
  if (value.is_integer()) {
    out += fmt::format("{}", *value.as_integer());
    return;
  }
  if (const auto real = value.as_double(); real && std::isfinite(*real)) {
    out += fmt::format("{}", *real);
    return;
  }
  out += "null";
}

}  // namespace

std::optional<bool> Json::as_bool() const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value;
  return std::nullopt;
}

std::optional<std::int64_t> Json::as_integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  if (const auto* value = std::get_if<double>(&value_);
      value && std::fabs(*value) < 9e15 && std::floor(*value) == *value)
    return static_cast<std::int64_t>(*value);
  return std::nullopt;
}

std::optional<double> Json::as_double() const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  return std::nullopt;
}

std::optional<std::string> Json::as_string() const {
  if (const auto* value = std::get_if<std::string>(&value_)) return *value;
  return std::nullopt;
}

const std::string& Json::string_or_empty() const {
  static const std::string empty;
  const auto* value = std::get_if<std::string>(&value_);
  return value ? *value : empty;
}

const Json::Array& Json::items() const {
  static const Array empty;
  const auto* value = std::get_if<Array>(&value_);
  return value ? *value : empty;
}

const Json::Object& Json::members() const {
  static const Object empty;
  const auto* value = std::get_if<Object>(&value_);
  return value ? *value : empty;
}

const Json& Json::operator[](std::string_view key) const {
  for (const auto& [name, value] : members())
    if (name == key) return value;
  return null_json();
}

const Json& Json::at(std::size_t index) const {
  return index < items().size() ? items()[index] : null_json();
}

bool Json::contains(std::string_view key) const {
  for (const auto& member : members())
    if (member.first == key) return true;
  return false;
}

std::size_t Json::size() const {
  return is_object() ? members().size() : items().size();
}

Json& Json::set(std::string_view key, Json value) {
  if (!is_object()) value_ = Object{};
  auto& object = std::get<Object>(value_);
  for (auto& [name, old] : object)
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  object.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (!is_array()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

std::string Json::dump(int indent) const {
  std::string out;
  append(out, *this, indent, 0);
  return out;
}

Result<Json> Json::parse(std::string_view text, const std::string& name) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder))
    return make_error(ErrorCode::kCorrupt, "read the JSON of",
                      fmt::format("{} (byte {})", name, builder.position_), builder.cause_);
  return std::move(builder.result_);
}

}  // namespace forebay
