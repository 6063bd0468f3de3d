// The one table of the job file's fields, and what is made from it: validation (job_file.h), help, JSON
// Schema, reference page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace forebay {

// How a value is written. The text form of each is in schema_text.cc, its pattern in json_schema.cc, its
// reading in read_*.cc.
enum class FieldType {
  kSection,          // a mapping of the rows below it
  kSectionList,      // a list of such mappings
  kText,             // any scalar, as written
  kCommand,          // a shell script, or a list of words
  kChoice,           // one of `choices`
  kYesNoAuto,        // auto, yes or no (true and false too)
  kInteger,          // between `minimum` and `maximum`
  kNumber,           //
  kNumberOrFloor,    // "8" or "8+"
  kParameterCount,   // "7B", "350M"
  kBytesOrFloor,     // "32GiB" or "32GiB+"
  kDuration,         // "15m"
  kMoney,            // "20 USD"
  kInstant,          // "2026-12-05T18:00+08:00"
  kPythonVersion,    // "3.11", quoted
  kGpu,              // "A100-80GB:8" or a section
  kArchitecture,     // "ampere", "ampere+"
  kPlaces,           // "local", or a list of places
  kVariables,        // a mapping of names to values
  kNames,            // a list of environment variable names
  kObjective,        // a choice, or a mapping of weights
  kSweepParameters,  // a mapping of names to lists or ranges
};

struct Field {
  std::string_view key;  // "policy.idle_stop"; members of list sections are "outputs[].to"
  FieldType type = FieldType::kText;
  std::string_view example = {};       // YAML of the value
  std::string_view choices = {};       // "cost|time|carbon"
  double minimum = 0;                  // of integers and numbers
  double maximum = 1e15;               //
  bool is_required = false;            // within its section
  bool is_honoured_locally = true;     // by the local engine of this release
  std::string_view meaning = {};       // msgid: one or two sentences
  std::string_view default_text = {};  // msgid: what holds when it is left out; empty: nothing
  std::string_view since = "0.1";      // the release that knew it first
};

std::span<const Field> job_fields();
const Field* find_field(std::string_view key);
// The rows directly below a section ("" for the top).
std::vector<const Field*> fields_below(std::string_view section);
std::string_view leaf_name(const Field& field);
std::vector<std::string_view> choices_of(const Field& field);

// `forebay help job [KEY]`: the whole page for "", one field or section otherwise; nothing for an unknown
// key.
std::optional<std::string> job_help(std::string_view key, int width = 80);
// The key a person may have meant when job_help knows none of that name.
std::optional<std::string_view> nearest_job_key(std::string_view key);
// JSON Schema 2020-12 for editors; always English.
Json job_json_schema();
// docs/job-file.md; always English.
std::string job_reference_markdown();

}  // namespace forebay
