// The typed Job of a checked tree. Values that the check refused are left absent.
#pragma once

#include "spec/job.h"
#include "spec/yaml_tree.h"

namespace forebay {

Job build_job(const YamlNode& root);

}  // namespace forebay
