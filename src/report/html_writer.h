// Writes HTML elements; every text and attribute value is escaped, so that nothing from a run can become
// markup.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace forebay {

// Text for element content and quoted attributes: & < > " ' escaped, control characters but tab and line feed
// replaced.
std::string html_escaped(std::string_view text);
// JSON text that may stand inside <script type="application/json">: no "</script", no "<!--".
std::string script_safe(std::string json);

class HtmlWriter {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Tag and attribute names are literals of this program.
  HtmlWriter& open(std::string_view tag, Attributes attributes = {});
  HtmlWriter& close();
  HtmlWriter& text(std::string_view text);
  HtmlWriter& element(std::string_view tag, std::string_view text, Attributes attributes = {});
  HtmlWriter& empty(std::string_view tag, Attributes attributes);  // <br>, <meta …>

  // All elements must be closed.
  std::string take();

 private:
  void begin(std::string_view tag, Attributes attributes);
  std::string html_;
  std::vector<std::string> open_;
};

}  // namespace forebay
