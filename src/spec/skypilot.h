// SkyPilot task files: told apart by their keys, and the part of them that has a meaning here turned into a
// Job.
#pragma once

#include "spec/job_file.h"
#include "spec/yaml_tree.h"

namespace forebay {

// Does a mapping have keys that only SkyPilot's task files have, and none that only ours have?
bool has_skypilot_keys(const YamlNode& root);
// Fills parse.job; problems name SkyPilot's own keys. What has no effect is said in a remark, what matters
// and cannot be honoured is an error.
void translate_skypilot(const YamlNode& root, JobParse& parse);

}  // namespace forebay
