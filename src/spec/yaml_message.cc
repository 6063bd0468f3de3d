#include "spec/yaml_message.h"

#include "spec/sentence.h"

namespace forebay {
namespace {

bool indented_by_tab(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return line.substr(0, first).find('\t') != std::string_view::npos;
}

std::string unknown_character(const YamlFault& fault) {
  const char c = fault.column < fault.line.size() ? fault.line[fault.column] : ' ';
  if (c == '@' || c == '`' || c == '%') return say(tr("A value cannot begin with {0}. Put it in quotes."), c);
  return say(tr("YAML cannot read {0} here. Put the value in quotes."),
             shown(fault.line.substr(std::min(fault.column, fault.line.size()), 1)));
}

}  // namespace

bool is_escape_fault(std::string_view message) {
  const auto is = [&](std::string_view part) { return message.find(part) != std::string_view::npos; };
  return is("unknown escape character") || is("hex number") || is("invalid unicode");
}

std::string explain_yaml_fault(const YamlFault& fault) {
  const auto is = [&](std::string_view part) { return fault.message.find(part) != std::string_view::npos; };
  if (is("illegal tab") || (indented_by_tab(fault.line) && !is("bad file")))
    return std::string(tr("This line is indented with a tab; YAML wants spaces."));
  if (fault.open_quote_line > 0)
    return say(tr("The quoted text that began in line {0} ends in this line. Is its closing quote missing?"),
               fault.open_quote_line);
  if (is("illegal map value"))
    return std::string(
        tr("A second \": \" in this value, or a line that is indented differently from its neighbours. Put "
           "the value in quotes, or line the keys up."));
  if (is("end of map not found"))
    return std::string(
        tr("Something stands here that belongs to no key. Is a colon missing, a line indented differently, "
           "or text after a closing quote?"));
  if (is("end of map flow not found"))
    return std::string(tr("A \"{\" is never closed: a \"}\" or a comma is missing before this place."));
  if (is("end of sequence flow not found"))
    return std::string(tr("A \"[\" is never closed: a \"]\" or a comma is missing before this place."));
  if (is("end of sequence not found"))
    return std::string(
        tr("This line is neither a list entry (\"- …\") nor the end of the list. Check how it is indented."));
  if (is("illegal flow end")) return std::string(tr("This bracket closes nothing."));
  if (is("illegal block entry"))
    return std::string(tr("A list entry (\"- …\") cannot stand here. Put it on its own line below its key."));
  if (is("illegal map key"))
    return std::string(tr("A \"?\" with a space after it has a meaning in YAML. Put the value in quotes."));
  if (is("unknown token")) return unknown_character(fault);
  if (is_escape_fault(fault.message))
    return std::string(
        tr("In double quotes a backslash begins an escape such as \\n, and this is none. Write \\\\ or use "
           "single quotes."));
  if (is("the referenced anchor is not defined"))
    return std::string(
        tr("A value cannot begin with * unless it repeats an &anchor above. Put it in quotes."));
  if (is("scanning alias") || is("alias not found"))
    return std::string(tr("A value cannot begin with *. Put it in quotes."));
  if (is("scanning anchor") || is("anchor not found"))
    return std::string(tr("A value cannot begin with &. Put it in quotes."));
  if (is("tag")) return std::string(tr("A value cannot begin with !. Put it in quotes."));
  if (is("EOF in scalar")) return std::string(tr("The quoted text that begins here is never closed."));
  if (is("unexpected character in block scalar"))
    return std::string(tr("After \"|\" or \">\" the text begins on the next line, indented."));
  if (is("bad file")) return std::string(tr("This is nested too deeply for a job file."));
  return say(tr("This is not YAML: {0}."), fault.message);
}

}  // namespace forebay
