// The overview and the page of one verb, from the verb table and the verb's own declarations.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/verbs.h"

namespace forebay {
namespace {

// Display columns of UTF-8 text: wide for CJK and full-width forms. Good enough for our own texts.
int display_width(std::string_view text) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    columns += length >= 3 && lead >= 0xE3 ? 2 : 1;
    i += length;
  }
  return columns;
}

// Wraps one paragraph; Chinese may break anywhere between wide characters, English at spaces.
void wrap(std::string& out, std::string_view paragraph, int indent, int width) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string line;
  int used = 0;
  std::size_t i = 0;
  while (i < paragraph.size()) {
    std::size_t end = i;
    if (static_cast<unsigned char>(paragraph[i]) >= 0xE3) {
      end = std::min(paragraph.size(), i + 3);
    } else {
      while (end < paragraph.size() && paragraph[end] != ' ' &&
             static_cast<unsigned char>(paragraph[end]) < 0xE3)
        ++end;
      while (end < paragraph.size() && paragraph[end] == ' ') ++end;
    }
    const std::string_view piece = paragraph.substr(i, end - i);
    const std::string_view bare = piece.substr(0, piece.find_last_not_of(' ') + 1);
    if (used > 0 && indent + used + display_width(bare) > width) {
      line.erase(line.find_last_not_of(' ') + 1);
      out += margin + line + "\n";
      line.clear();
      used = 0;
    }
    line += piece;
    used += display_width(piece);
    i = end;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += margin + line + "\n";
}

void wrap_all(std::string& out, std::string_view text, int indent, int width) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::string_view paragraph = text.substr(0, newline);
    if (paragraph.empty())
      out += "\n";
    else
      wrap(out, paragraph, indent, width);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
  }
}

void heading(std::string& out, std::string_view text) {
  out += fmt::format("\n{}\n", text);
}

std::string option_label(const OptionInfo& option) {
  std::string label;
  for (char c : option.names) label += c == ',' ? std::string(", ") : std::string(1, c);
  return option.value_name.empty() ? label : label + " " + option.value_name;
}

}  // namespace

std::string overview_page(int width) {
  std::string out =
      fmt::format("{}\n\n  forebay run -- python train.py\n",
                  tr("forebay: runs your code on the right GPU, says why it is slow and what it cost."));
  std::vector<std::string> groups;
  for (const VerbInfo& verb : verb_table())
    if (*verb.group != '\0' && std::find(groups.begin(), groups.end(), verb.group) == groups.end())
      groups.emplace_back(verb.group);
  for (const std::string& group : groups) {
    heading(out, tr(group));
    for (const VerbInfo& verb : verb_table())
      if (group == verb.group) {
        std::string summary;
        wrap(summary, tr(verb.summary), 18, width);
        const std::string name = fmt::format("  {:<15} ", verb.name);
        out += name + summary.substr(name.size() <= 18 ? 18 : 0);
      }
  }
  heading(out, tr("More"));
  out += fmt::format("  forebay VERB --help   {}\n  forebay help job      {}\n",
                     tr("the page of one verb, with examples"), tr("every field of the job file"));
  return out;
}

std::string verb_page(const VerbInfo& info, int width) {
  const int columns = std::min(width, 100);
  const auto verb = info.make();
  CommonOptions common;
  CommandLine line;
  verb->declare(line);
  common.declare(line);
  std::string out = fmt::format("forebay {} - {}\n", info.name, tr(info.summary));
  heading(out, tr("USAGE"));
  std::string usage = fmt::format("  forebay {} [{}]", info.name, tr("OPTIONS"));
  for (const PositionalInfo& positional : line.positionals())
    usage += fmt::format(fmt::runtime(positional.required ? " {}{}" : " [{}{}]"), positional.name,
                         positional.many && !positional.name.starts_with("--") ? "…" : "");
  out += usage + "\n";
  heading(out, tr("DESCRIPTION"));
  wrap_all(out, tr(info.description), 2, columns);
  for (const PositionalInfo& positional : line.positionals()) {
    out += fmt::format("\n  {}\n", positional.name);
    wrap_all(out, positional.help, 6, columns);
  }
  heading(out, tr("OPTIONS"));
  for (const OptionInfo& option : line.options()) {
    out += fmt::format("  {}\n", option_label(option));
    wrap_all(out, option.help, 6, columns);
  }
  if (*info.examples != '\0') {
    heading(out, tr("EXAMPLES"));
    wrap_all(out, tr(info.examples), 2, 200);
  }
  return out;
}

}  // namespace forebay
