// The resources of a SkyPilot task as ours.
#pragma once

#include <string>
#include <utility>

#include "spec/job_file.h"
#include "spec/yaml_tree.h"

namespace forebay {

// Collects problems under SkyPilot's own key names, at their places.
class SkypilotReport {
 public:
  explicit SkypilotReport(JobParse& parse) : parse_(parse) {}
  void error(const YamlMember& at, const std::string& key, std::string sentence) {
    add(at, key, std::move(sentence), true);
  }
  void remark(const YamlMember& at, const std::string& key, std::string sentence) {
    add(at, key, std::move(sentence), false);
  }
  // Remembers that our key `key` comes from this place.
  void note(const std::string& key, const YamlMember& at) {
    parse_.source.entries.push_back({key, at.position.line, at.position.column});
  }

 private:
  void add(const YamlMember& at, const std::string& key, std::string sentence, bool is_error) {
    parse_.problems.push_back(
        {parse_.source.file, at.position.line, at.position.column, key, std::move(sentence), is_error});
  }
  JobParse& parse_;
};

// Keys that our resources do not have.
bool has_skypilot_resource_keys(const YamlNode& resources);
void translate_skypilot_resources(const YamlMember& resources, Job& job, SkypilotReport& report);

}  // namespace forebay
