// A job file's tree against the schema table: every problem, with its place.
#pragma once

#include <string>
#include <string_view>

#include "spec/job_file.h"
#include "spec/schema.h"
#include "spec/yaml_tree.h"

namespace forebay {

// Walks the tree once. Appends to the parse's problems and notes in its source where every key stands.
class JobCheck {
 public:
  explicit JobCheck(JobParse& parse) : parse_(parse) {}
  void check(const YamlNode& root);

 private:
  void section(std::string_view schema_key, const std::string& path, const YamlNode& node,
               YamlPosition position);
  void section_list(const Field& field, const std::string& path, const YamlNode& node, YamlPosition position);
  void members(std::string_view schema_prefix, const std::string& path, const YamlNode& node,
               YamlPosition position);
  void value(const Field& field, const std::string& path, const YamlMember& member);
  void scalar(const Field& field, const std::string& path, const YamlNode& node, YamlPosition position);
  void unknown_key(std::string_view schema_prefix, const std::string& path, const YamlMember& member);
  void gpu(const Field& field, const std::string& path, const YamlNode& node, YamlPosition position);
  void command(const std::string& path, const YamlNode& node, YamlPosition position);
  void places(const std::string& path, const YamlNode& node, YamlPosition position);
  void variables(const std::string& path, const YamlNode& node, YamlPosition position);
  void names(const std::string& path, const YamlNode& node, YamlPosition position);
  void objective(const Field& field, const std::string& path, const YamlNode& node, YamlPosition position);
  void sweep_parameters(const std::string& path, const YamlNode& node, YamlPosition position);
  void add(const std::string& path, YamlPosition position, std::string sentence, bool is_error = true);
  void note(const std::string& path, YamlPosition position);

  JobParse& parse_;
};

// What single values cannot show: keys that exclude each other or need each other.
void check_consistency(const Job& job, JobParse& parse);

// The sentence for a key that a section does not have.
std::string unknown_key_sentence(std::string_view section, const std::string& name);

}  // namespace forebay
