#include "spec/schema.h"
#include "spec/schema_text.h"
#include "spec/sentence.h"

namespace forebay {
namespace {

std::string_view english(std::string_view text) {
  return text;
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("`{}`", cell(text));
}

// A field of a section that is refused as a whole is not honoured either.
bool is_honoured_locally(const Field& field) {
  if (!field.is_honoured_locally) return false;
  std::string_view above = field.key;
  while (above.find('.') != std::string_view::npos) {
    above = above.substr(0, above.rfind('.'));
    const Field* section = find_field(above);
    if (section == nullptr && above.ends_with("[]")) section = find_field(above.substr(0, above.size() - 2));
    if (section != nullptr && !section->is_honoured_locally) return false;
  }
  return true;
}

void rows(std::string& out, std::string_view section) {
  for (const Field* field : fields_below(section)) {
    const std::string required = field->is_required ? " **Required.**" : "";
    const std::string left_out =
        field->default_text.empty() ? "" : fmt::format(" Left out: {}.", field->default_text);
    const std::string locally = is_honoured_locally(*field) ? "yes" : "no";
    out += fmt::format("| `{}` | {} | {}{}{} | {} | {} | {} |\n", field->key,
                       cell(notation_of(*field, english)), cell(field->meaning), required, cell(left_out),
                       code(field->example), locally, field->since);
    rows(out, field->key);
  }
}

void table(std::string& out, const Field& section) {
  out += fmt::format("\n## {}\n\n{}", section.key, section.meaning);
  if (!section.default_text.empty()) out += fmt::format(" Left out: {}.", section.default_text);
  out += "\n\n| key | value | meaning | example | this machine | since |\n|---|---|---|---|---|---|\n";
  rows(out, section.key);
}

}  // namespace

std::string job_reference_markdown() {
  std::string out =
      "# The job file\n\n"
      "<!-- Made from the table in src/spec/schema_table.cc: FOREBAY_REGENERATE=1 spec_test "
      "--gtest_filter='CheckedIn*' -->\n\n"
      "One YAML (or JSON) file says everything about a job; every field may be left out, and `forebay run -- "
      "python train.py` is the empty\n"
      "job file with a command. `forebay job check FILE` explains a file without running it, `forebay help "
      "job KEY` shows one field in the\n"
      "terminal, and [`job.schema.json`](job.schema.json) lets an editor check the file while it is written. "
      "Put this in its first line:\n\n"
      "```yaml\n# yaml-language-server: $schema=./job.schema.json\n```\n\n"
      "Sizes, times and money carry their unit; a bare number where a unit is needed is an error. An unknown "
      "key is an error with the nearest\n"
      "known one. All problems of a file are reported at once, each with its line and column. The column "
      "*this machine* says whether the\n"
      "local engine of this release honours a field; what it cannot honour it refuses by name or, where it "
      "does no harm, remarks on.\n\n"
      "The file is UTF-8, at most 1 MiB, with one document. Anchors, aliases and merge keys (`<<`) work; "
      "tags do not. A key may be given once.\n\n"
      "## Fields outside any section\n\n"
      "| key | value | meaning | example | this machine | since |\n|---|---|---|---|---|---|\n";
  for (const Field* field : fields_below(""))
    if (field->type != FieldType::kSection && field->type != FieldType::kSectionList)
      out +=
          fmt::format("| `{}` | {} | {}{} | {} | {} | {} |\n", field->key, cell(notation_of(*field, english)),
                      cell(field->meaning),
                      field->default_text.empty() ? "" : fmt::format(" Left out: {}.", field->default_text),
                      code(field->example), field->is_honoured_locally ? "yes" : "no", field->since);
  for (const Field* field : fields_below(""))
    if (field->type == FieldType::kSection || field->type == FieldType::kSectionList) table(out, *field);
  return out;
}

}  // namespace forebay
