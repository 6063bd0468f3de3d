#include "spec/schema_text.h"

#include "spec/place.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::string whole_number(const Field& field, const Translate& translate) {
  if (field.maximum >= 1e15) return say(translate(tr_later("a whole number, at least {0}")), field.minimum);
  return say(translate(tr_later("a whole number from {0} to {1}")), fmt::format("{:.0f}", field.minimum),
             fmt::format("{:.0f}", field.maximum));
}

}  // namespace

std::string notation_of(const Field& field, const Translate& translate) {
  const auto plain = [&](std::string_view text) { return std::string(translate(text)); };
  switch (field.type) {
    case FieldType::kSection:
      return {};
    case FieldType::kSectionList:
      return plain(tr_later("a list; each entry is a mapping of the keys below"));
    case FieldType::kText:
      return plain(tr_later("text"));
    case FieldType::kCommand:
      return plain(tr_later("a shell script, or a list of words"));
    case FieldType::kChoice:
      return say(translate(tr_later("one of {0}")), joined(choices_of(field)));
    case FieldType::kYesNoAuto:
      return say(translate(tr_later("one of {0}")), "auto, yes, no");
    case FieldType::kInteger:
      return whole_number(field, translate);
    case FieldType::kNumber:
      return plain(tr_later("a number"));
    case FieldType::kNumberOrFloor:
      return plain(tr_later("a number, or a number with + for at least so many"));
    case FieldType::kParameterCount:
      return plain(tr_later("a count with its unit: K, M, B (billions) or T"));
    case FieldType::kBytesOrFloor:
      return plain(
          tr_later("a size with its unit (B, KiB, MiB, GiB, TiB, PiB in powers of 1024; KB, MB, GB, TB in "
                   "powers of 1000), with + for at least so much"));
    case FieldType::kDuration:
      return plain(tr_later("a time span with its unit (ms, s, m, h, d), such as 90s, 15m or 1h30m"));
    case FieldType::kMoney:
      return plain(tr_later("an amount of money with its currency, such as 20 USD or 150 CNY"));
    case FieldType::kInstant:
      return plain(
          tr_later("a date and time with its zone, such as 2026-12-05T18:00+08:00 or 2026-12-05T10:00Z"));
    case FieldType::kPythonVersion:
      return plain(tr_later("a version in quotes"));
    case FieldType::kGpu:
      return plain(tr_later("NAME or NAME:COUNT, or a mapping of the keys below"));
    case FieldType::kArchitecture:
      return say(translate(tr_later("one of {0}; with + also every newer one")), joined(choices_of(field)));
    case FieldType::kPlaces:
      return say(translate(tr_later("a place or a list of places; engines: {0}")), joined(known_engines()));
    case FieldType::kVariables:
      return plain(tr_later("a mapping of names to values"));
    case FieldType::kNames:
      return plain(tr_later("a list of names"));
    case FieldType::kObjective:
      return say(translate(tr_later("one of {0}, or a mapping of them to weights")),
                 joined(choices_of(field)));
    case FieldType::kSweepParameters:
      return plain(tr_later("a mapping of names to lists or to FIRST..LAST"));
  }
  return {};
}

std::string example_file(const Field& field) {
  if (field.example.empty()) return {};
  std::string out;
  std::string indent;
  std::string_view rest = field.key;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    std::string_view part = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    const bool is_list = part.ends_with("[]");
    if (is_list) part.remove_suffix(2);
    out += fmt::format("{}{}:{}", indent, part, rest.empty() ? fmt::format(" {}\n", field.example) : "\n");
    // A list entry's own keys stand behind its dash.
    if (is_list) return out + fmt::format("{}  - {}: {}\n", indent, rest, field.example);
    indent += "  ";
  }
  return out;
}

}  // namespace forebay
