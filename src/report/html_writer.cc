#include "report/html_writer.h"

#include <cassert>

namespace forebay {

std::string html_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      case '\t':
      case '\n':
        escaped += c;
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
          escaped += "\xEF\xBF\xBD";
        else
          escaped += c;
    }
  }
  return escaped;
}

std::string script_safe(std::string json) {
  // In JSON '<' can only stand inside a string, where the escape means the same.
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

void HtmlWriter::begin(std::string_view tag, Attributes attributes) {
  html_.append("<").append(tag);
  for (const auto& [name, value] : attributes) {
    html_.append(" ").append(name);
    if (!value.empty()) html_.append("=\"").append(html_escaped(value)).append("\"");
  }
  html_ += '>';
}

HtmlWriter& HtmlWriter::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  open_.emplace_back(tag);
  return *this;
}

HtmlWriter& HtmlWriter::close() {
  assert(!open_.empty());
  html_.append("</").append(open_.back()).append(">\n");
  open_.pop_back();
  return *this;
}

HtmlWriter& HtmlWriter::text(std::string_view text) {
  html_ += html_escaped(text);
  return *this;
}

HtmlWriter& HtmlWriter::element(std::string_view tag, std::string_view text_, Attributes attributes) {
  return open(tag, attributes).text(text_).close();
}

HtmlWriter& HtmlWriter::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  return *this;
}

std::string HtmlWriter::take() {
  assert(open_.empty());
  return std::move(html_);
}

}  // namespace forebay
