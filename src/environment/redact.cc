#include "environment/redact.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace forebay {
namespace {

constexpr std::string_view kHidden = "***";
constexpr std::size_t kShortestSecret = 4;  // shorter values would blank ordinary text

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

void replace_all(std::string& text, std::string_view from) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + kHidden.size()))
    text.replace(at, from.size(), kHidden);
}

bool ends_authority(char c) {
  return c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '<' || c == '>' ||
         std::isspace(static_cast<unsigned char>(c));
}

bool is_secret_parameter(std::string_view name) {
  const std::string text = upper(name);
  static constexpr auto kParts = std::to_array<std::string_view>(
      {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "SIGNATURE", "CREDENTIAL"});
  if (text == "SIG" || text == "AUTH") return true;
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](auto part) { return text.find(part) != std::string::npos; });
}

// Blanks the values of secret parameters in the query that begins after `text[at] == '?'`.
void redact_query(std::string& text, std::size_t at) {
  while (at < text.size() && (text[at] == '?' || text[at] == '&')) {
    const std::size_t name = at + 1;
    std::size_t end = name;
    while (end < text.size() && text[end] != '&' &&
           (text[end] == '/' || text[end] == '?' || !ends_authority(text[end])))
      ++end;
    const std::size_t equals = text.find('=', name);
    if (equals < end && is_secret_parameter(std::string_view(text).substr(name, equals - name))) {
      text.replace(equals + 1, end - equals - 1, kHidden);
      end = equals + 1 + kHidden.size();
    }
    at = end;
  }
}

}  // namespace

bool looks_like_secret(std::string_view name) {
  const std::string text = upper(name);
  static constexpr auto kAnywhere =
      std::to_array<std::string_view>({"SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL",
                                       "PRIVATE_KEY", "ACCESS_KEY", "API_KEY", "APIKEY"});
  static constexpr auto kEnds =
      std::to_array<std::string_view>({"TOKEN", "_KEY", "_PWD", "_PASS", "_AUTH", "_DSN", "_COOKIE"});
  static constexpr auto kHarmlessAws =
      std::to_array<std::string_view>({"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CA_BUNDLE",
                                       "AWS_PAGER", "AWS_DEFAULT_OUTPUT", "AWS_ENDPOINT_URL"});
  if (std::any_of(kAnywhere.begin(), kAnywhere.end(),
                  [&](auto part) { return text.find(part) != std::string::npos; }))
    return true;
  if (std::any_of(kEnds.begin(), kEnds.end(), [&](auto part) { return text.ends_with(part); })) return true;
  if (text.starts_with("AWS_"))
    return std::find(kHarmlessAws.begin(), kHarmlessAws.end(), text) == kHarmlessAws.end();
  return false;
}

std::string redact_urls(std::string_view original) {
  std::string text(original);
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    std::size_t end = begin;
    while (end < text.size() && !ends_authority(text[end])) ++end;
    // The last "@" before the path: passwords may hold "@" themselves.
    const std::size_t sign = std::string_view(text).substr(begin, end - begin).rfind('@');
    if (sign != std::string_view::npos && !(text.compare(begin, sign, "git") == 0)) {
      text.replace(begin, sign, kHidden);
      end = end - sign + kHidden.size();
    }
    while (end < text.size() && (text[end] == '/' || !ends_authority(text[end]))) ++end;
    if (end < text.size() && text[end] == '?') redact_query(text, end);
  }
  return text;
}

std::string redact(std::string_view original, const std::vector<std::string>& secret_values) {
  std::string text(original);
  std::vector<std::string> values = secret_values;
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const auto& value : values)
    if (value.size() >= kShortestSecret && value != "true" && value != "false" && value != "none")
      replace_all(text, value);
  return redact_urls(text);
}

std::vector<std::string> secret_values(const std::map<std::string, std::string>& environment,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const auto& [name, value] : environment)
    if (!value.empty() &&
        (looks_like_secret(name) || std::find(names.begin(), names.end(), name) != names.end()))
      values.push_back(value);
  return values;
}

std::vector<std::string> secret_arguments(const std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t begin = word.find_first_not_of('-');
    if (begin == 0 || begin == std::string::npos) continue;
    const std::size_t equals = word.find('=');
    std::string name = "_" + word.substr(begin, equals == std::string::npos ? equals : equals - begin);
    std::replace(name.begin(), name.end(), '-', '_');
    if (!looks_like_secret(name)) continue;
    if (equals != std::string::npos)
      values.push_back(word.substr(equals + 1));
    else if (i + 1 < words.size())
      values.push_back(words[i + 1]);
  }
  return values;
}

Json recorded_variable(const std::string& name, const std::string& value,
                       const std::vector<std::string>& secret_names) {
  if (looks_like_secret(name) ||
      std::find(secret_names.begin(), secret_names.end(), name) != secret_names.end())
    return Json::object({{"set", true}});
  return redact_urls(value);
}

}  // namespace forebay
